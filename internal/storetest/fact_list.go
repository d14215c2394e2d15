package storetest

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
)

func listerTests() []test {
	return []test{
		{"facts are listed by kind, status and words, in both orders", testFactsListed},
		{"replaced facts are counted", testFactsReversed},
		{"texts of facts are read behind a number", testFactTexts},
	}
}

// manyKinds stores facts of which each differs, and returns them as a store does.
func manyKinds(t *testing.T, st Store) []memory.StoredFact {
	t.Helper()
	l := newTalk(alice(), "s", "key")
	texts := []string{"We use Redis.", "Is it Redis?", "REDIS is gone.", "We use Ünlü", "日本 and 100%", "Nobody \x00 knows."}
	step := l.step(t, st, texts...)
	var facts []memory.Fact
	var numbers []memory.FactNumber
	for i := range step.Messages {
		m := &step.Messages[i]
		f := fact(memory.FactID(fmt.Sprint("n", i)), m, []memory.Kind{memory.Plain, memory.Question, memory.Decision}[i%3])
		switch i {
		case 0:
			f.SupersededBy, f.SupersededAt = "f_n2", m.SaidAt.Add(time.Hour)
		case 2:
			f.Links, f.Because = []memory.Link{{Kind: memory.Supersedes, To: "f_n0"}}, "It was SLOW"
		case 3:
			f.Links, f.Statement = []memory.Link{{Kind: memory.Perhaps, To: "f_n0"}}, "use Ünlü"
		}
		step.Changes = append(step.Changes, memory.Change{Learned: []memory.Fact{f}})
		facts, numbers = append(facts, f), append(numbers, memory.NumberOf(m.ID, 0))
	}
	l.commit(t, st, step)
	tellTwice(t, st, newTalk(alice(), "elsewhere", "other key"), "redis")
	return unmarked(facts, numbers)
}

func testFactsListed(t *testing.T, st Store) {
	all := manyKinds(t, st)
	replaced := all[0].SupersededAt
	for what, c := range map[string]struct {
		filter memory.FactFilter
		want   []int
	}{
		"all":                      {memory.FactFilter{}, []int{0, 1, 2, 3, 4, 5}},
		"one kind":                 {memory.FactFilter{Kinds: []memory.Kind{memory.Question}}, []int{1, 4}},
		"two kinds":                {memory.FactFilter{Kinds: []memory.Kind{memory.Decision, memory.Plain}}, []int{0, 2, 3, 5}},
		"no kind":                  {memory.FactFilter{Kinds: []memory.Kind{}}, nil},
		"what holds":               {memory.FactFilter{Status: memory.CurrentStatus}, []int{1, 2, 3, 4, 5}},
		"what was replaced":        {memory.FactFilter{Status: memory.ReversedStatus}, []int{0}},
		"both sides of reversals":  {memory.FactFilter{Reversals: true}, []int{0, 2}},
		"the side that holds":      {memory.FactFilter{Reversals: true, Status: memory.CurrentStatus}, []int{2}},
		"a word in a quote":        {memory.FactFilter{Says: "redis"}, []int{0, 1, 2}},
		"a word in a reason":       {memory.FactFilter{Says: "s slow"}, []int{2}},
		"a word in a statement":    {memory.FactFilter{Says: "use"}, []int{0, 3}},
		"a word in another script": {memory.FactFilter{Says: "日本"}, []int{4}},
		"no pattern":               {memory.FactFilter{Says: "%"}, []int{4}},
		"behind the zero byte":     {memory.FactFilter{Says: " knows"}, []int{5}},
		"a word that nobody said":  {memory.FactFilter{Says: "zebra"}, nil},
		"held at their statement":  {memory.FactFilter{HeldAt: all[0].SaidAt}, []int{0, 1, 2, 3, 4, 5}},
		"held a moment earlier":    {memory.FactFilter{HeldAt: all[0].SaidAt.Add(-time.Millisecond)}, nil},
		"held until replaced":      {memory.FactFilter{HeldAt: replaced.Add(-time.Millisecond)}, []int{0, 1, 2, 3, 4, 5}},
		"held when replaced":       {memory.FactFilter{HeldAt: replaced}, []int{1, 2, 3, 4, 5}},
		"a kind and a word":        {memory.FactFilter{Says: "redis", Kinds: []memory.Kind{memory.Question}}, []int{1}},
	} {
		for _, limit := range []int{1, 2, 10} {
			for _, latest := range []bool{false, true} {
				want := slices.Clone(c.want)
				f := c.filter
				if f.Latest, f.Behind = latest, -1; latest {
					f.Behind = math.MaxInt64
					slices.Reverse(want)
				}
				for { // pages of limit facts
					got, err := st.FactsListed(t.Context(), alice(), memory.Scope{Key: "key"}, f, limit)
					kind(t, what, err, "")
					var page []memory.StoredFact
					for _, i := range want[:min(limit, len(want))] {
						page = append(page, all[i])
					}
					same(t, fmt.Sprintf("%s, latest %v, %d at once", what, latest, limit), got, page)
					if len(want) < limit || len(got) == 0 {
						break
					}
					want, f.Behind = want[len(page):], page[len(page)-1].Number
				}
			}
		}
	}
	for what, scope := range map[string]memory.Scope{
		"a whole lineage": {Root: "s", Whole: true}, "a lineage without facts of its own": {Root: "s"}, "an absent key": {Key: "none"},
	} {
		got, err := st.FactsListed(t.Context(), alice(), scope, memory.FactFilter{Behind: -1}, 10)
		kind(t, what, err, "")
		same(t, what, got, []memory.StoredFact(nil))
	}
}

func testFactsReversed(t *testing.T, st Store) {
	manyKinds(t, st)
	tellTwice(t, st, newTalk(alice(), "alone", ""), "alone")
	for scope, want := range map[memory.Scope]int{
		{Key: "key"}: 1, {Key: "other key"}: 0, {Root: "alone"}: 0, {Root: "s", Whole: true}: 0, {Key: "none"}: 0,
	} {
		got, err := st.FactsReversed(t.Context(), alice(), scope)
		kind(t, "count", err, "")
		same(t, fmt.Sprintf("of %+v", scope), got, want)
	}
}

func testFactTexts(t *testing.T, st Store) {
	var all []memory.FactText
	for _, f := range manyKinds(t, st) {
		all = append(all, memory.FactText{Number: f.Number, Kind: f.Kind, Quote: f.Quote, Because: f.Because})
	}
	for _, limit := range []int{1, 4, 10} {
		behind := memory.FactNumber(-1)
		for want := all; ; {
			page := want[:min(limit, len(want))]
			got, err := st.FactTexts(t.Context(), alice(), memory.Scope{Key: "key"}, behind, limit)
			kind(t, "texts", err, "")
			same(t, fmt.Sprintf("%d at once, behind %d", limit, behind), got, append([]memory.FactText(nil), page...))
			if len(page) == 0 {
				break
			}
			behind, want = page[len(page)-1].Number, want[len(page):]
		}
	}
	for what, scope := range map[string]memory.Scope{
		"a whole lineage": {Root: "s", Whole: true}, "a lineage without facts of its own": {Root: "s"}, "an absent key": {Key: "none"},
	} {
		got, err := st.FactTexts(t.Context(), alice(), scope, -1, 10)
		kind(t, what, err, "")
		same(t, what, got, []memory.FactText(nil))
	}
}
