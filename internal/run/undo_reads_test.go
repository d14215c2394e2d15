package run_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// counted is a store that counts the facts that are read from it.
type counted struct {
	memory.Archive
	facts atomic.Int64
}

func (c *counted) Facts(ctx context.Context, o owner.Owner, s memory.Scope, each func(*memory.StoredFact) bool) error {
	return c.Archive.Facts(ctx, o, s, func(f *memory.StoredFact) bool {
		c.facts.Add(1)
		return each(f)
	})
}

func (c *counted) FactsSince(
	ctx context.Context, o owner.Owner, s memory.Scope, after memory.FactNumber, limit int,
) ([]memory.StoredFact, error) {
	return c.count(c.Archive.FactsSince(ctx, o, s, after, limit))
}

func (c *counted) FactsNamed(ctx context.Context, o owner.Owner, s memory.Scope, ids []memory.FactID) ([]memory.StoredFact, error) {
	return c.count(c.Archive.FactsNamed(ctx, o, s, ids))
}

func (c *counted) FactsOfMessages(ctx context.Context, o owner.Owner, s memory.Scope, ids []int64) ([]memory.StoredFact, error) {
	return c.count(c.Archive.FactsOfMessages(ctx, o, s, ids))
}

func (c *counted) Shelf(
	ctx context.Context, o owner.Owner, s memory.Scope, of []memory.Section, behind memory.ShelfPlace, limit int,
) ([]memory.StoredFact, error) {
	return c.count(c.Archive.Shelf(ctx, o, s, of, behind, limit))
}

func (c *counted) count(facts []memory.StoredFact, err error) ([]memory.StoredFact, error) {
	c.facts.Add(int64(len(facts)))
	return facts, err
}

// indexed is a house whose session "s" has many facts, most of them in pieces, and the
// store that counts their reads.
func indexed(t *testing.T, facts int) (*house, *counted) {
	t.Helper()
	h := setup(t, 8000)
	store := &counted{Archive: h.db}
	h.views = memory.NewViews(store, 64<<20)
	h.runner = h.runs(run.Config{Budgets: compression.Budgets{Default: 8000}}, nil)
	keeper := memory.NewKeeper(h.views, slog.New(slog.DiscardHandler))
	keeper.Facts, keeper.Messages = memory.Sizes{Least: 8, Spare: 4}, memory.Sizes{Least: 8, Spare: 4}
	for i := range facts {
		h.chat("s", fmt.Sprintf("I met %s in %s.", made(i), made(i+1000)), false)
	}
	if err := keeper.Keep(context.Background(), owner.Local(), memory.Scope{Root: "s"}); err != nil {
		t.Fatal(err)
	}
	m, err := h.db.Manifest(context.Background(), owner.Local(), memory.Scope{Root: "s"})
	if err != nil || len(m.Run(memory.FactPiece)) == 0 {
		t.Fatalf("got the pieces %v, %v, want some of facts", m.Pieces, err)
	}
	store.facts.Store(0)
	return h, store
}

// made is a word that no other number gets.
func made(n int) string {
	const first, second = "bdfgklmnprst", "aeiou"
	word := ""
	for n += 500; n > 0; n /= len(first) * len(second) {
		word += string(first[n%len(first)]) + string(second[n/len(first)%len(second)]) + "x"
	}
	return "Q" + word
}

// TestUndoReadsNoOtherFacts: an undo, and the turn after it, read the facts of the undone
// messages and a bounded number of others, whether pieces have them or not.
func TestUndoReadsNoOtherFacts(t *testing.T) {
	t.Parallel()
	h, store := indexed(t, 60)
	scope := memory.Scope{Root: session.ID("s")}
	for n := range 12 { // the oldest of them are in a piece
		store.facts.Store(0)
		h.undo("s")
		if got := store.facts.Load(); got > 12 {
			t.Errorf("undo %d: read %d facts of about %d", n, got, 60-n)
		}
	}
	if got := len(h.beliefs(scope)); got < 40 || got > 50 {
		t.Errorf("got %d facts after the undos, want about 48", got)
	}
	h.chat("s", "The clock is in the attic now.", false)
	h.verify()
}
