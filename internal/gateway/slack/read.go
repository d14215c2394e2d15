package slack

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// reader turns payloads into events.
type reader struct {
	account string
	self    identity
	// person and chat look up names; they return what is known at once if Slack does not answer.
	person func(ctx context.Context, id string) person
	chat   func(ctx context.Context, id string) chat
	// first looks up the first message of a thread in the same way.
	first func(ctx context.Context, chat, thread string) first
	// joined reports whether the bot takes part in a thread, or hears a person there, and join
	// says that it does.
	joined func(chat, thread string) bool
	join   func(chat, thread string)
	// hook keeps the response URL of an interaction, and returns the name under which it is kept; "" if it may not be used.
	hook func(id, url string) string
	now  func() time.Time
}

// reader returns a reader for the bot.
func (a *Adapter) reader() *reader {
	return &reader{
		account: a.account, self: a.who(), person: a.person, chat: a.chat, first: a.first, joined: a.joined, join: a.join,
		hook: a.keepHook, now: a.now,
	}
}

// event reads a payload of the Events API. Most events are none for the gateway.
func (r *reader) event(ctx context.Context, payload []byte) ([]gateway.Event, error) {
	var c callback
	if err := json.Unmarshal(payload, &c); err != nil {
		return nil, err
	}
	var kind struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(c.Event, &kind); err != nil {
		return nil, err
	}
	switch kind.Type {
	case "message", "app_mention":
		var m message
		if err := json.Unmarshal(c.Event, &m); err != nil {
			return nil, err
		}
		return r.message(ctx, &m), nil
	case "channel_id_changed":
		var m moved
		if err := json.Unmarshal(c.Event, &m); err != nil {
			return nil, err
		}
		return r.moved(cmp.Or(c.EventID, m.TS), &m), nil
	}
	return nil, nil
}

// moved reads that a channel has another id.
func (r *reader) moved(id string, m *moved) []gateway.Event {
	if id == "" || m.Old == "" || m.New == "" {
		return nil
	}
	at, _ := clock(m.TS)
	return []gateway.Event{{
		ID: "moved:" + id, Kind: gateway.Moved, Place: r.place(m.Old, ""), Type: gateway.Channel, MovedTo: m.New, At: at,
	}}
}

// message reads a message or an edit, and leaves out those of bots.
func (r *reader) message(ctx context.Context, m *message) []gateway.Event {
	read := r.said
	switch m.Subtype {
	case "", "file_share", "thread_broadcast", "me_message":
	case "message_changed":
		read = r.edited
	case "message_deleted":
		read = r.deleted
	default:
		return nil
	}
	if e, ok := read(ctx, m); ok {
		return []gateway.Event{e}
	}
	return nil
}

// human reports whether a person wrote a message of which everything needed is known.
func (r *reader) human(m *message) bool {
	return m.User != "" && m.Channel != "" && !r.robot(m)
}

// robot reports whether an app, Slack itself or the bot wrote a message.
func (r *reader) robot(m *message) bool {
	return m.BotID != "" || m.Subtype == "bot_message" || m.User == "USLACKBOT" || m.User == r.self.user
}

// said reads a new message. A message and its mention are one event, and so is a message that
// another workspace of the channel tells: their id names the bot's own workspace.
func (r *reader) said(ctx context.Context, m *message) (gateway.Event, bool) {
	at, ok := clock(m.TS)
	if !ok || !r.human(m) {
		return gateway.Event{}, false
	}
	where := r.where(ctx, m)
	from := r.person(ctx, m.User)
	text, mentioned := r.text(ctx, m.Text)
	mentioned = mentioned || m.Type == "app_mention"
	e := gateway.Event{
		ID:        r.id(m),
		Kind:      gateway.Said,
		Place:     r.place(m.Channel, m.thread()),
		Type:      where.kind,
		Title:     where.title,
		Message:   gateway.MessageID(m.TS),
		From:      gateway.Sender{ID: m.User, Name: from.name, Zone: from.zone},
		Text:      text,
		Replied:   r.replied(ctx, m, where.kind, mentioned),
		Forwarded: r.forwarded(ctx, m.Attachments),
		Files:     r.files(m.Files),
		Things:    elsewhere(m.Files),
		At:        at,
	}
	e.Addressed = r.addressed(m, where.kind, mentioned)
	if where.kind == gateway.DM {
		oneConversation(&e)
	}
	return e, true
}

// oneConversation makes a DM one conversation with all its threads. The answer stands in the thread all the same.
func oneConversation(e *gateway.Event) {
	e.Place.Thread, e.Under = "", gateway.MessageID(e.Place.Thread)
}

// id is the id of the event of a message.
func (r *reader) id(m *message) string { return r.self.team + ":" + m.Channel + ":" + m.TS }

