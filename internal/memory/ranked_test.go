package memory

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/session"
)

// TestRanked compares with a sorted list, whatever comes and goes.
func TestRanked(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var list ranked
	weights := map[int32]int32{}
	for range 2000 {
		n := r.Int32N(300)
		if w, there := weights[n]; there && r.IntN(2) == 0 {
			list.remove(n, w)
			delete(weights, n)
		} else if !there {
			weights[n] = r.Int32N(7) - 3
			list.put(n, weights[n])
		}
	}
	list.remove(9999, 1) // never put in
	list.remove(9999, 100)
	var want, got []int32
	for n := range weights {
		want = append(want, n)
	}
	slices.SortFunc(want, func(a, b int32) int {
		if weights[a] != weights[b] {
			return int(weights[b] - weights[a])
		}
		return int(b - a)
	})
	c := cursor{list: &list}
	for n, ok := c.fact(); ok; n, ok = c.fact() {
		got = append(got, n)
		c.next()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	m := marks{now: 1<<32 - 2}
	for range 4 { // passes the largest number
		m.begin(3)
		if m.has(0) || m.has(2) {
			t.Fatal("a new set is not empty")
		}
		m.add(2)
		if m.has(0) || !m.has(2) {
			t.Fatal("got another fact than was put in")
		}
	}
}

// TestBriefs: what a question sees of a fact is what the fact says, after
// everything that can happen to it.
func TestBriefs(t *testing.T) {
	t.Parallel()
	s := NewState()
	for i, text := range []string{
		"We use Postgres for orders because it is fast.", "The deadline is 3 May 2027.", "We moved from Postgres to MySQL.",
		"Forget what I said about MySQL.", "The limit is 10 MB.", "The limit is 20 MB.", "Actually, scratch that.", "Anna thinks we should wait.",
	} {
		s.Learn(Distill(spoken(int64(i), session.User, text), nil))
	}
	restored := NewState()
	for f := range s.Facts() {
		restored.Restore([]Fact{f})
	}
	for name, s := range map[string]*State{"learnt": s, "restored": restored} {
		kept := slices.Clone(s.briefs)
		for n := range kept {
			s.note(int32(n))
		}
		if diff := cmp.Diff(s.briefs, kept, cmp.AllowUnexported(brief{})); diff != "" {
			t.Errorf("%s: (-as the facts say +kept):\n%s", name, diff)
		}
		if !slices.ContainsFunc(kept, func(b brief) bool { return !b.is.has(current) }) || !slices.ContainsFunc(kept, func(b brief) bool { return b.is.has(timed) }) {
			t.Errorf("%s: nothing was replaced, or nothing has a time: %+v", name, kept)
		}
	}
}
