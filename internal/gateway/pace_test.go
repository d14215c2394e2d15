package gateway_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/run"
)

// drafter is a wire that shows drafts in private chats. refuseDraft refuses one; it may be nil.
type drafter struct {
	*wire
	refuseDraft func() error

	drawing sync.Mutex
	drafts  []string
}

func (d *drafter) Draft(_ context.Context, _ int64, o *gateway.Out) error {
	d.drawing.Lock()
	defer d.drawing.Unlock()
	if d.refuseDraft != nil {
		if err := d.refuseDraft(); err != nil {
			return err
		}
	}
	d.drafts = append(d.drafts, o.Text)
	return nil
}

// Signal refuses, too.
func (d *drafter) Signal(ctx context.Context, at gateway.Place, m gateway.MessageID, mark gateway.Mark) error {
	if d.refuseDraft != nil {
		if err := d.refuseDraft(); err != nil {
			return err
		}
	}
	return d.wire.Signal(ctx, at, m, mark)
}

// drawn are the drafts so far.
func (d *drafter) drawn() []string {
	d.drawing.Lock()
	defer d.drawing.Unlock()
	return append([]string(nil), d.drafts...)
}

// slowly answers for a number of half seconds.
func slowly(n int) func(context.Context, *run.Prompt, func(string)) error {
	return func(_ context.Context, _ *run.Prompt, say func(string)) error {
		for range n {
			say("A few words more. ")
			pass(500 * time.Millisecond)
		}
		return nil
	}
}

// TestAFloodWaitOfDrafts: after a draft that the platform asks to wait for, the chat rests, also
// over a restart: neither drafts nor marks nor messages are sent.
func TestAFloodWaitOfDrafts(t *testing.T) {
	t.Parallel()
	for _, restarts := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) { waitForDrafts(t, restarts) })
	}
}

func waitForDrafts(t *testing.T, restarts bool) {
	d := &drafter{}
	h := setup(t, func(h *house) { d.wire, h.adapter = h.wire, d })
	defer h.end()
	var until time.Time
	during := 0
	wait := func() error {
		switch left := time.Until(until); {
		case until.IsZero() && len(d.drafts) == 3:
			until = time.Now().Add(20 * time.Second)
		case left > 0:
			during++
		default:
			return nil
		}
		return &gateway.SendError{Reason: gateway.Limited, After: time.Until(until), Text: "wait"}
	}
	d.refuseDraft = wait
	h.wire.refuse = func(*gateway.Out) error { return wait() }
	h.model.script = slowly(24) // the answer is complete before the wait is over
	h.receive(h.dm(ada, "Tell me."))
	if restarts {
		pass(6 * time.Second)
		h.end()
		h.begin()
	}
	h.settled()
	h.settled()
	want(t, "requests during the wait", during, 0)
	want(t, "messages", len(h.wire.said()), 2) // the parts of the answer
	h.wire.mu.Lock()
	marks := h.wire.marks
	h.wire.mu.Unlock()
	if n := len(marks); n == 0 || marks[n-1] != gateway.Clear {
		t.Errorf("got the marks %v, want them cleared at the end", marks)
	}
}

// TestRefusedDrafts: where the platform refuses drafts, a message is sent and edited.
func TestRefusedDrafts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &drafter{refuseDraft: func() error { return &gateway.SendError{Reason: gateway.Refused, Text: "no drafts"} }}
		h := setup(t, func(h *house) { d.wire, h.adapter = h.wire, d })
		defer h.end()
		h.model.script = slowly(60)
		h.receive(h.dm(ada, "Tell me."))
		pass(6 * time.Second)
		if said := h.wire.said(); len(said) != 1 || !strings.HasPrefix(said[0], "A few words more.") {
			t.Errorf("after six seconds: got %q, want the beginning of the answer", said)
		}
		h.settled()
		h.settled()
		want(t, "drafts", len(d.drawn()), 0)
		words := strings.Fields(strings.Join(h.wire.said(), " "))
		want(t, "words of the answer", len(words), 4*60)
	})
}
