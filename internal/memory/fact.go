package memory

import (
	"time"

	"github.com/hermes-memory/hermes/internal/session"
)

// FactID identifies a fact: "f_" and 16 hex digits of a hash over the lineage, the
// position of the quote, and the kind. The same transcript gives the same ids
// everywhere.
type FactID string

// Kind is the sort of statement of a fact.
type Kind string

// The kinds. Those from Question on were said but not asserted: they are kept for
// completeness and never shown as true.
const (
	Plain       Kind = "fact"        // something is so
	Decision    Kind = "decision"    // a speaker decided something
	Preference  Kind = "preference"  // likes, dislikes, prefers
	Instruction Kind = "instruction" // how to behave from now on
	Identity    Kind = "identity"    // who the speaker is: name, role, place
	Event       Kind = "event"       // something happened, or will, at a time
	Cause       Kind = "cause"       // something is so because of something
	Number      Kind = "number"      // a measured or counted value

	Question     Kind = "question"     // asked
	Hypothetical Kind = "hypothetical" // imagined: if, would, might
	ThirdParty   Kind = "third_party"  // about or by another person
	Negated      Kind = "negated"      // denied
	Quoted       Kind = "quoted"       // words of another person
	Proposal     Kind = "proposal"     // suggested by the assistant, not accepted
	Retraction   Kind = "retraction"   // withdraws an earlier statement
)

// Asserted reports whether facts of this kind may be shown as true.
func (k Kind) Asserted() bool {
	switch k {
	case Plain, Decision, Preference, Instruction, Identity, Event, Cause, Number:
		return true
	}
	return false
}

// Source is the position of a fact's words.
type Source struct {
	MessageID int64
	SessionID session.ID
	Root      session.ID
	Seq       int64 // position of the message in its lineage
	Start     int   // byte offset of the quote in the message's text
	End       int   // byte offset just after it
	Role      session.Role
	Speaker   string // the name given with the message, if any
}

// Place is where the message stands.
func (s *Source) Place() Place { return Place{Root: s.Root, Seq: s.Seq} }

// OfProgram reports whether another program said it: an assistant with a name, as imported memories have.
func (s *Source) OfProgram() bool { return s.Role == session.Assistant && s.Speaker != "" }

// Fact is one retained statement.
type Fact struct {
	ID     FactID
	Kind   Kind
	Source Source
	// Quote is the exact text of the message from Start to End.
	Quote string
	// Statement is the quote without leading filler and closing punctuation: a part of
	// Quote, as it was said.
	Statement string
	// Subject, Attribute and Value are the slot that the fact fills. Subject and
	// Attribute are in lower case and stemmed; Value is verbatim. All are empty if the
	// sentence fills no slot. Two facts with equal subject and attribute are about the
	// same thing. If they contradict each other, the newer fact supersedes the older.
	Subject, Attribute, Value string
	// Replaces is the fact that a person marked as replaced by this one. It is not
	// stored: the link to the replaced fact is.
	Replaces FactID
	// EndedBy is an older fact that has ended this one already. It is not stored: SupersededBy is.
	EndedBy FactID
	// Because is the verbatim reason in the same sentence; "" for none.
	Because string
	// SaidAt is the time of the message; relative dates were resolved against it.
	SaidAt time.Time
	// When is the time that the fact is about; zero for none.
	When Interval
	// SupersededBy is the fact that replaced this one; "" while it is current.
	SupersededBy FactID
	// SupersededAt is the time of the replacing statement.
	SupersededAt time.Time
	// Links lead to other facts of the scope.
	Links []Link
}

// Current reports whether the fact still holds.
func (f *Fact) Current() bool { return f.SupersededBy == "" }

// Interval is a span of time, From inclusive, To exclusive. A day, a month and "in
// 2022" are intervals; the width is the precision.
type Interval struct{ From, To time.Time }

// IsZero reports whether the interval is empty.
func (i Interval) IsZero() bool { return i.From.IsZero() }

// LinkKind is the relation between two facts.
type LinkKind string

// The links. Each names the relation of the fact that has it to the other fact.
const (
	Supersedes LinkKind = "supersedes" // this replaced the other
	Perhaps    LinkKind = "perhaps"    // this perhaps replaced the other; both hold
	Superseded LinkKind = "superseded" // this had replaced the other, until one that was said between them was stored
	Answers    LinkKind = "answers"    // this replies to the other, which the assistant said
)

// Link leads from one fact to another of the same scope.
type Link struct {
	Kind LinkKind
	To   FactID
}

// Reversal is a fact that contradicts an earlier one on the same subject.
type Reversal struct {
	Was, Now Fact
	// Why is the reason given with the new statement, verbatim; "" for none.
	Why string
}
