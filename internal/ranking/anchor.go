package ranking

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// found counts a term, or its kin, in the message of a cell.
type found struct {
	place int32
	n     float32
}

// termEnd is the end of the occurrences of a term.
type termEnd struct {
	term int // index in the question
	end  int
}

const (
	// effort bounds how many occurrences a search reads, so that its cost does not grow
	// with the scope. It reads the occurrences of the rarest words. The rarest
	// mostCommon of the other words are searched only in the messages found so far:
	// among 60,000 messages R@10 is 70.2 with four of them as with all, 69.7 with two.
	effort     = 1000
	mostCommon = 4
	// anchors is how many of the best messages are scored together with their
	// neighbours. With up to fewHits hits, all of them are; in a scope of up to
	// shortScope messages, five times as many. In a long scope a hit has seven
	// neighbours that no other hit shares: among 60,000 messages R@10 is 70.2 with 96
	// of them and 64 anchors, and with 160 and 80.
	anchors    = 64
	fewHits    = 96
	shortScope = 8000
)

// match scores all messages term by term, rarest first.
func (x *Index) match(q *question) {
	s := x.scratch
	var space [32]int
	order := space[:0]
	for i := range q.terms {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x.messages(q.terms[a].word), x.messages(q.terms[b].word)) })
	taken := int32(0)
	for n, i := range order {
		if x.messages(q.terms[i].word) > effort-taken && len(s.hits) >= anchors {
			x.findInHits(q, order[n:min(len(order), n+mostCommon)])
			break
		}
		taken += x.find(q, i, (effort-taken)/int32(len(order)-n), effort-taken)
	}
	x.chooseAnchors(q)
	x.lendAll(q)
}

// find collects the occurrences of a term and its kin: all if there are at most most,
// otherwise the newest, up to a fair share. It returns how many it read.
func (x *Index) find(q *question, i int, fair, most int32) int32 {
	s, t := x.scratch, &q.terms[i]
	used := int32(0)
	if n := x.messages(t.word); n > most {
		used += x.findIn(t, t.word, 1, uint32(1)<<i, fair)
	} else if n > 0 {
		used += x.findIn(t, t.word, 1, uint32(1)<<i, n)
	}
	for _, k := range t.kin {
		if n := x.messages(k.word); n <= most-used {
			used += x.findIn(t, k.word, k.worth, uint32(1)<<i, n)
		}
	}
	s.ends = append(s.ends, termEnd{i, len(s.found)})
	return used
}

// findIn adds the newest occurrences of a word with the given weight.
func (x *Index) findIn(t *term, word int32, worth float32, bit uint32, newest int32) int32 {
	s := x.scratch
	s.postings = x.newestWith(s.postings[:0], word, newest)
	for _, o := range s.postings {
		p := s.place(o.doc)
		if int(p) > len(s.hits) {
			s.hits = append(s.hits, hit{doc: o.doc})
		}
		s.meet(t, bit, p, float32(o.count)*worth)
	}
	return int32(len(s.postings))
}

// findInHits looks for terms in the words of the messages that rarer ones have
// found, and takes each for one occurrence.
func (x *Index) findInHits(q *question, terms []int) {
	s := x.scratch
	x.ahead(s.docsOfHits, needBrief, needWords)
	s.texts = s.texts[:0]
	for i := range s.hits {
		text := x.wordsOf(s.hits[i].doc)
		s.texts = append(s.texts, text)
		s.fetch(text)
	}
	var w wantedWords
	w.want(q, terms)
	for i := range s.hits {
		s.hits[i].common = w.in(s.texts[i])
	}
	clear(s.texts)
	for _, i := range terms {
		bit := uint32(1) << i
		for n := range s.hits {
			if s.hits[n].common&bit != 0 {
				s.meet(&q.terms[i], bit, int32(n+1), 1)
			}
		}
		s.ends = append(s.ends, termEnd{i, len(s.found)})
	}
}

// fetch loads the words of a message into the cache. Called for many messages in
// advance, it lets the processor wait for all of them concurrently, instead of for one
// after the other.
func (s *scratch) fetch(words []byte) {
	const line = 64 // bytes in a cache line
	for i := 0; i < len(words); i += line {
		s.fetched += words[i]
	}
}

