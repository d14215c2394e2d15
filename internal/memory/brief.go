package memory

import (
	"slices"

	"github.com/hermes-memory/hermes/internal/language"
)

// brief is what a question needs to know of a fact, in one place and without
// pointers: a question weighs thousands of facts, and each look at the fact
// itself would wait for memory several times.
type brief struct {
	from, to int64 // of Fact.When, in Unix milliseconds
	kind     kindNumber
	timed    bool // has a When
	silent   bool // of a kind that answers nothing
	others   bool // about or by somebody else
	current  bool
	inner    bool // part of another fact, and fills no slot of its own
	replaced bool // an older fact
	reasoned bool // gives a reason
	valued   bool // fills a slot
}

// kindNumber stands for a kind where facts are counted by it.
type kindNumber uint8

// numberedKinds are the kinds in the order of their numbers; never written.
var numberedKinds = [...]Kind{
	Plain, Decision, Preference, Instruction, Identity, Event, Cause, Number,
	Question, Hypothetical, ThirdParty, Negated, Quoted, Proposal, Retraction,
}

const (
	numKinds = len(numberedKinds) + 1
	// otherKind is the number of whatever is no kind.
	otherKind = kindNumber(numKinds - 1)
)

// numberOf is the number of a kind.
func numberOf(k Kind) kindNumber {
	if i := slices.Index(numberedKinds[:], k); i >= 0 {
		return kindNumber(i) //nolint:gosec // there are few
	}
	return otherKind
}

// note brings the brief of a fact up to date.
func (s *State) note(n int32) {
	f, t := &s.facts[n], &s.traits[n]
	b := brief{
		kind: numberOf(f.Kind), current: f.Current(), inner: t.inner && !t.clause,
		replaced: t.was >= 0, reasoned: f.Because != "", valued: f.Value != "",
		others: f.Kind == ThirdParty, timed: !f.When.IsZero(),
	}
	switch f.Kind {
	case Question, Quoted, Hypothetical, Proposal, Retraction:
		b.silent = true
	}
	if b.timed {
		b.from, b.to = f.When.From.UnixMilli(), f.When.To.UnixMilli()
	}
	s.briefs[n] = b
}

// within reports whether the fact speaks of a time that overlaps the date.
func (b *brief) within(d language.Date) bool {
	return b.timed && b.from < d.To.UnixMilli() && d.From.UnixMilli() < b.to
}
