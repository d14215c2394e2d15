package memory

import (
	"time"

	"github.com/hermes-memory/hermes/internal/session"
)

// FactID names a fact: "f_" and 16 hex digits of a hash over the lineage, the
// place of the quote in it, and the kind. The same transcript gives the same
// ids everywhere.
type FactID string

// Kind is what sort of statement a fact is.
type Kind string

// The kinds. Those from Question on were said but not asserted: they are kept for
// completeness and never shown as true.
const (
	Plain       Kind = "fact"        // something is so
	Decision    Kind = "decision"    // somebody settled something
	Preference  Kind = "preference"  // likes, dislikes, prefers
	Instruction Kind = "instruction" // how to behave from now on
	Identity    Kind = "identity"    // who the speaker is: name, role, place
	Event       Kind = "event"       // something happened, or will, at a time
	Cause       Kind = "cause"       // something is so because of something
	Number      Kind = "number"      // a measured or counted value

	Question     Kind = "question"     // asked
	Hypothetical Kind = "hypothetical" // imagined: if, would, might
	ThirdParty   Kind = "third_party"  // about or by somebody else
	Negated      Kind = "negated"      // denied
	Quoted       Kind = "quoted"       // somebody else's words
	Proposal     Kind = "proposal"     // suggested by the assistant, not accepted
	Retraction   Kind = "retraction"   // takes back what was said before
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
	Seq       int64 // place of the message in its lineage
	Start     int   // byte offset of the quote in the message's text
	End       int   // byte offset just after it
	Role      session.Role
	Speaker   string // the name given with the message, if any
}

// Fact is one retained statement.
type Fact struct {
	ID     FactID
	Kind   Kind
	Source Source
	// Quote is the exact text of the message from Start to End.
	Quote string
	// Statement says the same on its own, without leading filler. Every content
	// word of it occurs in the cited message or in the ones just before it.
	Statement string
	// Subject, Attribute and Value are the slot the fact fills, lower-cased and
	// stemmed for comparison except Value, which is verbatim. All empty when the
	// sentence fills no slot. Two facts with the same subject and attribute
	// speak of the same thing; if both cannot be true, the newer one supersedes
	// the older.
	Subject, Attribute, Value string
	// Former is the value that the sentence itself says was replaced, verbatim:
	// "Postgres" in "we moved from Postgres to MySQL"; "" when it names none. It
	// only serves to find the fact replaced and need not be stored.
	Former string
	// Replaces is the fact that a person named as outdated by this one. Like
	// Former it is not stored: the link to the replaced fact is.
	Replaces FactID
	// By names the model that proposed the fact; "" for our own reading.
	By string
	// Because is the verbatim reason given in the same breath; "" for none.
	Because string
	// SaidAt is the time of the message; relative dates were resolved against it.
	SaidAt time.Time
	// When is the time the fact speaks of; zero when it names none.
	When Interval
	// SupersededBy is the fact that replaced this one; "" while it is current.
	SupersededBy FactID
	// SupersededAt is when that was said.
	SupersededAt time.Time
	// Links lead to other facts of the scope.
	Links []Link
}

// Current reports whether the fact still holds.
func (f *Fact) Current() bool { return f.SupersededBy == "" }

// Interval is a span of time, From inclusive, To exclusive. A day, a month and "in
// 2022" are all intervals; the width is the precision.
type Interval struct{ From, To time.Time }

// IsZero reports whether the interval is empty.
func (i Interval) IsZero() bool { return i.From.IsZero() }

// LinkKind is the relation between two facts.
type LinkKind string

// The links, read from the fact that carries them to the other.
const (
	Because    LinkKind = "because"    // this is so because of the other
	Then       LinkKind = "then"       // the other happened after this
	Supersedes LinkKind = "supersedes" // this replaced the other
)

// Link leads from one fact to another of the same scope.
type Link struct {
	Kind LinkKind
	To   FactID
}

// Reversal is a fact that contradicts an earlier one of the same subject.
type Reversal struct {
	Was, Now Fact
	// Why is the reason given with the new statement, verbatim; "" for none.
	Why string
}
