package memory

// tally counts points of facts. It is lent by the state and given back, so that
// a question costs what it touches, not what is known.
type tally struct {
	points  []int32
	touched []int32 // those with points
	toks    []token // of the question, kept for their space
	lists   [][]int32
}

// effort bounds what a question looks at, beyond its rarest word, so that its
// cost stays the same however much is known.
const effort = 1000

// newestFacts bounds how many facts of a category or kind are looked at.
const newestFacts = 300

// newestOf is the end of a list of facts, where the newest are.
func newestOf(list []int32) []int32 { return list[max(0, len(list)-newestFacts):] }

// tally returns an empty tally for all facts.
func (s *State) tally() *tally {
	t, _ := s.tallies.Get().(*tally)
	if t == nil {
		t = &tally{}
	}
	if len(t.points) < len(s.facts) {
		t.points = append(t.points, make([]int32, len(s.facts)-len(t.points)+len(s.facts)/2)...)
	}
	return t
}

// done takes a tally back.
func (s *State) done(t *tally) {
	for _, n := range t.touched {
		t.points[n] = 0
	}
	t.touched = t.touched[:0]
	s.tallies.Put(t)
}

// add gives a fact points, which are never negative.
func (t *tally) add(n, points int32) {
	if t.points[n] == 0 {
		t.touched = append(t.touched, n)
	}
	t.points[n] += points
}
