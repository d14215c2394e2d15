package gateway

import (
	"context"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// retain adds the messages of a batch to the session of the chat without a turn, and an answer
// behind them, unless the messages are stored. It returns the session; "" if nothing was added.
func (g *Gateway) retain(ctx context.Context, o owner.Owner, chat *Chat, b *batch, answer ...session.Message) (session.ID, error) {
	a := &curate.Addition{
		Owner: o, Session: chat.Session, Key: chat.Key, Source: SourceOf(chat.Place.Platform), UserID: b.events[0].From.ID,
	}
	a.Messages = b.said(chat.Type, "")
	newest := &a.Messages[len(a.Messages)-1]
	last, err := g.curator.LastInput(ctx, o, chat.Session)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return "", fmt.Errorf("read the newest message: %w", err)
	}
	if last != nil && isStored(newest, &last.Message) {
		return "", nil
	}
	a.Messages = append(a.Messages, answer...)
	tip, _, err := g.curator.Append(ctx, a)
	if err != nil {
		return "", fmt.Errorf("store messages: %w", err)
	}
	return tip.ID, nil
}

// isStored reports whether a message is the one that is stored. A stored time has milliseconds, but a message that was stored
// just now may have the time that it came with.
func isStored(m, stored *session.Message) bool {
	return m.Content == stored.Content && m.SaidAt.Truncate(time.Millisecond).Equal(stored.SaidAt.Truncate(time.Millisecond))
}

// retainUnread keeps the messages of a turn that ended before it had stored them: it was stopped
// while it waited for others, or could not begin. What was said is not lost with the answer.
func (g *Gateway) retainUnread(ctx context.Context, o owner.Owner, chat *Chat, b *batch, rec *live.Run) error {
	if b.accepted || rec.State == live.Completed || rec.Failure == nil || rec.Erased() {
		return nil
	}
	at := *chat
	if rec.Session != "" {
		at.Session = rec.Session // the chat may have been led to another one since
	}
	_, err := g.retain(ctx, o, &at, b)
	switch fault.KindOf(err) {
	case fault.Invalid, fault.TooLarge, fault.Forbidden: // that is why the turn did not begin, and is told
		return nil
	}
	return err
}