// addressed reports whether a message is meant for the bot. Who mentions the bot in a thread
// has the bot's ear there. All others have it once the bot has written: what a stranger says
// must not open a thread for them.
func (r *reader) addressed(m *message, kind gateway.ChatType, mentioned bool) bool {
	thread := m.thread()
	if thread == "" || kind == gateway.DM {
		return mentioned || kind == gateway.DM
	}
	if mentioned {
		r.join(m.Channel, earOf(m))
		return true
	}
	return m.ParentUserID != "" && m.ParentUserID == r.self.user || r.hears(m)
}

// hears reports whether the bot hears the writer of a message in a thread.
func (r *reader) hears(m *message) bool {
	return r.joined(m.Channel, m.thread()) || r.joined(m.Channel, earOf(m))
}

// earOf names a person in a thread.
func earOf(m *message) string { return m.thread() + ":" + m.User }

// edited reads a change of a message.
func (r *reader) edited(ctx context.Context, m *message) (gateway.Event, bool) {
	at, ok := clock(m.TS)
	if !ok || !m.rewritten() {
		return gateway.Event{}, false
	}
	n := *m.Message
	n.Channel, n.ChannelType = m.Channel, m.ChannelType
	e, ok := r.said(ctx, &n)
	if !ok {
		return gateway.Event{}, false
	}
	e.Kind, e.ID, e.At = gateway.Edited, r.id(m), at
	return e, true
}

// deleted reads that a message was deleted.
func (r *reader) deleted(ctx context.Context, m *message) (gateway.Event, bool) {
	at, ok := clock(m.TS)
	if !ok || m.Previous == nil || m.DeletedTS == "" {
		return gateway.Event{}, false
	}
	was := *m.Previous
	was.Channel = m.Channel
	if !r.human(&was) {
		return gateway.Event{}, false
	}
	where := r.where(ctx, m)
	e := gateway.Event{
		ID: r.id(m), Kind: gateway.Deleted, Place: r.place(m.Channel, was.thread()), Type: where.kind, Message: gateway.MessageID(m.DeletedTS),
		From: gateway.Sender{ID: was.User}, At: at,
	}
	if where.kind == gateway.DM {
		oneConversation(&e)
	}
	return e, true
}

// rewritten reports whether a person has changed the text. Slack also reports changes that no
// person made, such as the preview of a link.
func (m *message) rewritten() bool {
	if m.Message == nil || len(m.Message.Edited) == 0 || string(m.Message.Edited) == "null" {
		return false
	}
	return m.Previous == nil || m.Previous.Text != m.Message.Text
}

// place is a place of the bot.
func (r *reader) place(chat, thread string) gateway.Place {
	return gateway.Place{Platform: gateway.Slack, Account: r.account, Chat: chat, Thread: thread}
}

// where is the chat of a message. An app_mention does not say of which type its chat is.
func (r *reader) where(ctx context.Context, m *message) chat {
	switch m.ChannelType {
	case "im", "app_home":
		return chat{kind: gateway.DM}
	case "mpim":
		return chat{kind: gateway.Group, title: r.chat(ctx, m.Channel).title}
	case "channel", "group":
		return chat{kind: gateway.Channel, title: r.chat(ctx, m.Channel).title}
	}
	return r.chat(ctx, m.Channel)
}

// modeExternal is the mode of a file that another service keeps.
const modeExternal = "external"

// elsewhere are the files of other services, which have no bytes here.
func elsewhere(list json.RawMessage) []gateway.Thing {
	var out []gateway.Thing
	for _, f := range each[file](list) {
		if f.Mode == modeExternal {
			out = append(out, gateway.NewThing("file elsewhere", f.Name+" "+f.URL))
		}
	}
	return out
}

// files reads the files of a message which have bytes here.
func (r *reader) files(list json.RawMessage) []gateway.FileRef {
	var all []gateway.FileRef
	for _, f := range each[file](list) {
		if f.Mode == modeExternal || f.Mode == "tombstone" || f.Mode == "hidden_by_limit" {
			continue
		}
		ref := cmp.Or(f.Download, f.URL)
		if ref == "" && f.ID != "" {
			ref = byID + f.ID // a file of a shared channel comes without an address
		}
		if ref == "" {
			continue
		}
		all = append(all, gateway.FileRef{Ref: ref, Kind: kindOf(&f), Name: f.Name, Mime: f.Mime, Size: max(f.Size, 0)})
	}
	return all
}

func kindOf(f *file) gateway.FileKind {
	switch {
	case f.Subtype == "slack_audio", strings.HasPrefix(f.Mime, "audio/"):
		return gateway.Voice
	case strings.HasPrefix(f.Mime, "image/"):
		return gateway.Photo
	}
	return gateway.Document
}

// forwarded reads the message that was passed on; nil if there is none.
func (r *reader) forwarded(ctx context.Context, list json.RawMessage) *gateway.Quoted {
	for _, a := range each[attachment](list) {
		if a.IsShare {
			text, _ := r.text(ctx, a.Text)
			return &gateway.Quoted{Message: gateway.MessageID(a.TS.String()), Name: a.AuthorName, Text: text}
		}
	}
	return nil
}
