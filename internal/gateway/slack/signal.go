package slack

import (
	"context"
	"errors"
	"time"

	api "github.com/slack-go/slack"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// The reactions that stand for marks, as bits.
const (
	waits marks = 1 << iota
	works
	broke
	typing
)

// markLife is how long the marks of a message are remembered.
const markLife = 24 * time.Hour

// marks are what a message carries, or a thread shows.
type marks int

// emoji are the names of the reactions.
func emoji(m marks) string {
	switch m {
	case waits:
		return "hourglass_flowing_sand"
	case works:
		return "eyes"
	default:
		return "x"
	}
}

// Signal shows a mark: a reaction, or in a thread the status "is typing". Slack has no such
// status elsewhere. A mark that is there already, or gone already, is no error.
func (a *Adapter) Signal(ctx context.Context, at gateway.Place, m gateway.MessageID, mark gateway.Mark) error {
	if mark == gateway.Typing {
		return a.status(ctx, at, "is typing…")
	}
	if m == "" {
		return nil
	}
	want := map[gateway.Mark]marks{gateway.Waits: waits, gateway.Works: works, gateway.Broke: broke}[mark]
	key := at.Chat + ":" + string(m)
	now := a.now()
	has, known := a.marks.get(key, now)
	if !known {
		has = a.left(m, want)
	}
	err := a.exchange(ctx, at, m, has, want)
	if err == nil {
		has = 0
	}
	a.marks.put(key, has|want, now, now.Add(markLife)) // whatever is perhaps there is taken away later
	if mark == gateway.Broke || mark == gateway.Clear {
		err = errors.Join(err, a.untype(ctx, at))
	}
	return err
}

// left are the marks that an adapter before this one may have left on a message. A message that is
// marked as broken is over, and gets no other mark.
func (a *Adapter) left(m gateway.MessageID, want marks) marks {
	switch {
	case want == waits || !a.earlier(m):
		return 0
	case want == works: // is there already, or is put there now
		return waits
	}
	return (waits | works) &^ want
}

// exchange shows one mark, or none, in place of others.
func (a *Adapter) exchange(ctx context.Context, at gateway.Place, m gateway.MessageID, has, want marks) error {
	var errs []error
	if has&want == 0 {
		errs = append(errs, a.react(ctx, at, m, want))
	}
	for _, other := range []marks{waits, works, broke} {
		if has&other&^want != 0 {
			errs = append(errs, a.unreact(ctx, at, m, other))
		}
	}
	return errors.Join(errs...)
}

// earlier reports whether a message is older than the adapter.
func (a *Adapter) earlier(m gateway.MessageID) bool {
	at, ok := clock(string(m))
	return ok && at.Before(a.started)
}

func (a *Adapter) react(ctx context.Context, at gateway.Place, m gateway.MessageID, mark marks) error {
	if mark == 0 {
		return nil
	}
	return except(a.api.AddReactionContext(ctx, emoji(mark), api.NewRefToMessage(at.Chat, string(m))), "already_reacted")
}

func (a *Adapter) unreact(ctx context.Context, at gateway.Place, m gateway.MessageID, mark marks) error {
	return except(a.api.RemoveReactionContext(ctx, emoji(mark), api.NewRefToMessage(at.Chat, string(m))), "no_reaction")
}

// except is an error without the one that says that all is as it should be.
func except(err error, code string) error {
	if isCode(err, code) {
		return nil
	}
	if err != nil {
		return failure(err, false)
	}
	return nil
}

// typingKey names the status of a thread among the marks.
func typingKey(at gateway.Place) string { return "typing:" + at.Chat + ":" + at.Thread }

// status sets the status of a thread.
func (a *Adapter) status(ctx context.Context, at gateway.Place, text string) error {
	if at.Thread == "" {
		return nil
	}
	now := a.now()
	a.marks.put(typingKey(at), typing, now, now.Add(a.Limits().Typing))
	p := api.AssistantThreadsSetStatusParameters{ChannelID: at.Chat, ThreadTS: at.Thread, Status: text}
	return except(a.api.SetAssistantThreadsStatusContext(ctx, p), "")
}

// untype takes the status of a thread away, if there is one. Slack does so itself when a
// message is sent.
func (a *Adapter) untype(ctx context.Context, at gateway.Place) error {
	key := typingKey(at)
	if _, ok := a.marks.get(key, a.now()); !ok {
		return nil
	}
	err := a.status(ctx, at, "")
	a.marks.drop(key)
	return err
}
