package gatewaytest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"sync"
	"time"
)

func (d *Discord) getGateway(*discordCall) (int, any) {
	return http.StatusOK, map[string]string{"url": d.GatewayURL}
}

func (d *Discord) getUser(*discordCall) (int, any) { return http.StatusOK, discordUser() }

func (d *Discord) getApplication(*discordCall) (int, any) {
	return http.StatusOK, map[string]any{"id": DiscordApp, "name": "Hermes", "flags": d.o.Flags, "bot": discordUser()}
}

func (d *Discord) getCommands(c *discordCall) (int, any) {
	if c.PathValue("app") != DiscordApp {
		return unknownThing(10002, "Application")
	}
	if d.commands == nil {
		return http.StatusOK, []any{}
	}
	return http.StatusOK, d.commands
}

var commandName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[-_\p{Ll}\p{N}]{1,32}$`) })

type sentCommand struct {
	Type        int             `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Options     []commandOption `json:"options,omitempty"`
}

type commandOption struct {
	Type        int    `json:"type"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Required    bool   `json:"required,omitempty"`
}

func (d *Discord) putCommands(c *discordCall) (int, any) {
	if c.PathValue("app") != DiscordApp {
		return unknownThing(10002, "Application")
	}
	var list []sentCommand
	if err := c.read(&list); err != nil {
		return invalidForm("_", err.Error())
	}
	var stored []json.RawMessage
	for _, in := range list {
		ok := commandName().MatchString(in.Name) && describes(in.Description)
		for _, o := range in.Options {
			ok = ok && commandName().MatchString(o.Name) && describes(o.Description)
		}
		if !ok {
			return invalidForm("name", "Command name or description is invalid")
		}
		text, err := json.Marshal(struct {
			ID  string `json:"id"`
			App string `json:"application_id"`
			sentCommand
			NSFW bool `json:"nsfw"`
		}{d.snowflake(), DiscordApp, in, false})
		if err != nil {
			return http.StatusInternalServerError, nil
		}
		stored = append(stored, text)
	}
	d.commands = stored
	return http.StatusOK, stored
}

func describes(text string) bool { n := len([]rune(text)); return n >= 1 && n <= 100 }

func (d *Discord) getChannel(c *discordCall) (int, any) {
	ch := d.channels[c.PathValue("channel")]
	if ch == nil {
		return unknownThing(10003, "Channel")
	}
	return http.StatusOK, ch.raw()
}

// getRoles returns the roles of a guild: the one of everybody, the bot's own, another bot's, and
// one of persons.
func (d *Discord) getRoles(c *discordCall) (int, any) {
	guild := c.PathValue("guild")
	for _, ch := range d.channels {
		if ch.Guild == guild {
			return http.StatusOK, []any{
				map[string]any{"id": guild, "name": "@everyone", "managed": false},
				map[string]any{"id": DiscordRole, "name": "hermes", "managed": true, "tags": map[string]any{"bot_id": DiscordBot}},
				map[string]any{"id": "911", "name": "other bot", "managed": true, "tags": map[string]any{"bot_id": "43"}},
				map[string]any{"id": "912", "name": "boosters", "managed": true, "tags": map[string]any{"premium_subscriber": nil}},
			}
		}
	}
	return unknownThing(10004, "Guild")
}

// raw is a channel as the API returns it.
func (c *DiscordChannel) raw() map[string]any {
	raw := map[string]any{"id": c.ID, "type": c.Type}
	if c.Guild != "" {
		raw["guild_id"] = c.Guild
	}
	if c.Name != "" {
		raw["name"] = c.Name
	}
	if c.Parent != "" {
		raw["parent_id"] = c.Parent
	}
	if c.Joined {
		raw["member"] = map[string]any{"id": c.ID, "user_id": DiscordBot}
	}
	return raw
}

func (d *Discord) postTyping(c *discordCall) (int, any) {
	if d.channels[c.PathValue("channel")] == nil {
		return unknownThing(10003, "Channel")
	}
	return http.StatusNoContent, nil
}

// reaction is the message and the emoji of a call; nil for an unknown message.
func (d *Discord) reaction(c *discordCall) (*DiscordMessage, string) {
	emoji, err := url.PathUnescape(c.PathValue("emoji"))
	if err != nil {
		return nil, ""
	}
	return d.find(c.PathValue("channel"), c.PathValue("message")), emoji
}

func (d *Discord) putReaction(c *discordCall) (int, any) {
	m, emoji := d.reaction(c)
	switch {
	case m == nil:
		return unknownThing(10008, "Message")
	case !slices.Contains([]string{"👀", "⏳", "❌"}, emoji):
		return unknownThing(10014, "Emoji")
	}
	m.Reactions[emoji] = true
	return http.StatusNoContent, nil
}

func (d *Discord) deleteReaction(c *discordCall) (int, any) {
	m, emoji := d.reaction(c)
	switch {
	case m == nil:
		return unknownThing(10008, "Message")
	case !m.Reactions[emoji]:
		return unknownThing(10014, "Emoji")
	}
	delete(m.Reactions, emoji)
	return http.StatusNoContent, nil
}

// discordInteraction is a command or a press that waits for its answer.
type discordInteraction struct {
	id, token string
	press     bool
	channel   string
	message   string // with the button; of a command, the answer once it is deferred
	at        time.Time
	deferred  bool
}

// Bounds of interactions.
const (
	deferWithin  = 3 * time.Second
	answerWithin = 15 * time.Minute
)

func (d *Discord) postCallback(c *discordCall) (int, any) {
	in := d.interactions[c.PathValue("token")]
	var body struct {
		Type int `json:"type"`
	}
	if err := c.read(&body); err != nil {
		return invalidForm("_", err.Error())
	}
	switch {
	case in == nil || in.id != c.PathValue("id") || d.Now().Sub(in.at) > deferWithin:
		return unknownThing(10062, "interaction")
	case in.deferred:
		return http.StatusBadRequest, discordError{Code: 40060, Message: "Interaction has already been acknowledged."}
	case in.press && body.Type != 6, !in.press && body.Type != 5:
		return invalidForm("type", "want 5 for a command, 6 for a button")
	}
	in.deferred = true
	if !in.press {
		m := &DiscordMessage{ID: d.snowflake(), Channel: in.channel, Author: DiscordBot, Reactions: make(map[string]bool)}
		m.raw = d.rawMessage(m)
		m.raw["flags"], m.raw["type"] = loadingFlag, 20
		in.message = m.ID
		d.messages[in.channel] = append(d.messages[in.channel], m)
		d.dispatch("MESSAGE_CREATE", d.answerOf(m, false))
	}
	return http.StatusNoContent, nil
}

// original is the message of a webhook's call.
func (d *Discord) original(c *discordCall) (m *DiscordMessage, status int, answer any) {
	in := d.interactions[c.PathValue("token")]
	if in == nil || c.PathValue("app") != DiscordApp || !in.deferred {
		status, answer = unknownThing(10015, "Webhook")
		return nil, status, answer
	}
	if d.Now().Sub(in.at) > answerWithin {
		return nil, http.StatusUnauthorized, discordError{Code: 50027, Message: "Invalid Webhook Token"}
	}
	id := c.PathValue("message")
	if id == "@original" {
		id = in.message
	}
	if m = d.find(in.channel, id); m == nil || m.Author != DiscordBot {
		status, answer = unknownThing(10008, "Message")
		return nil, status, answer
	}
	return m, http.StatusOK, nil
}

func (d *Discord) getOriginal(c *discordCall) (int, any) {
	m, status, answer := d.original(c)
	if m == nil {
		return status, answer
	}
	return http.StatusOK, d.answerOf(m, false)
}

func (d *Discord) patchOriginal(c *discordCall) (int, any) {
	m, status, answer := d.original(c)
	if m == nil {
		return status, answer
	}
	return d.change(m, c)
}
