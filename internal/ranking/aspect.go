package ranking

import "math"

// leads raises messages whose successor resembles the best messages: the successor
// often replies to the message that holds the answer. All candidates have been scored
// without it.
func (x *Index) leads(candidates []candidate) {
	s := x.scratch
	top, weight := candidates[0].score, x.model().weights[fLeads]
	for i := range candidates {
		top = max(top, candidates[i].score)
	}
	for i := range candidates {
		s.cells[candidates[i].place].promise = float32(math.Exp(float64(candidates[i].score-top) / 2))
	}
	for i := range candidates {
		c := &candidates[i]
		if next := x.after(c.place); next >= 0 {
			c.features[fLeads] = max(0, s.cells[next].promise-s.cells[c.place].promise)
			c.score += weight * c.features[fLeads]
		}
	}
}

// byQuestion copies features whose weight depends on the question. A question about a
// time is answered in its own words. A question for several things is answered partly
// in many places.
func (l *look) byQuestion(f *features) {
	if l.q.kind == asksTime {
		f[fWhenBest], f[fWhenOwn], f[fWhenEpisode] = f[fWindowBest], f[fOwnBest], f[fEpisode]
	}
	if l.q.several {
		f[fManyWindow], f[fManyOwn] = f[fWindow], f[fOwnBest]
		f[fManyLength], f[fManyRare], f[fManyOpening] = f[fLength], f[fRare], f[fOpening]
	}
}
