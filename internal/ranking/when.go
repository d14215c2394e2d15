package ranking

// fits is 1 if message d mentions a date that overlaps one of the question.
func (l *look) fits(d int32) float32 {
	n := int32(l.x.docs[d].spans)
	if n == 0 {
		return 0
	}
	first := l.x.origins[d].firstSpan
	for _, s := range l.x.spans[first : first+n] {
		for _, w := range l.q.spans {
			if s.from < w.to && w.from < s.to {
				return 1
			}
		}
	}
	return 0
}

// saidThen is 1 if message d was said at a time that the question names. Usually that
// holds for its whole conversation or for none of it.
func (l *look) saidThen(d int32) float32 {
	e, near := &l.x.episodes[l.x.docs[d].episode], false
	for _, w := range l.q.spans {
		if e.from > 0 && e.from >= w.from && e.to < w.to {
			return 1
		}
		near = near || e.from < w.to && e.to >= w.from
	}
	at := int64(0)
	if near {
		at = l.x.origins[d].saidAt
	}
	if at == 0 {
		return 0
	}
	for _, w := range l.q.spans {
		if at >= w.from && at < w.to {
			return 1
		}
	}
	return 0
}

// nothing marks a message as touched; it is negligible as a score.
const nothing = 1e-9

// mostDated bounds how many messages a date alone admits. They differ in little but
// their age, and at most depth of them become candidates.
const mostDated = 300

// admitDated admits the messages that were said at a time the question names, newest
// first: their words may differ from the question's.
func (x *Index) admitDated(q *question) {
	s := &x.scratch
	budget := mostDated
	for _, w := range q.spans {
		for e := len(x.episodes) - 1; e >= 0 && budget > 0; e-- {
			if x.episodes[e].to < w.from || x.episodes[e].from >= w.to {
				continue
			}
			for d := x.episodes[e].first; d >= 0 && budget > 0; d = x.docs[d].next {
				s.admit(s.place(d))
				budget--
			}
		}
	}
}
