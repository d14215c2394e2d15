package gateway_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// TestDeliveriesAreNotLookedUp: what a platform tells of a message that is stored as sent costs no query. One that was
// not delivered after all is looked up.
func TestDeliveriesAreNotLookedUp(t *testing.T) {
	t.Parallel()
	onFinderToo(t, func(t *testing.T, change func(*house)) {
		h := setup(t, change)
		defer h.end()
		h.receive(h.dm(ada, "Hello."))
		pass(5 * time.Second)
		h.settled()
		list, err := h.db.SendsOf(t.Context(), h.bot.Owner, adas(h), h.newest().Run)
		if err != nil || len(list) != 1 || list[0].State != gateway.Sent {
			t.Fatalf("got %+v and %v, want one message that is sent", list, err)
		}
		told := func(kind gateway.EventKind) int64 {
			before := h.lookups.Load()
			e := h.dm(ada, "")
			e.Kind, e.Sent, e.Message = kind, list[0].ID, list[0].Message
			h.receive(e)
			return h.lookups.Load() - before
		}
		for range 3 {
			if n := told(gateway.Arrived); n != 0 {
				t.Errorf("got %d lookups of a message that was delivered, want none", n)
			}
		}
		if n := told(gateway.Failed); n != 1 {
			t.Errorf("got %d lookups of a message that was not delivered, want 1", n)
		}
		if n := told(gateway.Arrived); n != 1 {
			t.Errorf("got %d lookups of a message that is to be sent again or was given up, want 1", n)
		}
	})
}

// teller is a platform that tells that it has a message before it answers the request. ends reports whether it answers
// at all.
type teller struct {
	finder
	ends bool
	told chan error
}

// Send implements gateway.Adapter.
func (p teller) Send(ctx context.Context, o *gateway.Out) (gateway.MessageID, error) {
	e := gateway.Event{ID: "sent", Kind: gateway.Arrived, Type: gateway.DM, From: gateway.Sender{ID: ada}, Place: o.Place, Sent: o.ID}
	go func() { p.told <- p.wire.in.Commit(context.WithoutCancel(ctx), []gateway.Event{e}, "") }()
	if !p.ends {
		<-ctx.Done()
		return "", &gateway.SendError{Reason: gateway.Unknown, Text: "The platform gave no answer.", Err: ctx.Err()}
	}
	<-time.After(100 * time.Millisecond)
	return p.finder.Send(ctx, o)
}

// TestArrivedDuringATry: what a platform tells of a message whose try is under way waits for the end of the try, which
// says the same, and costs no query then. A try that does not end is not waited for.
func TestArrivedDuringATry(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		ends    bool
		lookups int64
	}{"answered": {true, 0}, "not answered": {false, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				told := make(chan error, 1)
				h := setup(t, func(h *house) { h.bot.Stream, h.adapter = false, teller{finder{h.wire}, want.ends, told} })
				defer h.end()
				h.receive(h.dm(ada, "Hello."))
				pass(5 * time.Second)
				if err := <-told; err != nil {
					t.Errorf("got %v, want it taken", err)
				}
				list, err := h.db.SendsOf(t.Context(), h.bot.Owner, adas(h), h.newest().Run)
				if err != nil || len(list) != 1 || list[0].State != gateway.Sent {
					t.Errorf("got %+v and %v, want one message that is sent", list, err)
				}
				if n := h.lookups.Load(); n != want.lookups {
					t.Errorf("got %d lookups, want %d", n, want.lookups)
				}
			})
		})
	}
}
