package ranking

import (
	"cmp"
	"slices"
)

// occurrence is how often a term or its kin stand in the message of a cell.
type occurrence struct {
	place int32
	n     float32
}

// termEnd is where the occurrences of a term end.
type termEnd struct {
	term int // of the question
	end  int
}

const (
	// effort is how many occurrences a search takes in, so that its cost stays the
	// same however long a scope grows: those of the rarest words. The rarest
	// mostCommon of the others are looked for in the messages that these have found:
	// among 60,000 messages R@10 is 70.2 with four of them as with all, 69.7 with two.
	effort     = 1000
	mostCommon = 4
	// anchors is how many messages, those with the best words, are looked at
	// together with their neighbours; with up to fewHits, all are, and in a scope
	// of up to shortScope messages with up to five times as many. For a hit has
	// seven neighbours, far from the others' when the scope is long: among 60,000
	// messages R@10 is 70.2 with 96 of them and 64 anchors, and with 160 and 80.
	anchors    = 64
	fewHits    = 96
	shortScope = 8000
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
	taken := int32(0)
	for n, i := range order {
		if x.occurrences(&q.terms[i]) > effort-taken && s.hits >= anchors {
			x.findInHits(q, order[n:min(len(order), n+mostCommon)])
			break
		}
		taken += x.find(q, i, (effort-taken)/int32(len(order)-n), effort-taken)
	}
	x.chooseAnchors(q)
	x.lendAll(q)
}

// occurrences is how many messages a term itself stands in.
func (x *Index) occurrences(t *term) int32 {
	if t.list < 0 {
		return 0
	}
	return x.holders[t.list]
}

// find collects the occurrences of a term and of its kin: all of them, if they
// are not more than most, else the newest, as many as is fair. It returns how
// many it looked at.
func (x *Index) find(q *question, i int, fair, most int32) int32 {
	s, t := &x.scratch, &q.terms[i]
	used := int32(0)
	if n := x.occurrences(t); n > most {
		used += x.findIn(t, t.list, 1, uint32(1)<<i, x.lists[t.list].newest(fair, n))
	} else if n > 0 {
		used += x.findIn(t, t.list, 1, uint32(1)<<i, fromStart)
	}
	for _, k := range t.kin {
		if x.holders[k.list] <= most-used {
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
		p := s.place(d)
		if p > s.hits {
			s.hits = p
		}
		s.meet(t, bit, p, n*worth)
	}
	return int32(len(s.found) - before)
}

// findInHits looks for terms in the words of the messages that rarer ones have
// found, and takes each for one occurrence.
func (x *Index) findInHits(q *question, terms []int) {
	s := &x.scratch
	for p := int32(1); p <= s.hits; p++ {
		x.wordings.fetch(s.cells[p].doc)
	}
	var w wantedWords
	w.want(q, terms)
	for p := int32(1); p <= s.hits; p++ {
		s.cells[p].common |= w.in(x.wordings.of(s.cells[p].doc))
	}
	for _, i := range terms {
		bit := uint32(1) << i
		for p := int32(1); p <= s.hits; p++ {
			if s.cells[p].common&bit != 0 {
				s.meet(&q.terms[i], bit, p, 1)
			}
		}
		s.ends = append(s.ends, termEnd{i, len(s.found)})
	}
}

// wantedWords are the words that are looked for in the words of messages. They are few,
// so most words are told from them by their last eight bits.
type wantedWords struct {
	lists [mostCommon]int32
	bits  [mostCommon]uint32 // of their terms
	maybe [1 << 8]bool
}

func (w *wantedWords) want(q *question, terms []int) {
	w.lists = [mostCommon]int32{-1, -1, -1, -1}
	for n, i := range terms {
		w.lists[n], w.bits[n] = q.terms[i].list, uint32(1)<<i
	}
	w.maybe[farWord&0xff] = true
	for _, list := range w.lists {
		w.maybe[list&0xff] = true
	}
}

// in is the bits of the terms that stand among the words of a message.
func (w *wantedWords) in(words []uint16) (found uint32) {
	for k := 0; k < len(words); k++ {
		if !w.maybe[words[k]&0xff] {
			continue
		}
		word := int32(words[k])
		if word == farWord {
			word = int32(words[k+1])<<16 | int32(words[k+2])
			k += 2
		}
		if n := slices.Index(w.lists[:], word); n >= 0 {
			found |= w.bits[n]
		}
	}
	return found
}

// meet enters n occurrences of a term in the message of a cell.
func (s *scratch) meet(t *term, bit uint32, place int32, n float32) {
	c := &s.cells[place]
	if c.terms&bit == 0 { // else nearer kin counts already
		c.terms |= bit
		if n != 1 {
			c.glance += t.idf * bm25(n, 1)
		} else {
			c.glance += t.idf
		}
	}
	s.found = append(s.found, occurrence{place, n})
}

// chooseAnchors marks the messages that are looked at together with their
// neighbours. Scores are compared by where they fall on a coarse scale: what
// lies close together is not worth a sort, and the newer goes first.
func (x *Index) chooseAnchors(q *question) {
	s := &x.scratch
	few := int32(fewHits)
	if len(x.docs) <= shortScope {
		few *= 5
	}
	if s.hits <= few {
		for p := int32(1); p <= s.hits; p++ {
			s.cells[p].anchor = true
		}
		return
	}
	var counts [grades]int
	s.grades = s.grades[:0]
	grade := x.grader(q)
	for p := int32(1); p <= s.hits; p++ {
		g := grade(&s.cells[p])
		s.grades = append(s.grades, g)
		counts[g]++
	}
	cut, left := uint8(grades-1), anchors
	for ; cut > 0 && left >= counts[cut]; cut-- {
		left -= counts[cut]
	}
	for p := s.hits; p > 0; p-- {
		g := s.grades[p-1]
		if g < cut || g == cut && left == 0 {
			continue
		}
		if g == cut {
			left--
		}
		s.cells[p].anchor = true
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
func (x *Index) grader(q *question) func(*cell) uint8 {
	total := float32(nothing)
	for i := range q.terms {
		total += q.terms[i].idf
	}
	look, unit, others := look{x: x, q: q}, wholeGrade/total, float32(1)
	if x.mixed && !q.asksYou {
		others = otherRoles
	}
	return func(c *cell) uint8 {
		g := c.glance * unit * float32(x.light[c.doc]&lightest) / lightest
		if x.light[c.doc] > lightest {
			g *= others
		}
		if len(q.speakers) > 0 && look.speaks(&x.docs[c.doc]) {
			g += speakerGrade
		}
		return uint8(min(g, grades-1))
	}
}
