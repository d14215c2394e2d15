package gateway_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// TestSentOnceWhileStored: a message is sent once, although other messages are sent to the chat while it
// is stored as being sent.
func TestSentOnceWhileStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.bot.Stream = false })
		defer h.end()
		h.receive(h.dm(ada, "Good morning."))
		h.settled()
		var delivered sync.WaitGroup
		h.ends = func() {
			h.ends = nil
			delivered.Go(func() {
				if err := deliver(t, h, "news", "News."); err != nil {
					t.Error(err)
				}
			})
			<-time.After(5 * time.Second) // the chat has its messages meanwhile
		}
		h.receive(h.dm(ada, "How are you?"))
		h.settled()
		delivered.Wait()
		want(t, "messages", h.wire.said(), []string{"You said: Good morning.", "You said: How are you?", "News."})
	})
}

// TestPutBack: an answer that must wait for its chat is stored as one that waits, not as one that may have
// been sent.
func TestPutBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.bot.Stream = false })
		defer h.end()
		for range 2 {
			h.receive(h.dm(ada, "/status"))
			synctest.Wait()
		}
		want(t, "messages at first", len(h.wire.said()), 1)
		list, err := h.db.Sends(t.Context(), h.bot.Owner, gateway.Place{Platform: gateway.Telegram, Account: "7", Chat: ada}, 10)
		if err != nil || len(list) != 1 || list[0].State != gateway.ToSend {
			t.Errorf("got %+v, %v, want one message that waits", list, err)
		}
		h.settled()
		want(t, "messages", len(h.wire.said()), 2)
	})
}

// TestBegunInTime: what is stored of a message when its request begins says that the request began then or later.
// The next server asks the platform only when the request must be over.
func TestBegunInTime(t *testing.T) {
	t.Parallel()
	for _, late := range []time.Duration{0, 900 * time.Millisecond, 3 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			h := setup(t, func(h *house) { h.bot.Stream = false })
			defer h.end()
			h.ends = func() { <-time.After(late) }
			h.wire.refuse = func(*gateway.Out) error {
				list, err := h.db.Sends(t.Context(), h.bot.Owner, gateway.Place{Platform: gateway.Telegram, Account: "7", Chat: ada}, 10)
				if err != nil || len(list) != 1 || list[0].State != gateway.Sending || list[0].WakeAt.Before(time.Now().Truncate(time.Millisecond)) {
					t.Errorf("late by %v: at %v: got %+v, %v, want it stored as being sent from now on", late, time.Now(), list, err)
				}
				return nil
			}
			h.receive(h.dm(ada, "Good morning."))
			h.settled()
			want(t, "messages", h.wire.said(), []string{"You said: Good morning."})
		})
	}
}

// TestBegunOverRestart: an answer that was stored as being sent, and was not, is sent by the next server.
func TestBegunOverRestart(t *testing.T) {
	t.Parallel()
	for _, finds := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			h := setup(t, func(h *house) {
				h.bot.Stream = false
				if finds {
					h.adapter = finder{h.wire}
				}
			})
			defer func() { h.end() }()
			h.ends = func() { h.stop() }
			h.receive(h.dm(ada, "Good morning."))
			h.settled()
			want(t, "messages before the restart", h.wire.said(), []string(nil))
			h.ends = nil
			h.end()
			h.begin()
			h.settled()
			want(t, "messages after it", h.wire.said(), []string{"You said: Good morning."})
		})
	}
}
