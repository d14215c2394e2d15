package memory_test

import (
	"slices"
	"testing"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/ranking"
)

// TestSearchTo: a search up to a horizon finds what was learnt before it. A turn
// learns its input meanwhile and does not wait, however much that is; the next
// search finds that as well.
func TestSearchTo(t *testing.T) {
	t.Parallel()
	v := memory.NewView()
	for id := range int64(3) {
		v.Learn(saidBy(id+1, "The walrus is called Wilma."))
	}
	at := saidBy(100, "").SaidAt
	question := ranking.Query{Text: "What is the walrus called?", At: at, Limit: 50}
	found := func(hits []ranking.Hit) (ids []int64) {
		for _, h := range hits {
			ids = append(ids, h.MessageID)
		}
		slices.Sort(ids)
		return ids
	}

	before := v.Horizon()
	v.Learn(saidBy(4, "The walrus is called Wilma."))
	if got := found(v.SearchTo(before, question)); !slices.Equal(got, []int64{1, 2, 3}) {
		t.Errorf("begun before the fourth: found %v", got)
	}
	if got := found(v.Search(question)); !slices.Equal(got, []int64{1, 2, 3, 4}) {
		t.Errorf("begun after the fourth: found %v", got)
	}
	for id := range int64(40) { // more than may wait for a search
		v.Learn(saidBy(id+5, "The walrus is called Wilma."))
	}
	if got := found(v.Search(question)); len(got) != 44 {
		t.Errorf("after many: found %v", got)
	}
}
