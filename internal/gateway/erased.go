package gateway

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/owner"
)

// What takes the place of an answer that was deleted before its end, also of the part that a chat shows. None of the
// deleted text is stored again for it.
const (
	textDeleted = "🗑️ This conversation was deleted before the answer was complete."
	textDropped = "🗑️ This answer was deleted before it was complete."
)

// settleErased ends a turn that was deleted while it was under way. It returns the messages as conclude does.
func (g *Gateway) settleErased(ctx context.Context, bot *Bot, o owner.Owner, chat *Chat, b *batch, rec *live.Run) (allSends, error) {
	text, reason := textDeleted, ""
	switch {
	case b.erased():
		text, reason = textErased, reasonErased
	case !rec.Erased():
		if _, err := g.sessions.Tip(ctx, o, chat.Session); err == nil {
			text = textDropped
		}
	}
	shown, err := g.endShown(ctx, o, chat, b.run, text)
	if err != nil {
		return allSends{}, err
	}
	m := &message{}
	if !shown {
		m.text = text // the person waits for an answer
	}
	s := Settlement{Place: chat.Place, Events: b.names(), State: Answered, Reason: reason, Session: rec.Session, At: g.moment()}
	return g.conclude(ctx, bot, o, chat, b, &s, m)
}

// endShown has the messages that show a part of a turn's answer show a text instead. It reports whether there are
// any. The store may have deleted them with the session, or be about to.
func (g *Gateway) endShown(ctx context.Context, o owner.Owner, chat *Chat, run, text string) (bool, error) {
	list, err := g.shownOf(ctx, o, chat, run)
	if err != nil || len(list) == 0 {
		return false, err
	}
	now := g.moment()
	for i := range list {
		s := &list[i]
		s.State, s.Text, s.WakeAt = ToEdit, text, now.Add(time.Minute) // not before the id of the message is stored
		if text = emptied; s.CreatedAt.IsZero() {
			s.CreatedAt = now
		}
	}
	if err := g.store.AddSends(ctx, o, list); err != nil {
		return false, fmt.Errorf("end what is shown of a deleted answer: %w", err)
	}
	for i := range list {
		if list[i].Message == "" { // it is being sent: its text is another one by now
			continue
		}
		list[i].WakeAt = time.Time{}
		if err := g.store.MarkSend(ctx, o, &list[i]); err != nil && fault.KindOf(err) != fault.NotFound {
			return false, fmt.Errorf("end what is shown of a deleted answer: %w", err)
		}
	}
	return true, nil
}

// shownOf are the messages that show a part of a turn's answer, as the store has them, or else as they were shown.
func (g *Gateway) shownOf(ctx context.Context, o owner.Owner, chat *Chat, run string) ([]Send, error) {
	list, err := g.store.SendsOf(ctx, o, chat.Place, run)
	if err != nil {
		return nil, fmt.Errorf("read what was sent: %w", err)
	}
	d := g.drafts.of(o, chat.Place)
	if d == nil || d.run != run {
		return list, nil
	}
	for part, message := range d.messages() {
		if message == "" || slices.ContainsFunc(list, func(s Send) bool { return s.Part == part }) {
			continue
		}
		list = append(list, Send{
			ID: sendID(o, chat.Place, run, part), Place: chat.Place, Type: chat.Type, Origin: run, Part: part, Message: message,
		})
	}
	slices.SortFunc(list, func(x, y Send) int { return x.Part - y.Part })
	return list, nil
}
