package memory

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
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
	byID     map[FactID]FactNumber
	asked    int // how many ids were looked up
}

func newRows() *rows {
	return &rows{byNumber: map[FactNumber]StoredFact{}, byID: map[FactID]FactNumber{}}
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
		r.byNumber[n], r.byID[f.ID] = StoredFact{f, marks[n]}, n
	}
	for _, f := range c.Superseded {
		row := r.byNumber[r.byID[f.ID]]
		row.SupersededBy, row.SupersededAt, row.Links = f.SupersededBy, f.SupersededAt, f.Links
		r.byNumber[row.Number] = row
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

func (r *rows) FactsNumbered(_ context.Context, _ owner.Owner, _ Scope, numbers []FactNumber) ([]StoredFact, error) {
	return r.pick(func(f *StoredFact) bool { return slices.Contains(numbers, f.Number) }), nil
}

func (r *rows) FactsNamed(_ context.Context, _ owner.Owner, _ Scope, ids []FactID) ([]StoredFact, error) {
	r.asked += len(ids)
	return r.pick(func(f *StoredFact) bool { return slices.Contains(ids, f.ID) }), nil
}

func (r *rows) Quotes(_ context.Context, _ owner.Owner, places []Place) (out []ranking.Document, err error) {
	for _, f := range r.pick(func(f *StoredFact) bool { return slices.Contains(places, Place{f.Source.Root, f.Source.Seq}) }) {
		out = append(out, ranking.Document{MessageID: f.Source.MessageID})
	}
	return out, nil
}

func (r *rows) Shelf(_ context.Context, _ owner.Owner, _ Scope, of []Section, behind ShelfPlace, limit int) ([]StoredFact, error) {
	var all []StoredFact
	for _, sec := range of {
		out := r.pick(func(f *StoredFact) bool { return f.Section == sec && behind.before(f.Place()) })
		slices.SortFunc(out, func(a, b StoredFact) int {
			return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(b.Number, a.Number))
		})
		all = append(all, out[:min(limit, len(out))]...)
	}
	return all, nil
}

// divide makes pieces of the facts up to a message, at random places, some of them by
// merging smaller ones.
func (r *rows) divide(t *testing.T, random *rand.Rand, upTo int64) *stored {
	t.Helper()
	out, cache := &stored{source: &source{ctx: t.Context(), store: r}}, piece.NewCache(1<<20)
	for first := int64(1); first <= upTo; {
		last := min(upTo, first+random.Int64N(40))
		r.extend(t, out, cache, Span{first, last})
		if n := len(out.parts); n > 1 && random.IntN(3) == 0 {
			one, two := out.parts[n-2], out.parts[n-1]
			var merged piece.Blocks
			if err := mergeFacts([]*factReader{one.factReader, two.factReader}, merged.Emit); err != nil {
				t.Fatal(err)
			}
			out.parts = append(out.parts[:n-2], opened(t, cache, Span{one.First, two.Last}, one.Count+two.Count, merged))
		}
		first = last + 1
	}
	return out
}

// extend adds a piece of the facts of some messages to an archive.
func (r *rows) extend(t testing.TB, to *stored, cache *piece.Cache, of Span) {
	t.Helper()
	s := NewState()
	s.rest(to, to.last())
	s.take(r.pick(func(f *StoredFact) bool { return of.Holds(f.Number.Message()) }))
	var b piece.Blocks
	if err := s.writeFacts(len(s.order), b.Emit); err != nil {
		t.Fatal(err)
	}
	to.parts = append(to.parts, opened(t, cache, of, len(s.order), b))
}

// opened is a piece of some blocks.
func opened(t testing.TB, cache *piece.Cache, of Span, count int, b piece.Blocks) factPart {
	t.Helper()
	p, err := piece.Open(t.Context(), b, cache, factFormat)
	if err != nil {
		t.Fatal(err)
	}
	return factPart{Piece{Span: of, Count: count}, readFacts(t.Context(), p), p}
}

