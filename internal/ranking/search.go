package ranking

import (
	"cmp"
	"slices"
)

// DefaultLimit is the number of hits for a query without a limit.
const DefaultLimit = 10

// depth is how many messages, selected by their words, are scored with all features. A
// third more improved no measure of LoCoMo; a third less worsened all.
const depth = 96

// alike is how many of these are compared with one another, the most expensive feature.
// Messages further back are not raised to the front by it: with all candidates no
// measure of LoCoMo improved by more than a tenth of a per cent, and with 48 some
// worsened.
const alike = 64

// rough is a message with the score that selects candidates.
type rough struct {
	doc   int32
	place int32 // of its cell
	score float32
}

// candidate is a message that is scored with all features.
type candidate struct {
	doc      int32
	place    int32 // of its cell
	speaker  int32
	words    uint16 // its length
	score    float32
	matched  uint32 // the terms in the message itself
	features features
}

// Search returns the messages that answer the query best, best first. Ties go to the
// newer message, then to the smaller MessageID, so the order depends only on the
// messages and the query.
func (x *Index) Search(q Query) []Hit {
	x.scratch = scratches.Get().(*scratch)
	hits := x.search(q)
	scratches.Put(x.scratch) // not after a panic, which leaves traces in the buffers
	x.scratch = nil
	return hits
}

// search is Search with the buffers that the index has.
func (x *Index) search(q Query) []Hit {
	limit := q.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	asked := x.parse(q)
	best := x.rank(&asked, &q, max(limit, depth))
	sure := x.confidence(&asked, best)
	if len(best) > limit {
		best = best[:limit]
	}
	hits := make([]Hit, len(best))
	for i := range best {
		d := best[i].doc
		o := x.origin(d)
		hits[i] = Hit{
			MessageID: o.messageID, SessionID: x.session(d), Root: x.root(d), Seq: o.seq,
			Words: int(best[i].words), Score: float64(best[i].score + sure),
		}
		if q.Explain {
			hits[i].Reasons = x.explain(&asked, &best[i], sure)
		}
	}
	return hits
}

// rank returns the candidates in order. They are valid until the next search.
func (x *Index) rank(q *question, by *Query, most int) []candidate {
	s := x.scratch
	s.fit(x.size())
	x.match(q)
	x.admitDated(q)
	x.admitNear(q)
	x.ahead(s.docsOf(s.touched), needRecord|needOrigin|needSign)
	if len(q.spans) > 0 {
		x.ahead(s.docsOf(s.touched), needDates)
	}
	look := x.view(q)
	s.rough = s.rough[:0]
	for _, p := range s.touched {
		least := float32(0)
		if len(s.rough) == most {
			least = s.rough[0].score
		}
		r := rough{doc: s.cells[p].doc, place: p, score: look.rough(p, least)}
		if r.score < least {
			continue
		}
		if !x.skips(by, r.doc) {
			s.rough = x.keep(s.rough, r, most)
		}
	}
	x.ahead(s.docsOfRough, needBrief|needSense, needWords)
	s.candidates = s.candidates[:0]
	for _, r := range s.rough {
		f := look.features(r.place)
		c := &s.cells[r.place]
		s.candidates = append(s.candidates, candidate{
			doc: r.doc, place: r.place, speaker: c.message.speaker, words: c.message.total, matched: c.matched, features: f,
		})
	}
	look.meanings(s.candidates)
	for i := range s.candidates {
		s.candidates[i].score = s.candidates[i].features.score(&x.model().weights)
	}
	if len(s.candidates) > 0 {
		x.leads(s.candidates)
		x.sortCandidates()
		x.resembles(s.ranked[:min(len(s.ranked), alike)])
		s.candidates, s.ranked = s.ranked, s.candidates
	}
	x.sortCandidates()
	s.clear()
	return s.ranked
}

// skips reports whether a query leaves a message out.
func (x *Index) skips(q *Query, d int32) bool {
	if q.Skip == nil && q.Undone == nil {
		return false
	}
	o := x.origin(d)
	return q.Undone != nil && q.Undone(o.messageID) || q.Skip != nil && q.Skip(x.root(d), o.seq)
}

// sortCandidates sorts the candidates. They are large, so each is moved only once.
func (x *Index) sortCandidates() {
	s := x.scratch
	s.rough, s.ranked = s.rough[:0], s.ranked[:0]
	for i := range s.candidates { // here rough.doc is the index among candidates
		s.rough = append(s.rough, rough{doc: int32(i), score: s.candidates[i].score})
	}
	slices.SortFunc(s.rough, func(a, b rough) int {
		a.doc, b.doc = s.candidates[a.doc].doc, s.candidates[b.doc].doc
		return x.order(a, b)
	})
	for _, r := range s.rough {
		s.ranked = append(s.ranked, s.candidates[r.doc])
	}
}

// order sorts by score, then newest, then MessageID.
func (x *Index) order(a, b rough) int {
	switch { // faster than cmp.Compare, which orders NaN
	case a.score > b.score:
		return -1
	case a.score < b.score:
		return 1
	}
	p, q := x.origin(a.doc), x.origin(b.doc)
	if c := cmp.Compare(q.saidAt, p.saidAt); c != 0 {
		return c
	}
	return cmp.Compare(p.messageID, q.messageID)
}

// keep adds r to the heap of the n best; the worst is at its root.
func (x *Index) keep(h []rough, r rough, n int) []rough {
	if len(h) < n {
		h = append(h, r)
		for i := len(h) - 1; i > 0; {
			up := (i - 1) / 2
			if x.order(h[up], h[i]) >= 0 {
				break
			}
			h[up], h[i] = h[i], h[up]
			i = up
		}
		return h
	}
	if x.order(r, h[0]) >= 0 {
		return h
	}
	h[0] = r
	for i := 0; ; {
		worst := i
		for _, c := range [2]int{2*i + 1, 2*i + 2} {
			if c < len(h) && x.order(h[c], h[worst]) > 0 {
				worst = c
			}
		}
		if worst == i {
			return h
		}
		h[i], h[worst] = h[worst], h[i]
		i = worst
	}
}
