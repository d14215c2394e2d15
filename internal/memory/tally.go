package memory

import "sync"

// tallies is shared by all states, because a tally kept by each state would be
// garbage-collected before its next question. A tally in the pool holds no data of any
// owner.
var tallies sync.Pool

// tally counts the points of facts. It is reused, so the cost of a question depends on
// the facts that it touches, not on all facts.
type tally struct {
	points  []int32
	touched []int32 // those with points
	toks    []token // buffer for the question
	lists   [][]int32
}

// effort bounds how many facts a question reads for each fact it wants, beyond those of
// its rarest word, so that its cost does not grow with the number of facts.
const effort = 32

// newestFacts bounds how many facts of a category or kind are read.
const newestFacts = 300

// newestOf are the newest facts of a list, which are at its end.
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

// done returns a tally to the pool.
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
