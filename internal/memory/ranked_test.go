package memory

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestRanked compares with a sorted list, whatever comes and goes.
func TestRanked(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var list ranked
	there := map[FactNumber]*record{}
	for range 2000 {
		n := FactNumber(r.Int32N(300))
		if k := there[n]; k != nil && r.IntN(2) == 0 {
			list.remove(k)
			delete(there, n)
		} else if k == nil {
			there[n] = &record{Mark: Mark{Number: n, Weight: r.Int32N(7) - 3}}
			list.put(there[n])
		}
	}
	list.remove(&record{Mark: Mark{Number: 9999, Weight: 1}}) // never put in
	list.remove(&record{Mark: Mark{Number: 9999, Weight: 100}})
	var want, got []FactNumber
	for n := range there {
		want = append(want, n)
	}
	slices.SortFunc(want, func(a, b FactNumber) int {
		return cmp.Or(cmp.Compare(there[b].Weight, there[a].Weight), cmp.Compare(b, a))
	})
	for k, ok := list.after(ShelfTop()); ok; k, ok = list.after(k.Place()) {
		got = append(got, k.Number)
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
