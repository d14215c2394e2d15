package whatsapp

import (
	"regexp"
	"strings"
	"sync"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// What WhatsApp takes at most, in characters.
const (
	maxText    = 4096
	maxCaption = 1024 // of a file, and of a text with buttons
	maxTitle   = 20   // of a button
	maxButtons = 3
)

// message is a request to send. Exactly one kind of content is there.
type message struct {
	Product       string       `json:"messaging_product"`
	RecipientType string       `json:"recipient_type"`
	To            string       `json:"to,omitempty"`
	Recipient     string       `json:"recipient,omitempty"`
	Type          string       `json:"type"`
	Callback      string       `json:"biz_opaque_callback_data,omitempty"`
	Context       *replyTo     `json:"context,omitempty"`
	Text          *text        `json:"text,omitempty"`
	Interactive   *interactive `json:"interactive,omitempty"`
	Document      *document    `json:"document,omitempty"`
	Template      *template    `json:"template,omitempty"`
	Reaction      *reaction    `json:"reaction,omitempty"`
}

type (
	replyTo struct {
		Message gateway.MessageID `json:"message_id"`
	}
	text struct {
		Body    string `json:"body"`
		Preview bool   `json:"preview_url"`
	}
	document struct {
		ID       string `json:"id"`
		Filename string `json:"filename"`
		Caption  string `json:"caption,omitempty"`
	}
	reaction struct {
		Message gateway.MessageID `json:"message_id"`
		Emoji   string            `json:"emoji"` // "" takes it away
	}
	template struct {
		Name     string `json:"name"`
		Language struct {
			Code string `json:"code"`
		} `json:"language"`
	}
	interactive struct {
		Type string `json:"type"`
		Body struct {
			Text string `json:"text"`
		} `json:"body"`
		Action struct {
			Buttons []button `json:"buttons"`
		} `json:"action"`
	}
	button struct {
		Type  string `json:"type"`
		Reply struct {
			ID    string `json:"id"`
			Title string `json:"title"`
		} `json:"reply"`
	}
)

// recipient is whom a message is for.
type recipient struct{ kind, to, userID string }

// idForms are the forms of the ids of chats.
type idForms struct{ number, user, group *regexp.Regexp }

// chatIDs are a phone number, a user id of the business, and a group.
var chatIDs = sync.OnceValue(func() idForms {
	return idForms{
		number: regexp.MustCompile(`^\+?[0-9]{5,20}$`),
		user:   regexp.MustCompile(`^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$`),
		group:  regexp.MustCompile(`^[A-Za-z0-9_@.=+-]{8,256}$`),
	}
})

// recipientOf reads the id of a chat.
func recipientOf(chat string) (recipient, error) {
	forms := chatIDs()
	switch {
	case forms.number.MatchString(chat):
		return recipient{kind: "individual", to: chat}, nil
	case forms.user.MatchString(chat):
		return recipient{kind: "individual", userID: chat}, nil
	case forms.group.MatchString(chat):
		return recipient{kind: "group", to: chat}, nil
	}
	return recipient{}, refused("The chat has no id of WhatsApp.", nil)
}

// message begins a message of a type.
func (r recipient) message(kind string) *message {
	return &message{Product: "whatsapp", RecipientType: r.kind, To: r.to, Recipient: r.userID, Type: kind}
}

// compose is a message as WhatsApp takes it. The id of a file's upload is missing.
func compose(o *gateway.Out, to recipient) *message {
	var m *message
	switch {
	case o.File != nil:
		m = to.message("document")
		m.Document = &document{Filename: o.File.Name, Caption: shortened(o.Text, maxCaption)}
	case canPress(o, to):
		m = to.message("interactive")
		m.Interactive = buttons(o)
	default:
		m = to.message("text")
		m.Text = &text{Body: o.Text}
	}
	m.Callback = o.ID
	if o.ReplyTo != "" {
		m.Context = &replyTo{o.ReplyTo}
	}
	return m
}

// canPress reports whether WhatsApp takes the buttons of a message: in chats with one
// person, under a text that is short enough. People have commands in place of buttons.
func canPress(o *gateway.Out, to recipient) bool {
	return len(o.Buttons) > 0 && to.kind == "individual" && length(o.Text) <= maxCaption
}

// buttons are a text with buttons.
func buttons(o *gateway.Out) *interactive {
	i := &interactive{Type: "button"}
	i.Body.Text = o.Text
	for _, from := range o.Buttons[:min(len(o.Buttons), maxButtons)] {
		b := button{Type: "reply"}
		b.Reply.ID, b.Reply.Title = from.ID, shortened(from.Label, maxTitle)
		i.Action.Buttons = append(i.Action.Buttons, b)
	}
	return i
}

// shortened is a text of at most n characters.
func shortened(s string, n int) string {
	if length(s) <= n {
		return s
	}
	var b strings.Builder
	left := n - 1 // for the sign that something is missing
	for _, r := range s {
		if left -= length(string(r)); left < 0 {
			break
		}
		b.WriteRune(r)
	}
	return b.String() + "…"
}
