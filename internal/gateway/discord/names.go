package discord

import (
	"cmp"
	"context"
	"strings"

	"github.com/disgoorg/disgo/rest"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// names are what people see in place of the marks in a message.
type names struct {
	people          []mentioned
	roles, channels map[string]string // by their ids
}

// namesOf finds the names behind the marks in a text of a message. Names are of the message's guild alone: other people do not see
// those of another one. A name that cannot be found at the moment holds no message up.
func (a *Adapter) namesOf(ctx context.Context, guild, text string, m *message) names {
	out := names{people: m.Mentions, channels: make(map[string]string)}
	if list := gateway.ReadPart[[]rawChannel](m.Channels); list != nil {
		for i := range *list {
			out.channels[(*list)[i].ID] = (*list)[i].Name
		}
	}
	if len(m.Roles) > 0 {
		out.roles = a.roles.named(ctx, guild, m.Roles)
	}
	a.channels.nameAll(ctx, guild, text, out.channels)
	return out
}

// maxNamed bounds how many channels Discord is asked for because of one message.
const maxNamed = 5

// nameAll adds the names of the channels of a guild that a text mentions.
func (c *channels) nameAll(ctx context.Context, guild, text string, known map[string]string) {
	if !isID(guild) {
		return
	}
	asked := 0
	for _, part := range strings.Split(text, "<#")[1:] {
		id, _, _ := strings.Cut(part, ">")
		if !isID(id) || known[id] != "" {
			continue
		}
		ch, ok := c.known(id)
		if !ok && asked < maxNamed {
			asked++
			ch = c.seen(ctx, id)
		}
		if ch.guild == guild {
			known[id] = ch.name
		}
	}
}

// seen asks for a channel that is mentioned. That Discord does not show it is remembered apart: the bot may be let in before there
// is an event in it.
func (c *channels) seen(ctx context.Context, id string) channel {
	hidden := "#" + id
	if _, ok := c.known(hidden); ok {
		return channel{}
	}
	var raw rawChannel
	if err := c.api.do(ctx, rest.GetChannel.Compile(nil, id), nil, &raw); err != nil {
		if hopeless(err) {
			c.put(hidden, channel{})
		}
		return channel{}
	}
	return c.put(id, c.read(&raw))
}

// name is what people see of a mark; false if it is none. Names that are not known are left out. Signs in a piece of code mention
// nothing.
func (m *names) name(body string, inCode bool) (string, bool) {
	for i := range m.people {
		if p := &m.people[i]; isMention(body, p.ID) {
			return "@" + nameOf(&p.user, p.Member), true
		}
	}
	if name, ok := emojiName(body); ok || inCode {
		return name, ok
	}
	if id, ok := strings.CutPrefix(body, "@&"); ok && isID(id) {
		return "@" + cmp.Or(strings.TrimPrefix(m.roles[id], "@"), "role"), true
	}
	if id, ok := strings.CutPrefix(body, "#"); ok && isID(id) {
		return "#" + cmp.Or(m.channels[id], "channel"), true
	}
	return commandName(body)
}

// emojiName is the name of an emoji of a server.
func emojiName(body string) (string, bool) {
	parts := strings.Split(strings.TrimPrefix(body, "a"), ":")
	if len(parts) == 3 && parts[0] == "" && isEmojiName(parts[1]) && isID(parts[2]) {
		return ":" + parts[1] + ":", true
	}
	return "", false
}

// commandName is a slash command, perhaps with its subcommand.
func commandName(body string) (string, bool) {
	name, id, _ := strings.Cut(body, ":")
	isName := strings.HasPrefix(name, "/") && name != "/" && !strings.ContainsAny(name, "\n`")
	return name, isName && isID(id)
}
