package ranking

import "math"

// What a message's neighbours lend it: a question is often answered in words
// that stand only in the turn before. Measured over LoCoMo's turns; the order is
// nearest first.
var (
	fromBefore = [...]float32{0.6, 0.36, 0.24, 0.18} // never written
	fromAfter  = [...]float32{0.2, 0.14, 0.07}       // never written
)

const (
	// saturation is k1 of BM25: how soon one more occurrence stops to count.
	saturation = 0.9
	// longMessage is where a message stops to be a turn of a chat and becomes a
	// text: from there on length is normalised and neighbours lend less. Below
	// it both measured harmful.
	longMessage = 60
	// answered is how much more a question lends to the turn that answers it.
	answered = 0.5
	// lengthWeight is b of BM25, for what a long message has beyond longMessage.
	lengthWeight = 0.5
)

// lends is how much of its words a message of that length shares with its
// neighbours: all of them up to longMessage, none from twice of it.
func lends(words int) uint8 {
	return uint8(max(0, min(1, 2-float64(words)/longMessage)) * shareWhole)
}

// longPenalty is BM25's length norm, 1 for all but long messages.
func (d *doc) longPenalty() float32 {
	if d.words <= longMessage {
		return 1
	}
	return 1 + lengthWeight*(float32(d.words)/longMessage-1)
}

// scratch is what a search computes per message, kept between searches. All is
// zero outside a search.
type scratch struct {
	window  []float32 // BM25 with the neighbours' occurrences
	own     []float32 // BM25 of the message alone
	matched []uint32  // the terms in the message itself, as bits
	near    []float32 // occurrences of one term in and around the message
	promise []float32 // of a candidate, beside the best one
	anchor  marks     // lends to its neighbours
	anchors []int32
	touched []int32
	around  []int32 // touched by one term

	episode   []float32 // BM25 of whole episodes
	inEpisode []float32 // occurrences of one term in an episode
	episodes  []int32   // touched
	perTerm   []int32   // touched by one term

	glances []glance     // per message: its words at first sight
	known   marks        // messages with a glance: small enough for the nearest cache
	found   []occurrence // of all terms, one after the other
	ends    []termEnd    // where each term's end in found
	hit     []int32      // messages with an occurrence
	grades  []uint8      // of hit

	rough      []rough
	candidates []candidate
	ranked     []candidate // the same in order
}

// fit makes the buffers large enough for the index.
func (s *scratch) fit(docs, episodes int) {
	if len(s.window) < docs {
		n := docs + docs/4 + 64
		s.window, s.own, s.near = make([]float32, n), make([]float32, n), make([]float32, n)
		s.matched, s.promise, s.anchor = make([]uint32, n), make([]float32, n), make(marks, n/64+1)
		s.glances, s.known = make([]glance, n), make(marks, n/64+1)
	}
	if len(s.episode) < episodes {
		n := episodes + episodes/4 + 16
		s.episode, s.inEpisode = make([]float32, n), make([]float32, n)
	}
}

// clear zeroes what the search touched.
func (s *scratch) clear() {
	for _, d := range s.touched {
		s.window[d] = 0
	}
	for _, d := range s.anchors {
		s.own[d], s.matched[d] = 0, 0
	}
	for _, d := range s.hit {
		s.glances[d] = glance{}
		s.known.unmark(d)
	}
	for _, e := range s.episodes {
		s.episode[e] = 0
	}
	s.touched, s.episodes, s.hit = s.touched[:0], s.episodes[:0], s.hit[:0]
	s.found, s.ends, s.anchors = s.found[:0], s.ends[:0], s.anchors[:0]
}

// inverse is the weight of a term that so many of all have: rare ones tell more.
func inverse(all, having int) float32 {
	return float32(math.Log1p((float64(all-having) + 0.5) / (float64(having) + 0.5)))
}

// lendAll spreads the occurrences in anchors over the messages around them, then
// adds what they are worth.
func (x *Index) lendAll(q *question) {
	s, begin := &x.scratch, 0
	for _, e := range s.ends {
		x.lendTerm(&q.terms[e.term], uint32(1)<<e.term, s.found[begin:e.end])
		begin = e.end
	}
	for _, d := range s.anchors {
		s.anchor.unmark(d)
	}
}

// lendTerm does so for the occurrences of one term.
func (x *Index) lendTerm(t *term, bit uint32, found []occurrence) {
	s := &x.scratch
	for _, o := range found {
		if !s.anchor.has(o.doc) {
			continue
		}
		m := &x.docs[o.doc]
		if s.matched[o.doc]&bit == 0 { // else nearer kin counts already
			s.matched[o.doc] |= bit
			s.own[o.doc] += t.idf * bm25(o.n, m.longPenalty())
		}
		if s.inEpisode[m.episode] == 0 {
			s.perTerm = append(s.perTerm, m.episode)
		}
		s.inEpisode[m.episode] += o.n
		s.lend(o.doc, o.n)
		if m.share > 0 {
			x.spread(m, o.n*float32(m.share)/shareWhole)
		}
	}
	for _, d := range s.around {
		if s.window[d] == 0 {
			s.touched = append(s.touched, d)
		}
		s.window[d] += t.idf * bm25(s.near[d], x.docs[d].longPenalty())
		s.near[d] = 0
	}
	for _, e := range s.perTerm {
		if s.episode[e] == 0 {
			s.episodes = append(s.episodes, e)
		}
		s.episode[e] += t.episodeIDF * bm25(s.inEpisode[e], 1+float32(x.episodes[e].size)/longestEpisode)
		s.inEpisode[e] = 0
	}
	s.around, s.perTerm = s.around[:0], s.perTerm[:0]
}

// bm25 is the value of n occurrences.
func bm25(n, norm float32) float32 { return n * (saturation + 1) / (n + saturation*norm) }

// lend gives n occurrences of the term under way to message d.
func (s *scratch) lend(d int32, n float32) {
	if s.near[d] == 0 {
		s.around = append(s.around, d)
	}
	s.near[d] += n
}

// spread lends n occurrences in message m to its neighbours.
func (x *Index) spread(m *doc, n float32) {
	s := &x.scratch
	d, boost := m.next, 1+answered*float32(m.asking)/shareWhole
	for _, w := range fromBefore {
		if d < 0 {
			break
		}
		other := &x.docs[d]
		if other.share > 0 {
			s.lend(d, n*w*boost*float32(other.share)/shareWhole)
		}
		d, boost = other.next, 1
	}
	d = m.prev
	for _, w := range fromAfter {
		if d < 0 {
			break
		}
		other := &x.docs[d]
		if other.share > 0 {
			s.lend(d, n*w*float32(other.share)/shareWhole)
		}
		d = other.prev
	}
}
