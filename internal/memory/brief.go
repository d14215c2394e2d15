package memory

import (
	"slices"

	"github.com/hermes-memory/hermes/internal/language"
)

// brief is the part of a fact that questions read, in two bytes. A question weighs a
// thousand facts out of any number, so briefs lie together and share cache lines.
type brief struct {
	kind kindNumber
	is   aspects
}

// aspects are properties of a fact, one bit each.
type aspects uint8

const (
	timed    aspects = 1 << iota // has a When
	silent                       // of a kind that answers no question
	others                       // about or by another person
	current                      // nothing has replaced it
	replaced                     // an older fact
	reasoned                     // gives a reason
)

// has reports whether any of the aspects holds.
func (a aspects) has(any aspects) bool { return a&any != 0 }

// when adds an aspect if it holds.
func (a aspects) when(holds bool, one aspects) aspects {
	if holds {
		return a | one
	}
	return a
}

// kindNumber is the number of a kind, for counting facts by kind.
type kindNumber uint8

// numberedKinds are the kinds in the order of their numbers; never written.
var numberedKinds = [...]Kind{
	Plain, Decision, Preference, Instruction, Identity, Event, Cause, Number,
	Question, Hypothetical, ThirdParty, Negated, Quoted, Proposal, Retraction,
}

const (
	numKinds = len(numberedKinds) + 1
	// otherKind is the number for anything that is not a kind.
	otherKind = kindNumber(numKinds - 1)
)

// numberOf is the number of a kind.
func numberOf(k Kind) kindNumber {
	if i := slices.Index(numberedKinds[:], k); i >= 0 {
		return kindNumber(i)
	}
	return otherKind
}

// note updates the brief of a fact.
func (s *State) note(n int32) {
	f, t := &s.facts[n], &s.traits[n]
	is := aspects(0).when(!f.When.IsZero(), timed).when(f.Kind == ThirdParty, others).when(f.Current(), current).
		when(t.was >= 0, replaced).when(f.Because != "", reasoned)
	switch f.Kind {
	case Question, Quoted, Hypothetical, Proposal, Retraction:
		is |= silent
	}
	s.briefs[n] = brief{kind: numberOf(f.Kind), is: is}
}

// overlaps reports whether a fact's time overlaps the date, with the precision of the
// store: a millisecond.
func (s *State) overlaps(n int32, d language.Date) bool {
	when := &s.facts[n].When
	return s.briefs[n].is.has(timed) && when.From.UnixMilli() < d.To.UnixMilli() && d.From.UnixMilli() < when.To.UnixMilli()
}
