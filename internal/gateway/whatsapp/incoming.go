package whatsapp

import (
	"encoding/json"
	"strings"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// incoming is a message to the number.
type incoming struct {
	ID      string `json:"id"`
	From    string `json:"from"`         // a phone number; missing if the person hides it
	UserID  string `json:"from_user_id"` // the same in this business, whatever the number
	Group   string `json:"group_id"`
	Time    stamp  `json:"timestamp"`
	Context *struct {
		From       string            `json:"from"`
		ID         gateway.MessageID `json:"id"`
		Forwarded  bool              `json:"forwarded"`
		Frequently bool              `json:"frequently_forwarded"`
	} `json:"context"`
	content
	Edit *struct {
		Message gateway.MessageID `json:"original_message_id"`
		Content content           `json:"message"`
	} `json:"edit"`
	System *system `json:"system"`
}

// content is what a message says.
type content struct {
	Type string `json:"type"`
	Text *struct {
		Body string `json:"body"`
	} `json:"text"`
	Image    *attachment `json:"image"`
	Sticker  *attachment `json:"sticker"`
	Audio    *attachment `json:"audio"`
	Video    *attachment `json:"video"`
	Document *attachment `json:"document"`
	Button   *struct {
		Text string `json:"text"`
	} `json:"button"` // of a template
	Interactive *struct {
		Button *struct {
			ID string `json:"id"`
		} `json:"button_reply"`
		Choice *struct {
			Title string `json:"title"`
		} `json:"list_reply"` // of a list that the business sent from elsewhere
	} `json:"interactive"`
	Location    json.RawMessage `json:"location"`
	Contacts    json.RawMessage `json:"contacts"`
	Order       json.RawMessage `json:"order"`
	Unsupported json.RawMessage `json:"unsupported"`
}

// attachment is a file of a message.
type attachment struct {
	ID       string `json:"id"`
	Mime     string `json:"mime_type"`
	Filename string `json:"filename"`
	Caption  string `json:"caption"`
	Voice    bool   `json:"voice"`
}

// incoming makes events out of a message. Messages of the number itself are left out.
func (r *reader) incoming(c *change, m *incoming) {
	own := digits(c.Metadata.Number)
	switch {
	case m.ID == "" || own != "" && digits(m.From) == own:
		return
	case m.System != nil:
		r.moved(m)
		return
	}
	from, ok := sender(c, m)
	if !ok {
		return
	}
	e := gateway.Event{
		ID: m.ID, Kind: gateway.Said, Place: r.place(from.ID), Type: gateway.DM, Message: gateway.MessageID(m.ID), From: from,
		Addressed: true, At: r.moment(m.Time),
	}
	if m.Group != "" {
		e.Place, e.Type, e.Addressed = r.place(m.Group), gateway.Group, false
	}
	if m.fill(&e, own) {
		r.events = append(r.events, e)
	}
}

// sender is who sent a message. The user id counts before the number, which is then an
// alias of it.
func sender(c *change, m *incoming) (gateway.Sender, bool) {
	from := gateway.Sender{ID: m.UserID}
	number := m.From
	if p := contactOf(c, m); p != nil {
		from.Name = p.Profile.Name
		if from.Name == "" {
			from.Name = p.Profile.Username
		}
		if from.ID == "" {
			from.ID = p.UserID
		}
		if number == "" {
			number = p.Number
		}
	}
	switch {
	case from.ID == "":
		from.ID = number
	case number != "":
		from.Aliases = []string{number}
	}
	return from, from.ID != ""
}

// contactOf is the contact of a message's sender; nil for none.
func contactOf(c *change, m *incoming) *contact {
	for i := range c.Contacts {
		p := &c.Contacts[i]
		if m.UserID != "" && p.UserID == m.UserID || m.From != "" && p.Number == m.From {
			return p
		}
	}
	if len(c.Contacts) == 1 && m.UserID == "" && m.From == "" {
		return &c.Contacts[0]
	}
	return nil
}

// fill fills in what a message says. It reports false for what says nothing.
func (m *incoming) fill(e *gateway.Event, own string) bool {
	if m.Context != nil && m.Context.ID != "" {
		e.Replied = &gateway.Quoted{Message: m.Context.ID, Mine: own != "" && digits(m.Context.From) == own}
	}
	switch {
	case m.Interactive != nil && m.Interactive.Choice == nil:
		return m.press(e)
	case m.Edit != nil:
		e.Kind, e.Message = gateway.Edited, m.Edit.Message
		return m.Edit.Content.fill(e, own) && e.Message != ""
	}
	if !m.content.fill(e, own) {
		return false
	}
	if m.forwarded() {
		e.Forwarded, e.Text = &gateway.Quoted{Text: e.Text}, ""
	}
	return true
}

// forwarded reports whether a message was passed on.
func (m *incoming) forwarded() bool {
	return m.Context != nil && (m.Context.Forwarded || m.Context.Frequently)
}

// press fills in the press of a button. Its message is the one with the button.
func (m *incoming) press(e *gateway.Event) bool {
	b := m.Interactive.Button
	if b == nil || b.ID == "" || e.Replied == nil {
		return false
	}
	e.Kind, e.Button, e.Message, e.Addressed = gateway.Pressed, b.ID, e.Replied.Message, true
	e.Replied = nil
	return true
}

// fill fills in the words and the file of a message. It reports false if there is neither.
func (c *content) fill(e *gateway.Event, own string) bool {
	text, mentioned := c.words(), false
	if e.Type == gateway.Group {
		text, mentioned = cutMention(text, own)
		e.Addressed = mentioned || e.Replied != nil && e.Replied.Mine
	}
	e.Text, e.Files, e.Things = text, c.files(), c.things()
	return text != "" || mentioned || len(e.Files)+len(e.Things) > 0
}

// words are a message's text, or its caption, or the text of a template's button.
func (c *content) words() string {
	switch {
	case c.Text != nil:
		return c.Text.Body
	case c.Button != nil:
		return c.Button.Text
	case c.Interactive != nil && c.Interactive.Choice != nil:
		return c.Interactive.Choice.Title
	}
	for _, f := range c.attachments() {
		if f.Caption != "" {
			return f.Caption
		}
	}
	return ""
}

// attachments are the files of a message. It has at most one.
func (c *content) attachments() []*attachment {
	var out []*attachment
	for _, f := range []*attachment{c.Image, c.Sticker, c.Audio, c.Video, c.Document} {
		if f != nil && f.ID != "" {
			out = append(out, f)
		}
	}
	return out
}

// files are the files of a message. WhatsApp does not tell how large they are.
func (c *content) files() []gateway.FileRef {
	var out []gateway.FileRef
	for _, f := range c.attachments() {
		kind := gateway.Document
		switch {
		case f == c.Image || f == c.Sticker:
			kind = gateway.Photo
		case f.Voice:
			kind = gateway.Voice
		}
		mime, _, _ := strings.Cut(f.Mime, ";")
		out = append(out, gateway.FileRef{Ref: f.ID, Kind: kind, Name: strings.TrimSpace(f.Filename), Mime: strings.TrimSpace(mime)})
	}
	return out
}

// cutMention takes the mentions of the number out of a text, and reports whether there were
// any. A longer number is another one.
func cutMention(text, own string) (string, bool) {
	if own == "" {
		return text, false
	}
	out, rest, found := "", text, false
	for {
		before, after, ok := strings.Cut(rest, "@"+own)
		out += before
		if !ok {
			break
		}
		if after != "" && after[0] >= '0' && after[0] <= '9' {
			out += "@" + own
		} else {
			found = true
			out, after = gateway.WithoutMention(out, after)
		}
		rest = after
	}
	if !found {
		return text, false
	}
	return strings.TrimSpace(out), true
}
