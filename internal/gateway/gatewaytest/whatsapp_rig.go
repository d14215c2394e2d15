package gatewaytest

import (
	"log/slog"
	"testing"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// Rig is the fake in words that fit all platforms. adapter makes an adapter for the fake.
func (s *WhatsApp) Rig(adapter func(t *testing.T, log *slog.Logger) gateway.Adapter) *Rig {
	return &Rig{
		Adapter: adapter,
		Emit:    s.Emit,
		Replay:  func(_ TB, ids ...string) { s.Repeat(ids...) },
		OnAck:   s.OnAck,
		Cut:     s.Cut,
		Fault:   s.Fault,
		Lacks:   []Fault{BadText},
		Sent:    s.Sent,
		Broken:  s.Broken,
		Secrets: []string{WhatsAppToken, WhatsAppSecret, WhatsAppVerify, waNumbers, waUserIDs, WhatsAppNumber, "secret plan"},
		NoSizes: true,
	}
}

// Fault makes the fake fail in a way that all platforms know.
func (s *WhatsApp) Fault(f Fault) {
	s.SetUnreachable(f == Unreachable)
	s.SetBadToken(f == BadToken)
	steps := map[Fault]WhatsAppStep{
		Wait: {Code: 131056, Details: "a secret plan", RetryAfter: WaitTime}, CutBefore: {Cut: true}, CutAfter: {CutAfter: true},
		GoneChat: {Code: 131026, Details: "Message undeliverable"},
		Refusal:  {Code: 131031, Details: "The account is locked"},
	}
	s.Always("send", steps[f])
	page := WhatsAppStep{}
	if f == Page {
		page = WhatsAppPage(502)
	}
	s.Always("", page)
}

// Emit lets something happen. It returns the id of the event and of the message.
func (s *WhatsApp) Emit(t TB, a Act) (string, gateway.MessageID) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.Who != Person {
		return s.echo(a)
	}
	p, chat := s.person(a.Name), s.chat(a.Type, a.Chat)
	m := &waMessage{id: s.nextID("wamid.HBgHEARD%06d"), chat: chat, text: a.Text, file: a.File}
	out := map[string]any{"id": m.id, "timestamp": s.stamp(), "type": "text"}
	if a.Type != gateway.DM {
		out["group_id"] = chat
	}
	message := m.id
	switch a.Kind {
	case gateway.Edited:
		message = string(a.Message)
		out["type"] = "edit"
		edited := map[string]any{"type": "text", "text": map[string]any{"body": a.Text}}
		out["edit"] = map[string]any{"original_message_id": message, "message": edited}
	case gateway.Pressed:
		message = string(a.Message)
		s.pressed(a, out)
	default:
		s.said(a, m, out)
	}
	s.messages[m.id] = m
	p.heard = s.opt.Now()
	return s.pushMessage(p, out), gateway.MessageID(message)
}

// said fills in a new message.
func (s *WhatsApp) said(a Act, m *waMessage, out map[string]any) {
	text := a.Text
	if a.Mention {
		text = "@" + WhatsAppNumber + " " + text
	}
	if a.ReplyTo != "" {
		out["context"] = s.contextOf(string(a.ReplyTo))
	}
	if a.File == nil {
		out["text"] = map[string]any{"body": text}
		return
	}
	id := s.nextID("10000%06d")
	s.files[id] = waStored{data: a.File.Data, mime: a.mime()}
	file := map[string]any{"id": id, "mime_type": a.mime(), "sha256": "c2hh"}
	name := "document"
	switch a.FileKind {
	case gateway.Photo:
		name, file["caption"] = "image", text
	case gateway.Voice:
		name, file["voice"] = "audio", true
	default:
		file["filename"], file["caption"] = m.file.Name, text
	}
	out["type"], out[name] = name, file
}

// pressed fills in the press of a button.
func (s *WhatsApp) pressed(a Act, out map[string]any) {
	title := ""
	for _, b := range s.messages[string(a.Message)].buttons {
		if b.ID == a.Button {
			title = b.Label
		}
	}
	out["type"], out["context"] = "interactive", s.contextOf(string(a.Message))
	out["interactive"] = map[string]any{"type": "button_reply", "button_reply": map[string]any{"id": a.Button, "title": title}}
}

// contextOf names an answered message.
func (s *WhatsApp) contextOf(id string) map[string]any {
	out := map[string]any{"id": id}
	if m := s.messages[id]; m != nil && m.mine {
		out["from"] = WhatsAppNumber
	}
	return out
}

// echo tells of a message that the number sent by another way: from the app on a phone, or
// from another program.
func (s *WhatsApp) echo(a Act) (string, gateway.MessageID) {
	id := s.nextID("wamid.HBgECHO%06d")
	m := map[string]any{"from": WhatsAppNumber, "id": id, "timestamp": s.stamp(), "type": "text", "text": map[string]any{"body": a.Text}}
	if a.Who == Bot {
		s.pushChange("smb_message_echoes", map[string]any{"message_echoes": []any{m}})
		return id, gateway.MessageID(id)
	}
	m["group_id"] = s.chat(a.Type, a.Chat)
	s.pushChange("messages", map[string]any{"messages": []any{m}})
	return id, gateway.MessageID(id)
}

// Sent returns the client's messages, oldest first.
func (s *WhatsApp) Sent() []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Sent
	for _, m := range s.sent {
		out = append(out, Sent{
			Message: gateway.MessageID(m.id), Place: gateway.Place{Platform: gateway.WhatsApp, Account: WhatsAppPhoneID, Chat: m.chat},
			Text: m.text, ReplyTo: gateway.MessageID(m.replyTo), Buttons: m.buttons, File: m.file, At: m.at, Changed: m.at,
		})
	}
	return out
}
