package gatewaytest

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// The greatest lengths of a text, of one with buttons or a file, and of a button.
const (
	waMaxText    = 4096
	waMaxCaption = 1024
	waMaxTitle   = 20
	waMaxButtons = 3
)

// waLength counts a text in units of UTF-16.
func waLength(text string) int {
	n := 0
	for _, r := range text {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// send takes a message.
func (s *WhatsApp) send(req *WhatsAppRequest) (any, error) {
	r := &req.message
	chat, p, err := s.target(r)
	if err != nil {
		return nil, err
	}
	m := &waMessage{id: s.nextID("wamid.HBgSENT%06d"), chat: chat, mine: true, at: s.opt.Now()}
	content := map[string]func(*waRequest, *waMessage) error{
		"text": s.textOf, "interactive": s.interactiveOf, "document": s.documentOf, "template": s.templateOf,
	}[r.Type]
	if err := content(r, m); err != nil {
		return nil, err
	}
	if r.Context != nil {
		if s.messages[r.Context.Message] == nil {
			return nil, waBad(131009, "context.message_id is not valid")
		}
		m.replyTo = r.Context.Message
	}
	if len(r.Callback) > 512 {
		return nil, waBad(131009, "biz_opaque_callback_data is too long")
	}
	if err := s.allow(chat); err != nil {
		return nil, err
	}
	return s.take(r, m, p)
}

// take keeps a message that was found right, unless the person's window is closed.
func (s *WhatsApp) take(r *waRequest, m *waMessage, p *waPerson) (any, error) {
	closed := p != nil && r.Type != "template" && !s.open(p)
	if closed && !s.opt.LateRefusals {
		return nil, waBad(131047, "More than 24 hours have passed since the person last replied")
	}
	status := "sent"
	if closed {
		status = "failed"
	} else {
		s.messages[m.id] = m
		s.sent = append(s.sent, m)
	}
	if !s.opt.NoStatuses {
		s.pushStatus(r, m, p, status)
	}
	contact := map[string]any{"input": r.To + r.Recipient}
	if p != nil && !s.opt.NoUserIDs {
		contact["user_id"] = p.userID
	}
	return map[string]any{
		"messaging_product": "whatsapp", "contacts": []any{contact}, "messages": []any{map[string]any{"id": m.id}},
	}, nil
}

// target finds whom a message is for: a person, or nobody for a group.
func (s *WhatsApp) target(r *waRequest) (chat string, p *waPerson, err error) {
	switch {
	case r.Product != "whatsapp":
		return "", nil, waBad(100, "messaging_product is required")
	case (r.To == "") == (r.Recipient == ""):
		return "", nil, waBad(131008, "one of to and recipient is required")
	case r.RecipientType == "group":
		for _, id := range s.groups {
			if id == r.To {
				return id, nil, nil
			}
		}
		return "", nil, waBad(131026, "the group does not exist")
	case r.RecipientType != "individual":
		return "", nil, waBad(100, "recipient_type must be individual or group")
	}
	p = s.find(r.To, r.Recipient)
	if p == nil || p.gone {
		return "", nil, waBad(131026, "Message undeliverable")
	}
	return s.identity(p), p, nil
}

// textOf reads a text.
func (s *WhatsApp) textOf(r *waRequest, m *waMessage) error {
	switch {
	case r.Text == nil || strings.TrimSpace(r.Text.Body) == "":
		return waBad(131008, "text.body is required")
	case waLength(r.Text.Body) > waMaxText || !utf8.ValidString(r.Text.Body):
		return waBad(131009, "text.body is too long")
	}
	m.text = r.Text.Body
	return nil
}

// interactiveOf reads a text with buttons.
func (s *WhatsApp) interactiveOf(r *waRequest, m *waMessage) error {
	i := r.Interactive
	switch {
	case r.RecipientType == "group":
		return waBad(131051, "groups have no interactive messages")
	case i == nil || i.Type != "button":
		return waBad(131009, "interactive.type must be button")
	case strings.TrimSpace(i.Body.Text) == "" || waLength(i.Body.Text) > waMaxCaption:
		return waBad(131009, "interactive.body.text must have 1 to 1024 characters")
	case len(i.Action.Buttons) == 0 || len(i.Action.Buttons) > waMaxButtons:
		return waBad(131009, "interactive.action.buttons must have 1 to 3 buttons")
	}
	m.text = i.Body.Text
	for _, b := range i.Action.Buttons {
		used := slices.ContainsFunc(m.buttons, func(o gateway.Button) bool { return o.ID == b.Reply.ID || o.Label == b.Reply.Title })
		switch {
		case b.Type != "reply" || b.Reply.ID == "" || len(b.Reply.ID) > 256:
			return waBad(131009, "a button needs the type reply and an id of up to 256 characters")
		case strings.TrimSpace(b.Reply.Title) == "" || waLength(b.Reply.Title) > waMaxTitle:
			return waBad(131009, "a button needs a title of up to 20 characters")
		case used:
			return waBad(131009, "two buttons are alike")
		}
		m.buttons = append(m.buttons, gateway.Button{ID: b.Reply.ID, Label: b.Reply.Title})
	}
	return nil
}

// documentOf reads a file with a caption.
func (s *WhatsApp) documentOf(r *waRequest, m *waMessage) error {
	if r.Document == nil || waLength(r.Document.Caption) > waMaxCaption {
		return waBad(131009, "document.caption is too long")
	}
	f, ok := s.files[r.Document.ID]
	if !ok {
		return waBad(131053, "there is no media of this id")
	}
	m.text, m.file = r.Document.Caption, &gateway.File{Name: r.Document.Filename, Data: f.data}
	return nil
}

// templateOf reads a template. It may be sent outside the window.
func (s *WhatsApp) templateOf(r *waRequest, m *waMessage) error {
	if r.Template == nil || r.Template.Name != WhatsAppTemplate || r.Template.Language.Code != "en" {
		return waBad(132001, "Template name does not exist in the translation")
	}
	m.text = "[template " + r.Template.Name + "]"
	return nil
}

// react sets the client's reaction to a message.
func (s *WhatsApp) react(req *WhatsAppRequest) (any, error) {
	r := &req.message
	_, p, err := s.target(r)
	switch {
	case err != nil:
		return nil, err
	case r.Reaction == nil || r.Reaction.Emoji == nil || s.messages[r.Reaction.Message] == nil:
		return nil, waBad(131009, "reaction needs a message_id and an emoji")
	case p != nil && !s.open(p):
		return nil, waBad(131047, "More than 24 hours have passed since the person last replied")
	}
	s.signals = append(s.signals, WhatsAppSignal{r.Reaction.Message, *r.Reaction.Emoji})
	return map[string]any{"messaging_product": "whatsapp", "messages": []any{map[string]any{"id": s.nextID("wamid.HBgREACT%06d")}}}, nil
}

// read marks a message as read, and shows that an answer is being written.
func (s *WhatsApp) read(req *WhatsAppRequest) (any, error) {
	r := &req.message
	m := s.messages[r.Message]
	switch {
	case r.Product != "whatsapp" || m == nil || m.mine:
		return nil, waBad(131009, "message_id is not that of a message to this number")
	case r.Typing != nil && r.Typing.Type != "text":
		return nil, waBad(131009, "typing_indicator.type must be text")
	}
	if r.Typing != nil {
		s.signals = append(s.signals, WhatsAppSignal{r.Message, "typing"})
	}
	return map[string]any{"success": true}, nil
}
