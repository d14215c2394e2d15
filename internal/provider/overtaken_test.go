package provider_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/provider"
)

// beforeKeep does something before the progress is kept for a certain time.
type beforeKeep struct {
	provider.Tellings
	left int
	do   func()
}

func (b *beforeKeep) KeepTold(ctx context.Context, o owner.Owner, to string, task curate.Task, p *provider.Progress) error {
	if b.left--; b.left == 0 {
		b.do()
	}
	return b.Tellings.KeepTold(ctx, o, to, task, p)
}

// TestBackfillMeanwhile: a backfill that begins while its lineage is told, before or behind the call,
// tells the rest of it, and nothing twice.
func TestBackfillMeanwhile(t *testing.T) {
	t.Parallel()
	for keep := 1; keep <= 3; keep++ {
		t.Run(fmt.Sprintf("before keep %d", keep), func(t *testing.T) {
			t.Parallel()
			h := build(t, func(p *provider.Parts) { p.Provider = nil })
			h.say("s", "", "before")
			h.later(time.Minute)
			overtake := &beforeKeep{left: keep}
			overtake.do = func() {
				if _, err := h.manager.Backfill(t.Context(), owner.Local()); err != nil {
					t.Error(err)
				}
			}
			h.restart(func(p *provider.Parts) { overtake.Tellings, p.Tellings = p.Tellings, overtake })
			h.say("s", "", "on")
			h.catchUp()
			if overtake.left > 0 {
				t.Fatal("no backfill began")
			}
			got := h.texts("hermes", "s")
			slices.Sort(got)
			if want := []string{"before", "ok", "ok", "on"}; !slices.Equal(got, want) {
				t.Errorf("told %q, want %q", got, want)
			}
		})
	}
}

// TestEmptiedMeanwhile: what stood in a place that was emptied while its lineage was told is told again.
func TestEmptiedMeanwhile(t *testing.T) {
	t.Parallel()
	for keep := 1; keep <= 3; keep++ {
		t.Run(fmt.Sprintf("before keep %d", keep), func(t *testing.T) {
			t.Parallel()
			overtake := &beforeKeep{}
			h := build(t, func(p *provider.Parts) { overtake.Tellings, p.Tellings = p.Tellings, overtake })
			h.say("s", "key", "one")
			h.catchUp()
			overtake.left = keep
			overtake.do = func() {
				if _, err := h.db.EmptyPlace(t.Context(), owner.Local(), "honcho@test", "key", true); err != nil {
					t.Error(err)
				}
			}
			h.say("s", "key", "two")
			h.catchUp()
			h.later(time.Hour)
			h.catchUp()
			if overtake.left > 0 {
				t.Fatal("no place was emptied")
			}
			for _, text := range []string{"one", "two"} {
				if !h.holds(text) {
					t.Errorf("%q is not told", text)
				}
			}
		})
	}
}
