package gatewaytest

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// SlackSay is a message that somebody writes.
type SlackSay struct {
	Chat string
	// User is the id of the person; SlackBotUser for the bot itself.
	User string
	// Robot says that an app wrote it.
	Robot bool
	// Text is mrkdwn as Slack sends it: escaped, with references.
	Text   string
	Thread string
	File   *gateway.File
	// Mime is the type of the file; "" is plain text.
	Mime string
	// Quiet says that the adapter is told nothing.
	Quiet bool
}

// Say writes a message, and sends its events: one for the message, and one more if it
// mentions the bot. Both have the same Event.ID, which is returned with the message's id.
func (s *Slack) Say(a SlackSay) (eventID, ts string) {
	s.mu.Lock()
	c := s.chats[a.Chat]
	m := &slackMessage{ts: s.stamp(), thread: a.Thread, user: a.User, text: a.Text, bot: a.User == SlackBotUser, robot: a.Robot}
	if a.File != nil {
		f := &slackFile{id: s.next("F"), name: a.File.Name, title: a.File.Name, mime: cmp.Or(a.Mime, "text/plain"), data: a.File.Data}
		f.url = s.server.URL + "/files/" + f.id
		s.files[f.id] = f
		m.files = append(m.files, f)
	}
	parent := c.find(a.Thread)
	if !m.bot { // else Sent would take it for an answer
		c.add(m)
	}
	event := m.event(c)
	s.mu.Unlock()
	if parent != nil {
		event["parent_user_id"] = parent.user
	}
	if a.Robot {
		event["bot_id"], event["subtype"] = "B0ROBOT", "bot_message"
	}
	if m.bot {
		event["bot_id"] = SlackBotID
	}
	eventID = SlackTeam + ":" + a.Chat + ":" + m.ts
	if a.Quiet {
		return eventID, m.ts
	}
	events := []map[string]any{event}
	if strings.Contains(a.Text, "<@"+SlackBotUser+">") {
		mention := maps.Clone(event)
		delete(mention, "channel_type")
		mention["type"] = "app_mention"
		events = append(events, mention)
	}
	if m.ts[len(m.ts)-1]%2 == 0 { // either may come first
		slices.Reverse(events)
	}
	for _, e := range events {
		s.Deliver("events_api", s.callback(e), eventID)
	}
	return eventID, m.ts
}

// event is the message as an event of the Events API.
func (m *slackMessage) event(c *slackChat) map[string]any {
	kind := map[gateway.ChatType]string{gateway.DM: "im", gateway.Group: "mpim", gateway.Channel: "channel"}[c.kind]
	event := map[string]any{
		"type": "message", "channel": c.id, "channel_type": kind, "user": m.user, "text": m.text, "ts": m.ts, "event_ts": m.ts, "team": SlackTeam,
	}
	if thread := c.threadOf(m); thread != "" {
		event["thread_ts"] = thread
	}
	if len(m.files) > 0 {
		event["subtype"], event["files"] = "file_share", []any{m.files[0].shown()}
	}
	return event
}

// callback is an event with what stands around it.
func (s *Slack) callback(event map[string]any) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return map[string]any{
		"type": "event_callback", "token": "x", "team_id": SlackTeam, "api_app_id": "A0APP", "event_id": s.next("Ev"),
		"event_time":     s.lastTS / 1e6,
		"authorizations": []any{map[string]any{"team_id": SlackTeam, "user_id": SlackBotUser, "is_bot": true}}, "event": event,
	}
}

// Change replaces the text of a message, as its writer does, and returns the Event.ID.
func (s *Slack) Change(chat, ts, text string) string {
	s.mu.Lock()
	c := s.chats[chat]
	m := c.find(ts)
	before := m.event(c)
	m.text = text
	after := m.event(c)
	at := s.stamp()
	s.mu.Unlock()
	after["edited"] = map[string]any{"user": m.user, "ts": at}
	eventID := SlackTeam + ":" + chat + ":" + at
	s.Deliver("events_api", s.callback(map[string]any{
		"type": "message", "subtype": "message_changed", "hidden": true, "channel": chat, "channel_type": before["channel_type"],
		"ts": at, "event_ts": at, "message": after, "previous_message": before,
	}), eventID)
	return eventID
}

// Delete deletes a message of a person, and returns the Event.ID.
func (s *Slack) Delete(chat, ts string) string {
	s.mu.Lock()
	c := s.chats[chat]
	before := c.find(ts).event(c)
	c.messages = slices.DeleteFunc(c.messages, func(m *slackMessage) bool { return m.ts == ts })
	at := s.stamp()
	s.mu.Unlock()
	eventID := SlackTeam + ":" + chat + ":" + at
	s.Deliver("events_api", s.callback(map[string]any{
		"type": "message", "subtype": "message_deleted", "hidden": true, "channel": chat, "channel_type": before["channel_type"],
		"ts": at, "event_ts": at, "deleted_ts": ts, "previous_message": before,
	}), eventID)
	return eventID
}

// Press presses a button of a message, and returns the Event.ID.
func (s *Slack) Press(chat, user string, m gateway.MessageID, button string) string {
	s.mu.Lock()
	c := s.chats[chat]
	trigger, at := s.next("trigger-"), s.stamp()
	name := c.name
	if c.kind == gateway.DM {
		name = "directmessage"
	}
	container := map[string]any{"type": "message", "message_ts": string(m), "channel_id": chat, "is_ephemeral": false}
	if sent := c.find(string(m)); sent != nil && c.threadOf(sent) != "" {
		container["thread_ts"] = c.threadOf(sent)
	}
	s.mu.Unlock()
	s.Deliver("interactive", map[string]any{
		"type": "block_actions", "trigger_id": trigger, "team": map[string]any{"id": SlackTeam}, "container": container,
		"user": map[string]any{"id": user, "username": "someone", "team_id": SlackTeam}, "channel": map[string]any{"id": chat, "name": name},
		"actions": []any{map[string]any{"type": "button", "action_id": button, "value": button, "action_ts": at, "block_id": "b"}},
	}, trigger)
	return trigger
}

// Command calls a slash command, and returns the Event.ID.
func (s *Slack) Command(chat, user, command, text string) string {
	s.mu.Lock()
	c := s.chats[chat]
	trigger := s.next("trigger-")
	name := c.name
	if c.kind == gateway.DM {
		name = "directmessage"
	}
	s.mu.Unlock()
	s.Deliver("slash_commands", map[string]any{
		"token": "x", "team_id": SlackTeam, "channel_id": chat, "channel_name": name, "user_id": user, "user_name": "someone",
		"command": command, "text": text, "trigger_id": trigger, "response_url": "https://hooks.slack.com/commands/1",
	}, trigger)
	return trigger
}
