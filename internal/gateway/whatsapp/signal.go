package whatsapp

import (
	"context"
	"errors"
	"fmt"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// emojiOf is the emoji of a mark.
func emojiOf(mark gateway.Mark) string {
	switch mark {
	case gateway.Waits:
		return "⏳"
	case gateway.Works:
		return "👀"
	case gateway.Broke:
		return "❌"
	default:
		return ""
	}
}

// readMark marks a message as read, and shows that an answer is being written.
type readMark struct {
	Product string            `json:"messaging_product"`
	Status  string            `json:"status"`
	Message gateway.MessageID `json:"message_id"`
	Typing  struct {
		Type string `json:"type"`
	} `json:"typing_indicator"`
}

// errNoMessage is the error of a mark without a message.
var errNoMessage = errors.New("WhatsApp shows marks only on a message")

// Signal shows what becomes of a message: by the state "typing", which marks the message as
// read, too, or by a reaction.
func (a *Adapter) Signal(ctx context.Context, at gateway.Place, m gateway.MessageID, mark gateway.Mark) error {
	if m == "" {
		return errNoMessage
	}
	to, err := recipientOf(at.Chat)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, a.pace.call)
	defer cancel()
	var body any
	if mark == gateway.Typing {
		read := &readMark{Product: "whatsapp", Status: "read", Message: m}
		read.Typing.Type = "text"
		body = read
	} else {
		react := to.message("reaction")
		react.Reaction = &reaction{Message: m, Emoji: emojiOf(mark)}
		body = react
	}
	var answer struct{}
	if err := a.heed(a.client.post(ctx, a.cfg.PhoneNumberID+"/messages", body, &answer)); err != nil {
		return fmt.Errorf("signal mark %d: %w", mark, err)
	}
	return nil
}
