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
	anchor  []bool    // lends to its neighbours
	touched []int32
	around  []int32 // touched by one term

	episode   []float32 // BM25 of whole episodes
	inEpisode []float32 // occurrences of one term in an episode
	episodes  []int32   // touched
	perTerm   []int32   // touched by one term

	found  []occurrence // of all terms, one after the other
	ends   []termEnd    // where each term's end in found
	hit    []int32      // messages with an occurrence
	grades []uint8      // of hit

	rough      []rough
	candidates []candidate
}

// occurrence is a message with how often a term or its kin stand in it.
type occurrence struct {
	doc int32
	n   float32
}

// termEnd is where the occurrences of a term end.
type termEnd struct {
	term int // of the question
	end  int
}

// fit makes the buffers large enough for the index.
func (s *scratch) fit(docs, episodes int) {
	if len(s.window) < docs {
		n := docs + docs/4 + 64
		s.window, s.own, s.near = make([]float32, n), make([]float32, n), make([]float32, n)
		s.matched, s.promise, s.anchor = make([]uint32, n), make([]float32, n), make([]bool, n)
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
	for _, d := range s.hit {
		s.own[d], s.matched[d] = 0, 0
	}
	for _, e := range s.episodes {
		s.episode[e] = 0
	}
	s.touched, s.episodes, s.hit = s.touched[:0], s.episodes[:0], s.hit[:0]
	s.found, s.ends = s.found[:0], s.ends[:0]
}

// inverse is the weight of a term that so many of all have: rare ones tell more.
func inverse(all, having int) float32 {
	return float32(math.Log1p((float64(all-having) + 0.5) / (float64(having) + 0.5)))
}

const (
	// effort is how many occurrences a search looks at, so that its cost stays the
	// same however long a scope grows: those of the rarest words, and of words that
	// occur everywhere the newest. It takes effect from some thousand messages on.
	effort = 8000
	// anchors is how many messages, those with the best words, are looked at
	// together with their neighbours; with up to fewHits, all are.
	anchors = 192
	fewHits = 640
)

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
		left -= x.find(q, i, left/int32(len(order)-n), left)
	}
	x.chooseAnchors(q)
	x.lendAll(q)
}

// occurrences is how many messages a term itself stands in.
func (x *Index) occurrences(t *term) int32 {
	if t.list < 0 {
		return 0
	}
	return x.lists[t.list].messages
}

// find collects the occurrences of a term and of its kin: all of them, if they
// are not more than most, else the newest, as many as is fair. It returns how
// many it looked at.
func (x *Index) find(q *question, i int, fair, most int32) int32 {
	s, t := &x.scratch, &q.terms[i]
	used := int32(0)
	if n := x.occurrences(t); n > most {
		used += x.findIn(t, t.list, 1, uint32(1)<<i, x.lists[t.list].newest(fair))
	} else if n > 0 {
		used += x.findIn(t, t.list, 1, uint32(1)<<i, fromStart)
	}
	for _, k := range t.kin {
		if x.lists[k.list].messages <= most-used {
			used += x.findIn(t, k.list, k.worth, uint32(1)<<i, fromStart)
		}
	}
	s.ends = append(s.ends, termEnd{i, len(s.found)})
	return used
}

// findIn enters the occurrences of one list at the given worth.
func (x *Index) findIn(t *term, list int32, worth float32, bit uint32, from step) int32 {
	s, l := &x.scratch, &x.lists[list]
	before := len(s.found)
	for i, d := int(from.at), from.before; i < len(l.data); {
		var n float32
		d, n, i = l.next(i, d)
		n *= worth
		switch mask := s.matched[d]; {
		case mask == 0:
			s.hit = append(s.hit, d)
			fallthrough
		case mask&bit == 0: // else nearer kin counts already
			s.matched[d] = mask | bit
			s.own[d] += t.idf * bm25(n, 1)
		}
		s.found = append(s.found, occurrence{d, n})
	}
	return int32(len(s.found) - before)
}

// chooseAnchors marks the messages that are looked at together with their
// neighbours. Scores are compared by where they fall on a coarse scale: what
// lies close together is not worth a sort, and the newer goes first.
func (x *Index) chooseAnchors(q *question) {
	s := &x.scratch
	if len(s.hit) <= fewHits {
		for _, d := range s.hit {
			s.anchor[d] = true
		}
		return
	}
	var counts [grades]int
	s.grades = s.grades[:0]
	for grade := x.grader(q); len(s.grades) < len(s.hit); {
		g := grade(s.hit[len(s.grades)])
		s.grades = append(s.grades, g)
		counts[g]++
	}
	cut, left := uint8(grades-1), anchors
	for ; cut > 0 && left >= counts[cut]; cut-- {
		left -= counts[cut]
	}
	for i := len(s.hit) - 1; i >= 0; i-- {
		switch g := s.grades[i]; {
		case g > cut:
			s.anchor[s.hit[i]] = true
		case g == cut && left > 0:
			s.anchor[s.hit[i]] = true
			left--
		}
	}
}

const (
	// grades is how many steps the scale of hits has; wholeGrade is that of a
	// full match.
	grades     = 256
	wholeGrade = 120
	// speakerGrade is what a hit gains if the question names its speaker.
	speakerGrade = 24
)

// grader returns the function that grades hits before their neighbours are known.
func (x *Index) grader(q *question) func(int32) uint8 {
	s, total := &x.scratch, float32(nothing)
	for i := range q.terms {
		total += q.terms[i].idf
	}
	look, unit := look{x: x, q: q}, wholeGrade/total
	return func(d int32) uint8 {
		g := s.own[d] * unit
		if x.light[d] { // its words count less
			m := &x.docs[d]
			g *= look.worth(m) / m.longPenalty()
		}
		if len(q.speakers) > 0 && look.speaks(&x.docs[d]) {
			g += speakerGrade
		}
		return uint8(min(g, grades-1))
	}
}

// lendAll spreads the occurrences in anchors over the messages around them, then
// adds what they are worth.
func (x *Index) lendAll(q *question) {
	s, begin := &x.scratch, 0
	for _, d := range s.hit {
		s.own[d], s.matched[d] = 0, 0 // from here on of anchors alone
	}
	for _, e := range s.ends {
		x.lendTerm(&q.terms[e.term], uint32(1)<<e.term, s.found[begin:e.end])
		begin = e.end
	}
	for _, d := range s.hit {
		s.anchor[d] = false
	}
}

// lendTerm does so for the occurrences of one term.
func (x *Index) lendTerm(t *term, bit uint32, found []occurrence) {
	s := &x.scratch
	for _, o := range found {
		if !s.anchor[o.doc] {
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
