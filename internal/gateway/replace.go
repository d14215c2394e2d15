package gateway

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/owner"
)

// isMissing reports whether an error says that a message cannot be edited, now or later.
func isMissing(err error) bool {
	failed, ok := errors.AsType[*SendError](err)
	return ok && failed.Reason == Missing
}

// inPlace does something with a message in its thread. If the thread is gone, it is done in the
// chat itself: an answer there is better than none. The message that is answered went with the
// thread.
func inPlace(out *Out, do func() error) error {
	err := do()
	failed, ok := errors.AsType[*SendError](err)
	threaded := out.Place.Thread != "" || out.Under != ""
	if !ok || failed.Reason != NoThread || !threaded {
		return err
	}
	out.Place.Thread, out.ReplyTo, out.Under = "", "", ""
	return do()
}

// edit brings a message that was sent up to date.
func edit(ctx context.Context, bot *Bot, s *Send) error {
	out := outOf(bot, s)
	return inPlace(out, func() error { return bot.Adapter.Edit(ctx, s.Message, out) })
}

// unsent reports whether a message is still to be sent, or perhaps sent. The platform's id that it
// has all the same is that of a message before it.
func (s *Send) unsent() bool { return s.State == ToSend || s.State == Sending || s.State == Doubtful }

// replace gives the text of a message that cannot be edited any more to another message. If parts
// of the same answer stand behind it, each shows the text of the part before it, and the last one
// is sent again: people read an answer in the order of its messages. The last one is stored first.
// A crash in between repeats a part, and loses none.
func (g *Gateway) replace(ctx context.Context, l *lane, s *Send, cause error) error {
	all, err := g.store.SendsOf(ctx, l.owner, l.place, s.Origin)
	if err != nil {
		return fmt.Errorf("read what was sent: %w", err)
	}
	parts := []*Send{s}
	for i := range all {
		if all[i].Part > s.Part && all[i].movable() {
			parts = append(parts, &all[i])
		}
	}
	last := len(parts) - 1
	parts[last].State, parts[last].Attempts = ToSend, 0
	for i := range parts[:last] {
		parts[i].State, parts[i].Message = ToEdit, parts[i+1].Message
	}
	g.drafts.lose(l.owner, s)
	for i := last; i >= 0; i-- {
		parts[i].Error = ""
		if err := g.mark(ctx, l, parts[i]); err != nil {
			return err
		}
	}
	g.log.Info("a message is gone, and its text is sent in another one", "platform", s.Place.Platform, "err", cause)
	return nil
}

// reviseMissing asks for an edit of the messages of a turn that were found to be gone while the answer
// was written, also if their text is the last one already: the edit sends them again.
func (g *Gateway) reviseMissing(ctx context.Context, o owner.Owner, chat *Chat, b *batch) error {
	d := g.drafts.of(o, chat.Place)
	if d == nil || d.run != b.run {
		return nil
	}
	gone := d.missing()
	if len(gone) == 0 {
		return nil
	}
	sent, err := g.store.SendsOf(ctx, o, chat.Place, b.run)
	if err != nil {
		return fmt.Errorf("read what was sent: %w", err)
	}
	for i := range sent {
		s := &sent[i]
		if s.State != Sent || !slices.Contains(gone, s.Part) {
			continue
		}
		s.State = ToEdit
		if err := g.store.MarkSend(ctx, o, s); err != nil {
			return fmt.Errorf("store the state of a message: %w", err)
		}
	}
	return nil
}

// movable reports whether a message that was sent can show another part of its answer.
func (s *Send) movable() bool {
	sent := s.State == Sent || s.State == ToEdit
	return sent && s.File == nil && len(s.Buttons) == 0
}
