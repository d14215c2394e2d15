package memory

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/pairtest"
	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// rows are the facts of one scope as the store keeps them.
type rows struct {
	Archive  // of which only the methods below are used
	byNumber map[FactNumber]StoredFact
}

// write stores what a state has learnt.
func (r *rows) write(c Change) {
	marks := map[FactNumber]Mark{}
	for _, m := range c.Marks {
		marks[m.Number] = m
	}
	part := map[int64]int{}
	for _, f := range c.Learned {
		n := NumberOf(f.Source.MessageID, part[f.Source.MessageID])
		part[f.Source.MessageID]++
		r.byNumber[n] = StoredFact{f, marks[n]}
	}
	for _, f := range c.Superseded {
		for n, row := range r.byNumber {
			if row.ID == f.ID {
				row.SupersededBy, row.SupersededAt = f.SupersededBy, f.SupersededAt
				r.byNumber[n] = row
			}
		}
	}
	for n, m := range marks {
		row := r.byNumber[n]
		row.Mark = m
		r.byNumber[n] = row
	}
}

func (r *rows) pick(keep func(*StoredFact) bool) (out []StoredFact) {
	for _, row := range r.byNumber {
		if keep(&row) {
			out = append(out, row)
		}
	}
	slices.SortFunc(out, func(a, b StoredFact) int { return cmp.Compare(a.Number, b.Number) })
	return out
}

func (r *rows) FactsOfMessages(_ context.Context, _ owner.Owner, _ Scope, ids []int64) ([]StoredFact, error) {
	return r.pick(func(f *StoredFact) bool { return slices.Contains(ids, f.Number.Message()) }), nil
}

func (r *rows) FactsNamed(_ context.Context, _ owner.Owner, _ Scope, ids []FactID) ([]StoredFact, error) {
	return r.pick(func(f *StoredFact) bool { return slices.Contains(ids, f.ID) }), nil
}

func (r *rows) Quotes(_ context.Context, _ owner.Owner, places []Place) (out []ranking.Document, err error) {
	for _, f := range r.pick(func(f *StoredFact) bool { return slices.Contains(places, Place{f.Source.Root, f.Source.Seq}) }) {
		out = append(out, ranking.Document{MessageID: f.Source.MessageID})
	}
	return out, nil
}

func (r *rows) Shelf(_ context.Context, _ owner.Owner, _ Scope, sec Section, behind ShelfPlace, limit int) ([]StoredFact, error) {
	out := r.pick(func(f *StoredFact) bool { return f.Section == sec && behind.before(f.Place()) })
	slices.SortFunc(out, func(a, b StoredFact) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(b.Number, a.Number))
	})
	return out[:min(limit, len(out))], nil
}

// divide makes pieces of the facts up to a message, at random places, some of them by
// merging smaller ones.
func (r *rows) divide(t *testing.T, random *rand.Rand, upTo int64) *stored {
	t.Helper()
	cache := piece.NewCache(1 << 20)
	out := &stored{ctx: t.Context(), store: r}
	open := func(span Span, count int, b piece.Blocks) factPart {
		p, err := piece.Open(t.Context(), b, cache, factFormat)
		if err != nil {
			t.Fatal(err)
		}
		return factPart{Piece{Span: span, Count: count}, readFacts(t.Context(), p)}
	}
	for first := int64(1); first <= upTo; {
		last := min(upTo, first+random.Int64N(40))
		s := NewState()
		s.rest(out, out.last())
		s.take(r.pick(func(f *StoredFact) bool { return first <= f.Number.Message() && f.Number.Message() <= last }))
		var b piece.Blocks
		if err := s.writeFacts(b.Emit); err != nil {
			t.Fatal(err)
		}
		out.parts = append(out.parts, open(Span{first, last}, len(s.order), b))
		if n := len(out.parts); n > 1 && random.IntN(3) == 0 {
			one, two := out.parts[n-2], out.parts[n-1]
			var merged piece.Blocks
			if err := mergeFacts([]*factReader{one.factReader, two.factReader}, merged.Emit); err != nil {
				t.Fatal(err)
			}
			out.parts = append(out.parts[:n-2], open(Span{one.First, two.Last}, one.Count+two.Count, merged))
		}
		first = last + 1
	}
	return out
}

// TestStateOverPieces: a state that reads its facts when it needs them learns, answers and
// shows what a state does that holds all of them, however the facts are divided.
func TestStateOverPieces(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(18, 1))
	said := remarks()
	random.Shuffle(len(said), func(i, j int) { said[i], said[j] = said[j], said[i] })
	whole, partly := NewState(), NewState()
	rested := FactNumber(0)
	kept := &rows{byNumber: map[FactNumber]StoredFact{}}
	for i, text := range said[:500] {
		d := spoken(int64(i+1), session.User, text)
		d.MessageID = int64(i + 1)
		facts := Distill(d, nil)
		want, got := whole.Learn(facts), partly.Learn(facts)
		kept.write(want)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("after %d messages, %q (-whole +over pieces):\n%s", i, text, diff)
		}
		if random.IntN(12) != 0 {
			continue
		}
		on := kept.divide(t, random, int64(i+1-random.IntN(5)))
		if on.last() < rested || random.IntN(3) == 0 {
			partly = NewState()
			partly.rest(on, on.last())
			partly.take(kept.pick(func(f *StoredFact) bool { return f.Number > on.last() }))
		}
		partly.rest(on, on.last())
		rested = on.last()
		agree(t, whole, partly, said[random.IntN(len(said))])
		if random.IntN(2) == 0 {
			before := partly.Size()
			partly.shed()
			if partly.Size() > before {
				t.Fatalf("shedding made %d bytes of %d", partly.Size(), before)
			}
			agree(t, whole, partly, said[random.IntN(len(said))])
		}
	}
}

// agree compares what two states show and find.
func agree(t *testing.T, whole, partly *State, question string) {
	t.Helper()
	at := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for _, budget := range []int{300, 1000, 100_000} {
		if diff := gocmp.Diff(whole.Block(budget, quarter, BlockOptions{}), partly.Block(budget, quarter, BlockOptions{})); diff != "" {
			t.Fatalf("block of %d (-whole +over pieces):\n%s", budget, diff)
		}
	}
	for _, q := range []string{question, "What did we decide?", "Why did we change it?", "Which reasons came up again and again?", "Which language do we use?"} {
		if diff := gocmp.Diff(whole.Match(q, at, 12), partly.Match(q, at, 12)); diff != "" {
			t.Fatalf("%q (-whole +over pieces):\n%s", q, diff)
		}
	}
	if partly.Len() != whole.Len() {
		t.Fatalf("got %d facts, want %d", partly.Len(), whole.Len())
	}
}

// remarks are statements of which some end others, and withdrawals.
func remarks() []string {
	var out []string
	for _, p := range slices.Concat(pairtest.Reversals(), pairtest.Controls()) {
		out = append(out, p.Was, p.Was, p.Now) // the second one is shown once the first has ended
	}
	for i := range len(out) / 10 {
		out = append(out, "Forget that.", fmt.Sprintf("Forget what I said about %s.", out[i*7%len(out)]), "We chose it because it is cheap.")
	}
	return out
}