// TestStateOverPieces: a state that reads its facts when it needs them learns, answers and
// shows what a state does that holds all of them, however the facts are divided.
func TestStateOverPieces(t *testing.T) {
	t.Parallel()
	for name, day := range map[string]func(random *rand.Rand, seq int) int{
		"in the order said":   func(_ *rand.Rand, seq int) int { return seq },
		"in another order":    func(random *rand.Rand, _ int) int { return random.IntN(300) },
		"two exports":         func(_ *rand.Rand, seq int) int { return seq%150 + 3*(seq/150) },
		"the newer one first": func(_ *rand.Rand, seq int) int { return 1000*(1-seq/150) + seq },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stateOverPieces(t, day)
		})
	}
}

// stateOverPieces tests with messages that were said on some days.
func stateOverPieces(t *testing.T, day func(random *rand.Rand, seq int) int) {
	t.Helper()
	random := rand.New(rand.NewPCG(18, 1))
	said := remarks()
	random.Shuffle(len(said), func(i, j int) { said[i], said[j] = said[j], said[i] })
	whole, partly := NewState(), forgetful()
	rested, dropped := FactNumber(0), false
	kept := newRows()
	for i := range 300 {
		text := strings.Join(said[2*i:2*i+1+random.IntN(2)], ". ")
		d := spoken(int64(i+1), session.User, text)
		d.MessageID, d.SaidAt = int64(i+1), firstDay.AddDate(0, 0, day(random, i+1))
		facts := Distill(d, nil)
		before := len(partly.derived.of)
		want, got := whole.Learn(facts), partly.Learn(facts)
		dropped = dropped || before > len(partly.derived.of)
		if d := &partly.derived; d.bytes > d.most {
			t.Fatalf("got %d derived bytes, want %d at most", d.bytes, d.most)
		}
		kept.write(want)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("after %d messages, %q (-whole +over pieces):\n%s", i, text, diff)
		}
		if random.IntN(12) != 0 {
			continue
		}
		on := kept.divide(t, random, int64(i+1-random.IntN(5)))
		if on.last() < rested || random.IntN(3) == 0 {
			partly = forgetful()
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
	if !dropped {
		t.Error("nothing derived was dropped")
	}
}

// forgetful is a state that holds little of what is derived of facts in its archive.
func forgetful() *State {
	s := NewState()
	s.derived.most = 20 << 10
	return s
}

// TestStateLooksUpOldMessages: facts of a message after all others are new, however many they
// are. Only those of an older message are looked up.
func TestStateLooksUpOldMessages(t *testing.T) {
	t.Parallel()
	kept, s := newRows(), NewState()
	learn := func(n int64) Change {
		d := spoken(n, session.User, "We moved the ledger to Oslo. The gateway runs on 9 machines. I prefer tea.")
		d.MessageID = n
		return s.Learn(Distill(d, nil))
	}
	for n := range int64(40) {
		kept.write(learn(n + 1))
	}
	s = NewState()
	on := kept.divide(t, rand.New(rand.NewPCG(1, 1)), 30)
	s.rest(on, on.last())
	s.take(kept.pick(func(f *StoredFact) bool { return f.Number > on.last() }))
	before := kept.asked
	c := learn(41)
	if len(c.Learned) != 3 || kept.asked != before {
		t.Errorf("got %d facts and %d lookups, want 3 and none", len(c.Learned), kept.asked-before)
	}
	kept.write(c)
	s.rest(kept.divide(t, rand.New(rand.NewPCG(1, 1)), 41), NumberOf(41, MaxPart))
	s.shed()
	if c := learn(7); len(c.Learned) != 0 || kept.asked == before {
		t.Errorf("got %d facts of a message that was learnt before, and %d lookups", len(c.Learned), kept.asked-before)
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
	if diff := gocmp.Diff(compared(whole, question), compared(partly, question)); diff != "" {
		t.Fatalf("what %q is compared with (-whole +over pieces):\n%s", question, diff)
	}
	if partly.Len() != whole.Len() {
		t.Fatalf("got %d facts, want %d", partly.Len(), whole.Len())
	}
}

// compared are the facts with which a state compares the facts of a new message, and how.
func compared(s *State, text string) map[FactID]linkValues {
	d := spoken(100_000, session.User, text)
	d.MessageID = 100_000
	out := map[FactID]linkValues{}
	for _, f := range Distill(d, nil) {
		for _, c := range s.candidates(newRecord(&f)) {
			out[f.ID+c.fact.ID] = c.values
		}
	}
	return out
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
