package recall

import (
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

// With which thing a clause begins, and which words narrow that thing: "the dose for children", "the oral exam".

// leadsIn reports whether a clause of a passage begins with the thing asked for, and whether each clause that has the thing
// begins with it and with words that narrow it.
func (q *question) leadsIn(p *passage) (leads, narrowed bool) {
	r := p.owners
	if r == nil {
		r = newOwnerReader(p.text, wordsOf(p.text)) // p.words may have words of the question
	}
	s := subjects{q, r}
	told := false
	for start, end := 0, 0; start < len(s.parts); start = end {
		for end = start + 1; end < len(s.parts) && !s.parts[end].breaks; end++ {
		}
		if !slices.ContainsFunc(s.parts[start:end], s.asked) {
			continue
		}
		begins, narrows := s.begins(s.parts[start:end])
		leads = leads || begins && !narrows
		narrowed, told = narrowed || begins && narrows, told || !begins
	}
	return leads, narrowed && !leads && !told
}

// subjects reads with what the clauses of a passage begin.
type subjects struct {
	q *question
	*ownerReader
}

// asked reports whether a part is a word of the question.
func (s *subjects) asked(p part) bool {
	return s.q.has(p.stem) || s.q.has(s.said[p.at].stem)
}

// narrower reports whether a part says which thing is meant, and the question does not.
func (s *subjects) narrower(p part) bool {
	return p.said() && !p.number && !s.asked(p) && !thePlainWords().renews[p.low]
}

// preposition reports whether a part leads to what narrows the thing before it.
func (s *subjects) preposition(p part) bool { return thePlainWords().narrows[s.tongue][p.low] }

// predicate reports whether a part may open what is said of the subject before it.
func (s *subjects) predicate(p part) bool {
	return !s.preposition(p) && !p.number && p.duty&(dutyAnd|dutyArticle|determines) == 0
}

// verb reports whether a part is known as a verb.
func (s *subjects) verb(p part) bool {
	return p.duty&(dutyBe|dutyNaming|dutyDoes) != 0 || s.tongue == english && language.Verb(p.stem)
}

// continues reports whether a word of the question behind a thing belongs to the name of the thing, and is no verb: "speed
// limit". French and Spanish join such names with a preposition.
func (s *subjects) continues(p part) bool {
	return s.tongue == english && !s.verb(p) || s.tongue == german && p.written
}

// begins reports whether a clause begins with a thing asked for and goes on, and whether it narrows the thing. "I" and what
// the question says of the asker count as well: "I live in Ulm".
func (s *subjects) begins(clause []part) (begins, narrows bool) {
	i := 0
	for i < len(clause) && clause[i].duty&(dutyArticle|determines|dutyMe|dutyUs) != 0 {
		i++
	}
	first := i
	for i < len(clause) && clause[i].said() && !s.asked(clause[i]) {
		i++
	}
	if i == len(clause) || !s.asked(clause[i]) {
		return false, false
	}
	narrows = slices.ContainsFunc(clause[first:i], s.narrower)
	for i++; i < len(clause) && s.asked(clause[i]) && s.continues(clause[i]); i++ {
	}
	behind, rest := s.behindThing(clause[i:])
	narrows = narrows || behind
	return len(rest) > 0 && (!narrows || s.predicate(rest[0])), narrows
}

// ofThing reports whether a word that is said belongs to the thing behind a preposition: its first word does, and in English
// each further one up to a verb.
func (s *subjects) ofThing(w part, first bool) bool {
	return w.said() && (first || s.tongue == english && !s.verb(w))
}

// behindThing reports whether the words behind a thing narrow it. rest is what follows them.
func (s *subjects) behindThing(words []part) (narrows bool, rest []part) {
	for len(words) > 0 && s.preposition(words[0]) {
		i := 1
		for i < len(words) && words[i].duty&(dutyArticle|determines) != 0 {
			i++
		}
		first := i
		for i < len(words) && s.ofThing(words[i], i == first) {
			narrows = narrows || s.narrower(words[i])
			i++
		}
		if i > first+1 && strings.HasSuffix(words[i-1].low, "s") && (i == len(words) || !s.predicate(words[i])) {
			i-- // a verb: "the ticket for the museum costs 8 dollars"
		}
		words = words[i:]
	}
	if narrows || s.tongue == german {
		return narrows, words
	}
	i := 0
	for i < len(words) && s.narrower(words[i]) && !words[i].capital {
		i++
	}
	if i > 0 && i < len(words) && words[i].duty&dutyBe != 0 {
		return true, words[i:]
	}
	return false, words
}
