package gateway_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// TestAFullDiskRepeatsNothing: a message is sent once, although the store cannot say for long that it was.
func TestAFullDiskRepeatsNothing(t *testing.T) {
	t.Parallel()
	onFinderToo(t, func(t *testing.T, change func(*house)) {
		h := setup(t, change)
		defer h.end()
		var tries atomic.Int64
		h.marks = func() error {
			if tries.Add(1) < 6 {
				return errors.New("the disk is full")
			}
			return nil
		}
		h.receive(h.dm(ada, "Hello."))
		pass(3 * time.Minute)
		h.settled()
		want(t, "sent", h.wire.said(), []string{"You said: Hello."})
		if tries.Load() < 6 {
			t.Errorf("got %d tries to store the state, want 6 at least", tries.Load())
		}
		list, err := h.db.Sends(t.Context(), h.bot.Owner, adas(h), 10)
		if err != nil || len(list) != 0 {
			t.Errorf("got %+v and %v to be sent, want nothing", list, err)
		}
	})
}

// adas is the chat of Ada.
func adas(h *house) gateway.Place {
	at := h.dm(ada, "").Place
	at.Platform, at.Account = h.wire.Platform(), h.bot.Account
	return at
}

// TestChangedWhileTheDiskIsFull: a message that was sent is edited if it gets another text before the store can
// say that it was sent.
func TestChangedWhileTheDiskIsFull(t *testing.T) {
	t.Parallel()
	onFinderToo(t, func(t *testing.T, change func(*house)) {
		h := setup(t, change)
		defer h.end()
		var full atomic.Bool
		h.wire.lose = func(*gateway.Out) error {
			full.Store(true)
			return nil
		}
		h.marks = func() error {
			if full.Load() {
				return errors.New("the disk is full")
			}
			return nil
		}
		h.receive(h.dm(ada, "Hello."))
		pass(5 * time.Second)
		list, err := h.db.Sends(t.Context(), h.bot.Owner, adas(h), 10)
		if err != nil || len(list) != 1 {
			t.Fatalf("got %+v and %v to be sent, want one message", list, err)
		}
		list[0].Text = "You said nothing."
		if err := h.db.AddSends(t.Context(), h.bot.Owner, list); err != nil {
			t.Fatal(err)
		}
		h.wire.mu.Lock()
		h.wire.lose = nil
		h.wire.mu.Unlock()
		full.Store(false)
		pass(3 * time.Minute)
		h.settled()
		want(t, "shown", h.wire.said(), []string{"You said nothing."})
	})
}
