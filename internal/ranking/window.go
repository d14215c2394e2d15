package ranking

import (
	"cmp"
	"math"
	"slices"
)

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
	touched []int32
	around  []int32 // touched by one term

	episode   []float32 // BM25 of whole episodes
	inEpisode []float32 // occurrences of one term in an episode
	episodes  []int32   // touched
	perTerm   []int32   // touched by one term

	rough      []rough
	candidates []candidate
}

// fit makes the buffers large enough for the index.
func (s *scratch) fit(docs, episodes int) {
	if len(s.window) < docs {
		n := docs + docs/4 + 64
		s.window, s.own, s.near = make([]float32, n), make([]float32, n), make([]float32, n)
		s.matched, s.promise = make([]uint32, n), make([]float32, n)
	}
	if len(s.episode) < episodes {
		n := episodes + episodes/4 + 16
		s.episode, s.inEpisode = make([]float32, n), make([]float32, n)
	}
}

// clear zeroes what the search touched.
func (s *scratch) clear() {
	for _, d := range s.touched {
		s.window[d], s.own[d], s.matched[d] = 0, 0, 0
	}
	for _, e := range s.episodes {
		s.episode[e] = 0
	}
	s.touched, s.episodes = s.touched[:0], s.episodes[:0]
}

// inverse is the weight of a term that so many of all have: rare ones tell more.
func inverse(all, having int) float32 {
	return float32(math.Log1p((float64(all-having) + 0.5) / (float64(having) + 0.5)))
}

// effort is how many occurrences a search looks at beyond its rarest term, so
// that its cost stays the same however long a scope grows. It takes effect from
// some thousand messages on, where what it leaves out are words that occur
// everywhere and so tell little.
const effort = 2000

// match scores all messages for one term after the other, the rarest first.
func (x *Index) match(q *question) {
	s := &x.scratch
	s.fit(len(x.docs), len(x.episodes))
	var space [32]int
	order := space[:0]
	for i := range q.terms {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x.occurrences(&q.terms[a]), x.occurrences(&q.terms[b])) })
	left := int32(effort)
	for n, i := range order {
		t := &q.terms[i]
		if n > 0 && x.occurrences(t) > left {
			break
		}
		left -= x.occurrences(t)
		left = x.matchTerm(t, uint32(1)<<i, left)
	}
}

// occurrences is how many messages a term itself stands in.
func (x *Index) occurrences(t *term) int32 {
	if t.list < 0 {
		return 0
	}
	return x.lists[t.list].messages
}

// matchTerm spreads the occurrences of a term and of its kin over the
// messages around them, then adds what they are worth. Kin that would take more
// than is left of the effort are passed over; it returns what remains.
func (x *Index) matchTerm(t *term, bit uint32, left int32) int32 {
	s := &x.scratch
	if t.list >= 0 {
		x.matchList(t, t.list, 1, bit)
	}
	for _, k := range t.kin {
		if n := x.lists[k.list].messages; n <= left {
			left -= n
			x.matchList(t, k.list, k.worth, bit)
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
	return left
}

// matchList enters the occurrences of one list at the given worth.
func (x *Index) matchList(t *term, list int32, worth float32, bit uint32) {
	s, l := &x.scratch, &x.lists[list]
	for i, d := 0, int32(-1); i < len(l.data); {
		var n float32
		d, n, i = l.next(i, d)
		n *= worth
		m := &x.docs[d]
		if s.matched[d]&bit == 0 { // else nearer kin counts already
			s.matched[d] |= bit
			s.own[d] += t.idf * bm25(n, m.longPenalty())
		}
		if s.inEpisode[m.episode] == 0 {
			s.perTerm = append(s.perTerm, m.episode)
		}
		s.inEpisode[m.episode] += n
		s.lend(d, n)
		if m.share > 0 {
			x.spread(m, n*float32(m.share)/shareWhole)
		}
	}
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
