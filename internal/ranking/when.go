package ranking

// fits is 1 if message d mentions a date that overlaps one of the question.
func (l *look) fits(d int32) float32 {
	in, n := l.x.at(d)
	spans := &l.x.scratch.spans
	*spans = l.x.parts[in].spans((*spans)[:0], n)
	for _, s := range *spans {
		for _, w := range l.q.spans {
			if s.from < w.to && w.from < s.to {
				return 1
			}
		}
	}
	return 0
}

// saidThen is 1 if message d was said at a time that the question names.
func (l *look) saidThen(d int32) float32 {
	return truth(l.q.names(l.x.origin(d).saidAt))
}

// names reports whether the question names a time, in Unix seconds.
func (o *question) names(at int64) bool {
	if at == 0 {
		return false
	}
	for _, w := range o.spans {
		if at >= w.from && at < w.to {
			return true
		}
	}
	return false
}

// nothing marks a message as touched; it is negligible as a score.
const nothing = 1e-9

// mostDated bounds how many messages a date alone admits. They differ in little but
// their age, and at most depth of them become candidates.
const mostDated = 300

// admitDated admits the messages that were said at a time the question names, newest
// first: their words may differ from the question's.
func (x *Index) admitDated(q *question) {
	budget := mostDated
	for _, w := range q.spans {
		for in := len(x.parts) - 1; in >= 0; in-- {
			p := x.parts[in]
			for n := (p.size() - 1) / period; n >= 0 && p.size() > 0 && budget > 0; n-- {
				if from, to := p.times(n); to < w.from || from >= w.to || to == 0 && from == 0 {
					continue
				}
				budget = x.admitSaid(w, in, n*period, budget)
			}
		}
	}
}

// admitSaid admits the messages of a period that were said in a span of time, up to a
// budget, and returns what is left of it.
func (x *Index) admitSaid(w span, in int, from int32, budget int) int {
	s, p := x.scratch, x.parts[in]
	for d := min(from+period, p.size()) - 1; d >= from && budget > 0; d-- {
		if at := p.origin(d).saidAt; at != 0 && at >= w.from && at < w.to {
			s.admit(s.place(x.bases[in] + d))
			budget--
		}
	}
	return budget
}
