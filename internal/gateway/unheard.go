package gateway

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// What people are told of voice messages whose words are not known.
const (
	textDeaf   = "I cannot listen to voice messages here. Your message is kept; please write what it says."
	textUnsent = "Your voice message did not reach me: %s Send it again, or write what it says."
	textMute   = "Your voice message is kept, but it could not be written down: %s Send it again, or write what it says."
)

// unheard reports whether nothing but voice messages is in a batch, of which no word is known.
// No model could answer them.
func (b *batch) unheard() bool {
	for i := range b.events {
		e := &b.events[i]
		if e.hasWords() || len(e.Things) > 0 || len(b.filesOf(i)) == 0 {
			return false
		}
		if slices.ContainsFunc(b.filesOf(i), func(r received) bool { return r.ref.Kind != Voice || r.spoken != "" }) {
			return false
		}
	}
	return true
}

// hasWords reports whether a message has a text, its own or one that was passed on.
func (e *Event) hasWords() bool {
	return strings.TrimSpace(e.Text) != "" || e.Forwarded != nil && e.Forwarded.Text != ""
}

// whyUnheard is what people are told of such a batch.
func (b *batch) whyUnheard() string {
	for i := range b.events {
		for _, r := range b.filesOf(i) {
			switch {
			case r.missing != "":
				return fmt.Sprintf(textUnsent, plain(r.missing))
			case r.unheard != "":
				return fmt.Sprintf(textMute, plain(r.unheard))
			}
		}
	}
	return textDeaf
}

// answerUnheard stores voice messages of which no word is known, and answers them without a
// model.
func (g *Gateway) answerUnheard(ctx context.Context, bot *Bot, o owner.Owner, chat *Chat, b *batch) error {
	text := b.whyUnheard()
	tip, err := g.retain(ctx, o, chat, b, session.Message{Role: session.Assistant, Content: text, Note: session.EchoNote})
	if err != nil {
		return err
	}
	s := Settlement{Place: chat.Place, Events: b.names(), State: Answered, Session: tip, At: g.moment()}
	_, err = g.conclude(ctx, bot, o, chat, b, &s, &message{text: text})
	return err
}