// wantedWords are the words to find in messages. They are few, so eight bits of their
// hashes rule out most other words.
type wantedWords struct {
	hashes [mostCommon]uint32
	bits   [mostCommon]uint32 // of their terms; 0 for none
	maybe  [1 << 8]bool
}

func (w *wantedWords) want(q *question, terms []int) {
	for n, i := range terms[:min(len(terms), mostCommon)] {
		w.hashes[n], w.bits[n] = q.terms[i].hash, uint32(1)<<i
		w.maybe[w.hashes[n]&0xff] = true
	}
}

// in returns the bits of the terms among a message's words.
func (w *wantedWords) in(words []byte) (found uint32) {
	for ; len(words) >= hashSize; words = words[hashSize:] {
		if !w.maybe[words[0]] {
			continue
		}
		if n := slices.Index(w.hashes[:], binary.LittleEndian.Uint32(words)); n >= 0 {
			found |= w.bits[n]
		}
	}
	return found
}

// meet adds n occurrences of a term to the message of a cell.
func (s *scratch) meet(t *term, bit uint32, place int32, n float32) {
	h := &s.hits[place-1]
	if h.terms&bit == 0 { // otherwise nearer kin is counted already
		h.terms |= bit
		if n != 1 {
			h.glance += t.idf * bm25(n, 1)
		} else {
			h.glance += t.idf
		}
	}
	s.found = append(s.found, found{place, n})
}

// chooseAnchors marks the messages that are scored together with their neighbours.
// Scores are compared in coarse steps: nearly equal scores are not worth sorting, and
// newer messages come first.
func (x *Index) chooseAnchors(q *question) {
	s := x.scratch
	few := fewHits
	if x.Len() <= shortScope {
		few *= 5
	}
	if len(s.hits) <= few {
		x.ahead(s.docsOfHits, needRecord)
		for i := range s.hits {
			x.anchor(int32(i + 1))
		}
		return
	}
	x.ahead(s.docsOfHits, needBrief)
	var counts [grades]int
	s.grades = s.grades[:0]
	grade := x.grader(q)
	for i := range s.hits {
		g := grade(&s.hits[i])
		s.grades = append(s.grades, g)
		counts[g]++
	}
	cut, left := uint8(grades-1), anchors
	for ; cut > 0 && left >= counts[cut]; cut-- {
		left -= counts[cut]
	}
	s.chosen = s.chosen[:0]
	for p := int32(len(s.hits)); p > 0; p-- {
		g := s.grades[p-1]
		if g < cut || g == cut && left == 0 {
			continue
		}
		if g == cut {
			left--
		}
		s.chosen = append(s.chosen, p)
	}
	x.ahead(s.docsOf(s.chosen), needRecord)
	for _, p := range s.chosen {
		x.anchor(p)
	}
}

// anchor makes the message of a cell one whose words count for its neighbours.
func (x *Index) anchor(p int32) { x.scratch.cells[x.see(x.scratch.cells[p].doc)].anchor = true }

const (
	// grades is the number of steps of the scale for hits; wholeGrade is the grade of a
	// full match.
	grades     = 256
	wholeGrade = 120
	// speakerGrade is the bonus for a hit by a speaker whom the question names.
	speakerGrade = 24
)

// grader returns the function that grades hits before their neighbours are known.
func (x *Index) grader(q *question) func(*hit) uint8 {
	total := float32(nothing)
	for i := range q.terms {
		total += q.terms[i].idf
	}
	look, unit, others := look{x: x, q: q}, wholeGrade/total, float32(1)
	if x.known.mixed && !q.asksYou {
		others = otherRoles
	}
	return func(h *hit) uint8 {
		in, d := x.at(h.doc)
		b := x.brief(in, d)
		g := h.glance * unit * float32(b.light&lightest) / lightest
		if b.light > lightest {
			g *= others
		}
		if len(q.speakers) > 0 && look.speaks(b.speaker) {
			g += speakerGrade
		}
		return uint8(min(g, grades-1))
	}
}
