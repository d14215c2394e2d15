package memory

import "strings"

// byPerson bounds the facts about a person that a pronoun is compared with.
const byPerson = 16

// pronouns open a statement about a person who was named before; never written.
var pronouns = [...]string{"he", "she", "he's", "she's", "he’s", "she’s"}

// opensWithPronoun reports whether a statement is about a person whom it does not name.
func opensWithPronoun(statement string) bool {
	first, _, _ := strings.Cut(statement, " ")
	return contains(pronouns[:], strings.ToLower(first))
}

// meant is the fact that a statement such as "He's a cook now" perhaps ends: of what was said about
// the person who was named last, that which is nearest in meaning. nil for none. The words of the
// statement have no part in those of the fact, so that the features of links tell nothing.
func (s *State) meant(now *record) *record {
	if !opensWithPronoun(now.Statement) || !s.signature(now).cues.any(turnCues) {
		return nil
	}
	named := s.namedLast(now)
	if named == nil {
		return nil
	}
	about, of := s.signature(now), s.signature(named)
	best, nearest := named, about.vector.Cosine(&of.vector)
	for i := range of.terms[:of.numTerms] {
		if !of.terms[i].flags.has(nameTerm) {
			continue
		}
		s.list = s.newest(s.list[:0], keyOf(termKey, of.terms[i].stem), byPerson)
		for _, k := range s.facts(s.list) {
			if c := about.vector.Cosine(&s.signature(k).vector); c > nearest && s.endableBy(k, now) {
				best, nearest = k, c
			}
		}
	}
	return best
}

// namedLast is the newest fact about a person that the speaker told in the conversation shortly
// before another; nil for none.
func (s *State) namedLast(now *record) *record {
	s.list = s.newest(s.list[:0], keyOf(assertedKey, 0), byTime)
	for _, k := range s.facts(s.list) {
		near := k.Source.Root == now.Source.Root && now.Source.Seq-k.Source.Seq <= 2*Reach
		if near && s.endableBy(k, now) && s.signature(k).ofPerson() {
			return k
		}
	}
	return nil
}

// endableBy reports whether a fact holds, and may be ended by a newer one of its speaker.
func (s *State) endableBy(was, now *record) bool {
	p := pool{s: s, now: now}
	return was.Source.Speaker == now.Source.Speaker && p.put(was)
}

// ofPerson reports whether a statement is about a person: it has a word for a relation, or begins
// with a name.
func (g *signature) ofPerson() bool {
	if g.cues.any(cuesOf(tagRelation)) {
		return true
	}
	for i := range g.terms[:g.numTerms] {
		if f := g.terms[i].flags; f.has(nameTerm) && f.has(headTerm) {
			return true
		}
	}
	return false
}
