package memory

import "slices"

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

// silent reports whether facts of the kind answer no question.
func (k kindNumber) silent() bool {
	if k == otherKind {
		return false
	}
	switch numberedKinds[k] {
	case Question, Quoted, Hypothetical, Proposal, Retraction:
		return true
	}
	return false
}
