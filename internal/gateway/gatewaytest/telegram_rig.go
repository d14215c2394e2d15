package gatewaytest

import (
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// Rig is the fake in words that fit all platforms. adapter makes an adapter for the fake.
func (s *Telegram) Rig(adapter func(t *testing.T, log *slog.Logger) gateway.Adapter) *Rig {
	return &Rig{
		Adapter: adapter,
		Emit:    s.Emit,
		Replay: func(_ TB, ids ...string) {
			var list []int64
			for _, id := range ids {
				n, err := strconv.ParseInt(id, 10, 64)
				if err != nil {
					panic(err)
				}
				list = append(list, n)
			}
			s.Repeat(list...)
		},
		OnAck:   s.OnAck,
		Cut:     s.Cut,
		Fault:   s.Fault,
		Sent:    s.Sent,
		Broken:  s.Broken,
		Secrets: []string{s.Token, strings.SplitN(s.Token, ":", 2)[1]},
		Threads: true,
	}
}

// Fault makes the fake fail in a way that all platforms know.
func (s *Telegram) Fault(f Fault) {
	s.SetUnreachable(f == Unreachable)
	s.SetBadToken(f == BadToken)
	steps := map[Fault]TelegramStep{
		Wait: TelegramWait(WaitTime), CutBefore: {Cut: true}, CutAfter: {CutAfter: true},
		BadText:  {Code: 400, Description: `Bad Request: can't parse entities: Unsupported start tag "secret plan" at byte offset 0`},
		GoneChat: {Code: 403, Description: "Forbidden: bot was blocked by the user"},
		Refusal:  {Code: 400, Description: "Bad Request: not enough rights to send text messages to the chat"},
	}
	for _, method := range []string{"sendMessage", "sendDocument", "editMessageText", "sendMessageDraft"} {
		s.Always(method, steps[f])
	}
	page := TelegramStep{}
	if f == Page {
		page = TelegramPage(502)
	}
	s.Always("", page)
}

// Emit lets something happen. It returns the update_id and the message's id.
func (s *Telegram) Emit(t TB, a Act) (string, gateway.MessageID) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.chat(a.Type, a.Chat)
	var id, message int64
	switch a.Kind {
	case gateway.Edited:
		id, message = s.edited(c, a)
	case gateway.Pressed:
		id, message = s.pressed(c, a)
	default:
		id, message = s.said(c, a)
	}
	return strconv.FormatInt(id, 10), gateway.MessageID(strconv.FormatInt(message, 10))
}

// tgMessageID reads a message's id; 0 for none.
func tgMessageID(m gateway.MessageID) int64 {
	n, err := strconv.ParseInt(string(m), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// who is the one who acts.
func (s *Telegram) who(a Act) tgUser {
	switch a.Who {
	case Bot:
		return s.me
	case Robot:
		return tgUser{ID: 990_001, IsBot: true, FirstName: "Robot", Username: "another_bot"}
	default:
		return s.person(a.Name)
	}
}

// text gives a message its text, with the mention.
func (s *Telegram) text(a Act, out map[string]any) string {
	if !a.Mention {
		return a.Text
	}
	mention := "@" + s.me.Username
	key := "entities"
	if a.File != nil {
		key = "caption_entities"
	}
	out[key] = []any{map[string]any{"type": "mention", "offset": 0, "length": tgLength(mention)}}
	return mention + " " + a.Text
}

// said adds a new message.
func (s *Telegram) said(c *tgChat, a Act) (id, message int64) {
	extra := map[string]any{}
	m := c.add(&tgMessage{
		from: s.who(a), date: s.opt.Now().Unix(), thread: c.topic(a.Thread), text: s.text(a, extra),
		replyTo: tgMessageID(a.ReplyTo), file: a.File, kind: a.FileKind, mime: a.mime(),
	})
	if a.File != nil {
		s.files[tgFileID(c, m)] = *a.File
	}
	return s.pushMessage("message", "channel_post", c, m, extra), m.id
}

// edited changes a message.
func (s *Telegram) edited(c *tgChat, a Act) (id, message int64) {
	m := c.message(tgMessageID(a.Message))
	extra := map[string]any{"edit_date": s.opt.Now().Unix()}
	m.text = s.text(a, extra)
	return s.pushMessage("edited_message", "edited_channel_post", c, m, extra), m.id
}

// pushMessage adds an update with a message.
func (s *Telegram) pushMessage(kind, inChannel string, c *tgChat, m *tgMessage, extra map[string]any) int64 {
	if c.Type == "channel" {
		kind = inChannel
	}
	out := s.messageJSON(c, m)
	for key, value := range extra {
		out[key] = value
	}
	return s.push(map[string]any{kind: out})
}

// pressed presses a button.
func (s *Telegram) pressed(c *tgChat, a Act) (id, message int64) {
	m := c.message(tgMessageID(a.Message))
	query := "q" + strconv.FormatInt(s.lastUpdate+1, 10)
	s.queries[query] = true
	return s.push(map[string]any{"callback_query": map[string]any{
		"id": query, "from": s.who(a), "message": s.messageJSON(c, m), "chat_instance": "1", "data": a.Button,
	}}), m.id
}

// Sent returns the bot's messages, oldest first.
func (s *Telegram) Sent() []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	byNumber := map[int]Sent{}
	for _, c := range s.chats {
		for _, m := range c.Messages {
			if m.number > 0 {
				byNumber[m.number] = s.sent(c, m)
			}
		}
	}
	var out []Sent
	for _, number := range slices.Sorted(maps.Keys(byNumber)) {
		out = append(out, byNumber[number])
	}
	return out
}

// sent is a message of the bot in words that fit all platforms.
func (s *Telegram) sent(c *tgChat, m *tgMessage) Sent {
	out := Sent{Message: gateway.MessageID(strconv.FormatInt(m.id, 10)), Text: m.text, Buttons: m.buttons, File: m.file}
	out.Edits, out.At, out.Changed = m.edits, m.at, m.changed
	out.Place = gateway.Place{Platform: gateway.Telegram, Account: strconv.FormatInt(s.me.ID, 10), Chat: strconv.FormatInt(c.ID, 10)}
	if m.thread != 0 {
		out.Place.Thread = strconv.FormatInt(m.thread, 10)
	}
	if m.replyTo != 0 {
		out.ReplyTo = gateway.MessageID(strconv.FormatInt(m.replyTo, 10))
	}
	return out
}
