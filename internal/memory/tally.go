package memory

import "sync"

// tallies are lent to the questions of all states: what each kept for itself would
// be gone as garbage before it is asked again. Nothing of anybody's stays in them.
var tallies sync.Pool

// tally counts points of facts. It is lent and given back, so that a question costs
// what it touches, not what is known.
type tally struct {
	points  []int32
	touched []int32 // those with points
	toks    []token // of the question, kept for their space
	lists   [][]int32
}

// effort bounds what a question looks at for each fact it wants, beyond its rarest
// word, so that its cost stays the same however much is known.
const effort = 32

// newestFacts bounds how many facts of a category or kind are looked at.
const newestFacts = 300

// newestOf is the end of a list of facts, where the newest are.
func newestOf(list []int32) []int32 { return list[max(0, len(list)-newestFacts):] }

// tally returns an empty tally for all facts.
func (s *State) tally() *tally {
	t, _ := tallies.Get().(*tally)
	if t == nil {
		t = &tally{}
	}
	if len(t.points) < len(s.facts) {
		t.points = append(t.points, make([]int32, len(s.facts)-len(t.points)+len(s.facts)/2)...)
	}
	return t
}

// done gives a tally back.
func (t *tally) done() {
	for _, n := range t.touched {
		t.points[n] = 0
	}
	clear(t.toks)
	clear(t.lists)
	t.touched, t.toks, t.lists = t.touched[:0], t.toks[:0], t.lists[:0]
	tallies.Put(t)
}

// add gives a fact points, which are never negative.
func (t *tally) add(n, points int32) {
	if t.points[n] == 0 {
		t.touched = append(t.touched, n)
	}
	t.points[n] += points
}
