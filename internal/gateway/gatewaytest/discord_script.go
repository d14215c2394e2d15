package gatewaytest

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/coder/websocket"
)

// DiscordSaid is a message of a person. Fields of Raw replace those made from the others.
type DiscordSaid struct {
	Channel string
	Author  string // an id; "" is "7"
	Name    string // the user name; "" is "alex"
	Text    string
	Raw     map[string]any
	// Missed says that the message is in the channel, but no event is sent.
	Missed bool
}

// Say adds a message to a channel and sends its event. It returns the message's id.
func (d *Discord) Say(s DiscordSaid) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	author := orElse(s.Author, "7")
	m := &DiscordMessage{ID: d.snowflake(), Channel: s.Channel, Author: author, Content: s.Text, Reactions: make(map[string]bool)}
	m.raw = map[string]any{
		"id": m.ID, "channel_id": s.Channel, "type": 0, "content": s.Text, "timestamp": d.Now().UTC().Format(time.RFC3339Nano),
		"edited_timestamp": nil, "mentions": []any{}, "mention_roles": []any{}, "attachments": []any{}, "embeds": []any{},
		"author": map[string]any{"id": author, "username": orElse(s.Name, "alex"), "global_name": nil},
	}
	maps.Copy(m.raw, s.Raw)
	d.messages[s.Channel] = append(d.messages[s.Channel], m)
	if !s.Missed {
		d.dispatch("MESSAGE_CREATE", d.eventOf(m))
	}
	return m.ID
}

// eventOf is a message as it is in an event: with its guild, unlike in answers.
func (d *Discord) eventOf(m *DiscordMessage) map[string]any {
	raw := maps.Clone(m.raw)
	if ch := d.channels[m.Channel]; ch != nil && ch.Guild != "" {
		raw["guild_id"] = ch.Guild
	}
	return raw
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// EditSaid changes the text of a person's message, and sends the event. It returns the time
// of the edit as it is sent.
func (d *Discord) EditSaid(channel, id, text string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	m := d.find(channel, id)
	if m == nil {
		return ""
	}
	at := d.Now().UTC().Format(time.RFC3339Nano)
	m.Content, m.raw["content"], m.raw["edited_timestamp"] = text, text, at
	d.dispatch("MESSAGE_UPDATE", d.eventOf(m))
	return at
}

// DeleteSaid deletes a person's message, and sends the event.
func (d *Discord) DeleteSaid(channel, id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.messages[channel] = slices.DeleteFunc(d.messages[channel], func(m *DiscordMessage) bool { return m.ID == id })
	event := map[string]any{"id": id, "channel_id": channel}
	if ch := d.channels[channel]; ch != nil && ch.Guild != "" {
		event["guild_id"] = ch.Guild
	}
	d.dispatch("MESSAGE_DELETE", event)
}

// Dispatch sends any event.
func (d *Discord) Dispatch(name string, data any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dispatch(name, data)
}

// Call sends a slash command: its name and the value of its option; "" for none. It
// returns the interaction's id.
func (d *Discord) Call(channel, author, name, value string) string {
	data := map[string]any{"name": name, "type": 1}
	if value != "" {
		data["options"] = []any{map[string]any{"name": "text", "type": 3, "value": value}}
	}
	return d.interact(channel, author, 2, data, nil)
}

// Press sends a press of a button of a message. It returns the interaction's id.
func (d *Discord) Press(channel, author, message, button string) string {
	pressed := map[string]any{"custom_id": button, "component_type": 2}
	return d.interact(channel, author, 3, pressed, map[string]any{"id": message, "channel_id": channel})
}

func (d *Discord) interact(channel, author string, kind int, data, message map[string]any) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	in := &discordInteraction{id: d.snowflake(), press: kind == 3, channel: channel, at: d.Now()}
	in.token = "token-" + in.id
	d.interactions[in.token] = in
	user := map[string]any{"id": orElse(author, "7"), "username": "alex", "global_name": "Alex"}
	event := map[string]any{
		"id": in.id, "application_id": DiscordApp, "type": kind, "token": in.token, "version": 1, "channel_id": channel, "data": data,
	}
	ch := d.channels[channel]
	if ch != nil {
		event["channel"] = ch.raw()
	}
	if ch != nil && ch.Guild != "" {
		event["guild_id"], event["member"] = ch.Guild, map[string]any{"user": user, "nick": nil}
	} else {
		event["user"] = user
	}
	if message != nil {
		in.message = message["id"].(string)
		event["message"] = message
	}
	d.dispatch("INTERACTION_CREATE", event)
	return in.id
}

// Reconnect asks the client to connect again (op 7).
func (d *Discord) Reconnect() { d.control(7, nil) }

// Invalidate tells the client that its session is no more (op 9), and forgets all
// sessions.
func (d *Discord) Invalidate() {
	d.ForgetSessions()
	d.control(9, false)
}

// AskHeartbeat asks the client for a heartbeat (op 1).
func (d *Discord) AskHeartbeat() { d.control(1, nil) }

func (d *Discord) control(op int, data any) {
	d.mu.Lock()
	s := d.open
	d.mu.Unlock()
	if s != nil {
		s.write(op, data)
	}
}

// ForgetSessions forgets all sessions, so that none can be resumed.
func (d *Discord) ForgetSessions() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.sessions)
}

// Drop breaks the connection without a close frame.
func (d *Discord) Drop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open != nil {
		d.open.end()
	}
}

// CloseWith closes the connection with a code. No later event is sent on it.
func (d *Discord) CloseWith(code int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.open; s != nil {
		d.open = nil
		s.close(websocket.StatusCode(code), "scripted")
	}
}

// RefuseIdentify closes each connection that identifies, with a code; 0 ends that.
func (d *Discord) RefuseIdentify(code int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refuse = websocket.StatusCode(code)
}

// Acks says whether heartbeats are acknowledged.
func (d *Discord) Acks(on bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.acks = on
}

// Hello says whether a connection is greeted.
func (d *Discord) Hello(on bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.helloless = !on
}

// Heartbeats is how many heartbeats came.
func (d *Discord) Heartbeats() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.beats
}

// LastHeartbeat is the number of the last event that the last heartbeat names.
func (d *Discord) LastHeartbeat() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lastBeat
}

// Identifies is how many times a client identified, Resumes how many times it resumed.
func (d *Discord) Identifies() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.identifies
}

// Resumes is how many times a client asked to resume a session.
func (d *Discord) Resumes() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.resumes
}

// Closings are the codes with which clients closed connections; -1 for none.
func (d *Discord) Closings() []int {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []int
	for _, c := range d.closings {
		out = append(out, int(c))
	}
	return out
}

// Connected reports whether a client has a session open.
func (d *Discord) Connected() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open != nil
}

// Await waits until a condition holds, which it looks at after each change.
func (d *Discord) Await(ctx context.Context, holds func() bool) error {
	for {
		changed := d.Changed()
		if holds() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
