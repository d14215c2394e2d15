package ranking

import "math"

// The weights with which a message's words count for its neighbours, nearest first. A
// question is often answered in words that are only in the previous turn. Measured on
// LoCoMo's turns.
var (
	fromBefore = [...]float32{0.6, 0.36, 0.24, 0.18} // never written
	fromAfter  = [...]float32{0.2, 0.14, 0.07}       // never written
)

const (
	// saturation is k1 of BM25: how fast further occurrences of a word stop counting.
	saturation = 0.9
	// longMessage is the length at which a message is no longer a turn of a chat but a
	// text. From there on, length is normalized and fewer of its words count for
	// neighbours. Below it, both worsened the results.
	longMessage = 60
	// answered is the additional weight of a question's words for the turn that answers
	// it.
	answered = 0.5
	// lengthWeight is b of BM25, for the part of a long message beyond longMessage.
	lengthWeight = 0.5
)

// lends is the share of its words that a message of that length gives its neighbours:
// all up to longMessage, none from twice that length.
func lends(words uint16) uint8 {
	if words <= longMessage {
		return shareWhole
	}
	return uint8(max(0, min(1, 2-float64(words)/longMessage)) * shareWhole)
}

// longPenalty is BM25's length norm; 1 for all but messages of many words.
func longPenalty(words uint16) float32 {
	if words <= longMessage {
		return 1
	}
	return 1 + lengthWeight*(float32(words)/longMessage-1)
}

// inverse is the weight of a term that is in having of all messages: rare terms weigh
// more.
func inverse(all, having int) float32 {
	return float32(math.Log1p((float64(all-having) + 0.5) / (float64(having) + 0.5)))
}

// lendAll spreads the occurrences in anchors to the messages around them, then adds
// their weights.
func (x *Index) lendAll(q *question) {
	s, begin := x.scratch, 0
	for _, e := range s.ends {
		x.lendTerm(&q.terms[e.term], uint32(1)<<e.term, s.found[begin:e.end])
		begin = e.end
	}
}

// lendTerm is lendAll for the occurrences of one term.
func (x *Index) lendTerm(t *term, bit uint32, all []found) {
	s := x.scratch
	for _, o := range all {
		if s.cells[o.place].anchor {
			x.lendFrom(t, bit, o)
		}
	}
	for _, p := range s.around {
		c := &s.cells[p]
		if c.window == 0 {
			s.touched = append(s.touched, p)
		}
		c.window += t.idf * bm25(c.near, c.norm)
		c.near = 0
	}
	for _, p := range s.perTerm {
		c := &s.cells[p]
		if c.episode == 0 {
			s.episodes = append(s.episodes, p)
		}
		c.episode += t.idf * bm25(c.inside, 1)
		c.inside = 0
	}
	s.around, s.perTerm = s.around[:0], s.perTerm[:0]
}

// lendFrom gives the occurrences in an anchor to the message, its episode and its
// neighbours.
func (x *Index) lendFrom(t *term, bit uint32, o found) {
	s := x.scratch
	first := x.episode(o.place)
	c, e := &s.cells[o.place], &s.cells[first]
	if c.matched&bit == 0 { // otherwise nearer kin is counted already
		c.matched |= bit
		c.own += t.idf * bm25(o.n, c.norm)
	}
	if e.inside == 0 {
		s.perTerm = append(s.perTerm, first)
	}
	e.inside += o.n
	share := c.message.share
	s.lend(o.place, o.n)
	if share > 0 {
		x.spread(o.place, o.n*float32(share)/shareWhole)
	}
}

// bm25 is the value of n occurrences.
func bm25(n, norm float32) float32 { return n * (saturation + 1) / (n + saturation*norm) }

// lend gives n occurrences of the current term to a message.
func (s *scratch) lend(place int32, n float32) {
	c := &s.cells[place]
	if c.near == 0 {
		s.around = append(s.around, place)
	}
	c.near += n
}

// spread lends n occurrences in the message of a cell to its neighbours.
func (x *Index) spread(from int32, n float32) {
	s := x.scratch
	boost := 1 + answered*float32(s.cells[from].message.asking)/shareWhole
	p := from
	for _, w := range fromBefore {
		if p = x.after(p); p < 0 {
			break
		}
		if share := s.cells[p].message.share; share > 0 {
			s.lend(p, n*w*boost*float32(share)/shareWhole)
		}
		boost = 1
	}
	p = from
	for _, w := range fromAfter {
		if p = x.before(p); p < 0 {
			break
		}
		if share := s.cells[p].message.share; share > 0 {
			s.lend(p, n*w*float32(share)/shareWhole)
		}
	}
}
