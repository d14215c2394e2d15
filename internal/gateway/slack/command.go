package slack

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// formed is a slash command that came as a form, as JSON.
func formed(form url.Values) ([]byte, error) {
	fields := make(map[string]string, len(form))
	for name := range form {
		fields[name] = form.Get(name)
	}
	return json.Marshal(fields)
}

// command reads a slash command.
func (r *reader) command(ctx context.Context, payload []byte) ([]gateway.Event, error) {
	var c slash
	if err := json.Unmarshal(payload, &c); err != nil {
		return nil, err
	}
	if c.TriggerID == "" || c.UserID == "" || c.ChannelID == "" {
		return nil, errNoAnswer
	}
	text, _ := r.text(ctx, c.Text)
	from := r.person(ctx, c.UserID)
	where := r.named(ctx, c.ChannelID, c.ChannelName)
	e := gateway.Event{
		ID: c.TriggerID, Kind: gateway.Called, Place: r.place(c.ChannelID, ""), Type: where.kind, Title: where.title,
		From: gateway.Sender{ID: c.UserID, Name: cmp.Or(from.name, c.UserName), Zone: from.zone},
		Text: commandText(c.Command, text), Addressed: true, At: r.now(),
	}
	r.mute(&e, where, c.ResponseURL)
	return []gateway.Event{e}, nil
}

// commandText is the command as the gateway knows it. Names that Slack keeps for itself are
// registered with a prefix. The command that is only the prefix takes all others as its text.
func commandText(command, args string) string {
	name := strings.TrimPrefix(command, "/")
	if name == catchAll {
		name, args, _ = strings.Cut(strings.TrimPrefix(args, "/"), " ")
		name = cmp.Or(name, "help")
	}
	name = strings.TrimPrefix(name, catchAll+"-")
	return strings.TrimSpace("/" + name + " " + strings.TrimSpace(args))
}

// interaction reads the press of a button. Other interactions are none for the gateway.
func (r *reader) interaction(ctx context.Context, payload []byte) ([]gateway.Event, error) {
	var p press
	if err := json.Unmarshal(payload, &p); err != nil {
		return nil, err
	}
	chatID := cmp.Or(p.Channel.ID, p.Container.ChannelID)
	if p.Type != "block_actions" || chatID == "" || p.User.ID == "" {
		return nil, nil
	}
	from := r.person(ctx, p.User.ID)
	where := r.named(ctx, chatID, p.Channel.Name)
	var all []gateway.Event
	for i, action := range p.Actions {
		id := cmp.Or(p.TriggerID, action.ActionTS)
		if action.Type != "button" || id == "" {
			continue
		}
		if i > 0 {
			id += ":" + strconv.Itoa(i)
		}
		at, ok := clock(action.ActionTS)
		if !ok {
			at = r.now()
		}
		e := gateway.Event{
			ID: id, Kind: gateway.Pressed, Place: r.place(chatID, p.thread()), Type: where.kind, Title: where.title,
			Message: gateway.MessageID(p.Container.MessageTS), Button: cmp.Or(action.Value, action.ActionID), Addressed: true, At: at,
			From: gateway.Sender{ID: p.User.ID, Name: cmp.Or(from.name, p.User.Name), Zone: from.zone},
		}
		if where.kind == gateway.DM {
			oneConversation(&e)
		}
		r.mute(&e, where, p.ResponseURL)
		all = append(all, e)
	}
	return all, nil
}

// thread is the thread in which the message with the buttons stands; "" for none.
func (p *press) thread() string {
	if p.Container.ThreadTS == p.Container.MessageTS {
		return ""
	}
	return p.Container.ThreadTS
}

// named is a chat of which Slack told the name, which does not say whether the bot is in it.
func (r *reader) named(ctx context.Context, id, name string) chat {
	c := r.chat(ctx, id)
	switch {
	case strings.HasPrefix(name, "mpdm-"):
		c.kind, c.title = gateway.Group, name
	case name != "" && name != "privategroup" && name != "directmessage":
		c.kind, c.title = gateway.Channel, name
	}
	return c
}
