package gateway_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// onFinderToo runs a test with a platform that cannot be asked for messages, and with one that can.
func onFinderToo(t *testing.T, test func(t *testing.T, change func(*house))) {
	t.Helper()
	for name, finds := range map[string]bool{"cannot be asked": false, "can be asked": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				test(t, func(h *house) {
					h.bot.Stream = false
					if finds {
						h.adapter = finder{h.wire}
					}
				})
			})
		})
	}
}

// TestSettledThoughItFailed: the answer to a command is sent, although the store did not say that it has stored it.
func TestSettledThoughItFailed(t *testing.T) {
	t.Parallel()
	onFinderToo(t, func(t *testing.T, change func(*house)) {
		h := setup(t, change)
		defer h.end()
		h.loses = func() error {
			h.loses = nil
			return errors.New("the connection is lost")
		}
		h.receive(h.dm(ada, "/status"))
		h.settled()
		want(t, "messages", len(h.wire.said()), 1)
	})
}

// TestMovedInARequest: an answer is sent once, although its chat gets another id while a request for it is under way.
func TestMovedInARequest(t *testing.T) {
	t.Parallel()
	onFinderToo(t, func(t *testing.T, change func(*house)) {
		h := setup(t, func(h *house) { change(h); h.bot.Chats = []string{"-42"} })
		defer h.end()
		var moving sync.WaitGroup
		h.wire.refuse = func(o *gateway.Out) error {
			if o.Place.Chat != "-42" {
				return nil
			}
			h.wire.mu.Unlock()
			defer h.wire.mu.Lock()
			moved := h.group("2", "Bea", "", false)
			moved.Kind, moved.MovedTo = gateway.Moved, "-100"
			moving.Go(func() { h.receive(moved) })
			<-time.After(10 * time.Second)
			return &gateway.SendError{Reason: gateway.Elsewhere, MovedTo: "-100", Text: "moved"}
		}
		h.receive(h.group("2", "Bea", "Hello.", true))
		h.settled()
		moving.Wait()
		want(t, "messages", h.wire.said(), []string{"You said: Hello."})
		want(t, "places", h.wire.places(), []string{"-100"})
	})
}

// TestMovedWhileSettled: an answer is sent once, although its chat gets another id just before the turn is settled.
func TestMovedWhileSettled(t *testing.T) {
	t.Parallel()
	onFinderToo(t, func(t *testing.T, change func(*house)) {
		h := setup(t, func(h *house) { change(h); h.bot.Chats = []string{"-42"} })
		defer h.end()
		var moving sync.WaitGroup
		h.fails = func() error {
			h.fails = nil
			moved := h.group("2", "Bea", "", false)
			moved.Kind, moved.MovedTo = gateway.Moved, "-100"
			moving.Go(func() { h.receive(moved) })
			moving.Wait()
			return nil
		}
		h.receive(h.group("2", "Bea", "Hello.", true))
		h.settled()
		want(t, "messages", h.wire.said(), []string{"You said: Hello."})
		want(t, "places", h.wire.places(), []string{"-100"})
	})
}
