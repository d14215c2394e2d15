package run_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
)

// weighed is a store of sessions that weighs the texts which are read from it.
type weighed struct {
	session.Store
	bytes atomic.Int64
}

func (w *weighed) Messages(ctx context.Context, o owner.Owner, root session.ID, r session.Range) ([]session.Message, error) {
	ms, err := w.Store.Messages(ctx, o, root, r)
	for i := range ms {
		w.bytes.Add(int64(ms[i].Size()))
	}
	return ms, err
}

// append brings messages into a session.
func (h *house) append(id session.ID, ms ...session.Message) {
	h.t.Helper()
	if _, _, err := h.curator.Append(context.Background(), &curate.Addition{Owner: owner.Local(), Session: id, Source: session.SourceAPI, Messages: ms}); err != nil {
		h.t.Fatal(err)
	}
}

// TestAppendReadsNothing: a session takes in large messages without a look at those
// it has, stays one chain, and its next turn sees all of them.
func TestAppendReadsNothing(t *testing.T) {
	t.Parallel()
	h := setup(t, 2_000_000)
	scales := &weighed{Store: h.db}
	h.runner, h.curator = runtest.New(h.db, &runtest.Parts{
		Store: h.store, Views: h.views, Sessions: scales, Models: run.Models{Upstream: h.model},
		Config: run.Config{Budgets: compression.Budgets{Model: "parrot", Default: 2_000_000}, Now: h.time},
	})
	var said []session.Message
	for _, word := range []string{"one ", "two ", "three ", "four "} {
		said = append(said, session.Message{Role: session.User, Content: strings.Repeat(word, 120_000)})
	}
	for _, m := range said {
		h.append("apart", m)
	}
	if n := scales.bytes.Load(); n != 0 {
		t.Errorf("read %d bytes of messages to add some, want none", n)
	}
	h.append("once", slices.Clone(said)...)
	apart, once := h.transcript("apart"), h.transcript("once")
	if diff := cmp.Diff(words(once), words(apart)); diff != "" {
		t.Fatalf("transcript (-want +got):\n%.2000s", diff)
	}
	if last := len(said) - 1; !cmp.Equal(apart[last].Hash, once[last].Hash) || apart[last].Seq != int64(last) {
		t.Errorf("got %d with the hash %x, want %x: the chain is broken", apart[last].Seq, apart[last].Hash, once[last].Hash)
	}
	h.chat("apart", "And now?", false)
	shown := strings.Join(words(h.model.last()), "\n")
	for _, m := range said {
		if !strings.Contains(shown, m.Content) {
			t.Errorf("the model was not shown %.10q…", m.Content)
		}
	}
}

// TestAppendedAnswerNames: an answer that is added names its session after what was
// said before, however large that is.
func TestAppendedAnswerNames(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	h.append("s", session.Message{Role: session.User, Content: "Sharpen the kitchen knives. " + strings.Repeat("word ", 220_000)})
	h.append("s", session.Message{Role: session.Assistant, Content: "Done."}, session.Message{Role: session.User, Content: "Plan a trip to Rome."})
	tip, err := h.db.Tip(t.Context(), owner.Local(), "s")
	if err != nil || tip.Title != "Sharpen the kitchen knives" {
		t.Errorf("got the title %q, %v, want one of the first message", tip.Title, err)
	}
}

// TestImportStoresLargeMessages: a large message is stored before the next one is
// asked for.
func TestImportStoresLargeMessages(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	s := session.Session{ID: "s", RootID: "s", StartedAt: h.now, LastActive: h.now}
	texts := []string{"small", strings.Repeat("large ", 800_000), "small", strings.Repeat("large ", 800_000), "small"}
	seen := []int{}
	got, err := h.curator.Import(t.Context(), &curate.Archived{
		Owner: owner.Local(), Sessions: []session.Session{s},
		Messages: func(yield func(session.Message, error) bool) {
			for _, text := range texts {
				ms, err := h.db.Messages(t.Context(), owner.Local(), "s", session.Range{})
				seen = append(seen, len(ms))
				if err != nil || !yield(session.Message{SessionID: "s", Role: session.User, Content: text, SaidAt: h.now, RecordedAt: h.now}, nil) {
					return
				}
			}
		},
	})
	if err != nil || got.Messages != len(texts) {
		t.Fatalf("got %d messages, %v", got.Messages, err)
	}
	if diff := cmp.Diff([]int{0, 0, 2, 2, 4}, seen); diff != "" {
		t.Errorf("stored when the next one was asked for (-want +got):\n%s", diff)
	}
}
