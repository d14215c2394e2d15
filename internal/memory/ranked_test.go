package memory

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRanked compares with a sorted list, whatever comes and goes.
func TestRanked(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var list ranked
	weights := map[FactNumber]int32{}
	for range 2000 {
		n := FactNumber(r.Int32N(300))
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
	var want, got []FactNumber
	for n := range weights {
		want = append(want, n)
	}
	slices.SortFunc(want, func(a, b FactNumber) int {
		if weights[a] != weights[b] {
			return int(weights[b] - weights[a])
		}
		return int(b - a)
	})
	for p, ok := list.after(ShelfTop()); ok; p, ok = list.after(p) {
		got = append(got, p.Number)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
