package run

import (
	"context"
	"sync/atomic"
	"time"
)

// intake is a turn's input on its way to the store.
type intake struct {
	step  atomic.Pointer[Step] // until somebody takes it
	write func(*Step) error
	done  chan error // its outcome, for the one who waits
}

// atOnce is how long an answer may take to be stored together with its input: one
// commit instead of two. Answers out of memory come within it, and those of a
// cache; to wait so long costs nobody anything, since nothing of such an answer
// goes out before its end.
const atOnce = 25 * time.Millisecond

// hand gives the input to the store: at once, or when the answer is not there
// [atOnce].
func (t *turn) hand(ctx context.Context, step *Step) {
	ctx = context.WithoutCancel(ctx)
	i := &intake{done: make(chan error, 1)}
	i.write = func(step *Step) error { return t.runner.store.AppendTurn(ctx, t.req.Owner, *step) }
	i.step.Store(step)
	t.intake = i
	if t.mayWait() {
		time.AfterFunc(atOnce, i.send)
		return
	}
	go i.send()
}

// mayWait reports whether the input may be stored with the answer. It may not if the
// answer is passed on as it comes, for nothing of it may go out before the input is
// durable. The facts of a session key are superseded by turns of other sessions,
// which are stored on their own: they must find them.
func (t *turn) mayWait() bool { return t.inOnePiece() && t.req.Key == "" }

// inOnePiece reports whether nothing of the answer goes out, and no tool is run,
// before the answer has ended.
func (t *turn) inOnePiece() bool { return !t.req.Streaming && t.box == nil }

// take returns the input if nobody has begun to store it, and leaves that to the
// caller; nil if somebody has.
func (i *intake) take() *Step { return i.step.Swap(nil) }

// send stores the input unless somebody has taken it.
func (i *intake) send() {
	if step := i.take(); step != nil {
		i.done <- i.write(step)
	}
}

// wait returns once the input is stored.
func (i *intake) wait() error {
	i.send()
	return <-i.done
}

// with returns the step that stores the input and its answer together.
func (s *Step) with(answer *Step) Step {
	both := *answer
	both.Ended, both.Opened = s.Ended, s.Opened
	if s.Title != "" {
		both.Title, both.Session.Title = s.Title, "" // the store gives it, in its free form
	}
	both.Messages = append(s.Messages[:len(s.Messages):len(s.Messages)], answer.Messages...)
	both.Changes = append(s.Changes[:len(s.Changes):len(s.Changes)], answer.Changes...)
	if both.Finished == nil {
		both.Pending = s.Pending
	}
	return both
}
