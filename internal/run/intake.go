package run

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/recovery"
)

// intake is a turn's input on its way to the store.
type intake struct {
	step  atomic.Pointer[lineage.Step] // nil once it was taken
	write func(*lineage.Step) error
	done  chan error  // reports the outcome
	timer *time.Timer // sends it after [atOnce]; nil if it is sent at once
}

// atOnce is how long storing the input waits for an answer, so that both share one
// commit instead of two. Answers from memory or from a cache arrive within it. Waiting
// is free: a non-streaming answer is not sent before it is complete.
const atOnce = 250 * time.Millisecond

// hand starts storing the input: at once, or, if it may wait, after [atOnce] without an
// answer.
func (t *turn) hand(ctx context.Context, step *lineage.Step) {
	ctx = context.WithoutCancel(ctx)
	i := &intake{done: make(chan error, 1)}
	i.write = func(step *lineage.Step) error {
		defer step.Done()
		return t.runner.store.AppendTurn(ctx, t.req.Owner, *step)
	}
	i.step.Store(step)
	t.intake = i
	lost := recovery.Logged(ctx, t.runner.log, "the input of a turn")
	if t.mayWait() {
		i.timer = time.AfterFunc(atOnce, recovery.Func(i.send, lost))
		return
	}
	go recovery.Func(i.send, lost)()
}

// mayWait reports whether the input may be stored together with the answer. A streamed
// answer must not: none of it may be sent before the input is durable. A turn with a
// session key must not either: turns of other sessions may supersede its facts, and
// must find them stored.
func (t *laidOut) mayWait() bool { return t.inOnePiece() && t.req.Key == "" }

// inOnePiece reports whether no part of the answer is sent, and no tool is run, before
// the answer is complete.
func (t *laidOut) inOnePiece() bool { return !t.req.Streaming && t.box == nil }

// take returns the input if storing it has not begun; the caller then stores it.
// Otherwise it returns nil.
func (i *intake) take() *lineage.Step {
	i.timer.Stop() // otherwise every turn would wake a goroutine later on
	return i.step.Swap(nil)
}

// send stores the input unless it was taken.
func (i *intake) send() {
	if step := i.step.Swap(nil); step != nil {
		i.done <- recovery.Do(func() error { return i.write(step) })
	}
}

// wait returns once the input is stored.
func (i *intake) wait() error {
	i.send()
	return <-i.done
}
