package memory

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/session"
)

// ProgramNote is the note of a message with memories that another program wrote down, and that were
// imported: the message of an assistant, each statement of which is a fact.
const ProgramNote = string(anyKind)

// ByProgram reports whether the speaker of a message is a program, as an import names it. No one has said that name.
func ByProgram(m *session.Message) bool {
	return m.Role == session.Assistant && mention.IsProgram(m.Name)
}

// FormatNote is the note of a message that a person added to memory: the kind of its
// fact, and the fact that it replaces.
func FormatNote(kind Kind, replaces FactID) string {
	if kind == "" {
		kind = anyKind
	}
	if replaces == "" {
		return string(kind)
	}
	return string(kind) + " " + string(replaces)
}

// NoteReplaces is the fact a note replaces; "" for none.
func NoteReplaces(note string) FactID {
	_, replaces, _ := strings.Cut(note, " ")
	return FactID(replaces)
}

// CopyNote is a note in a copy of its lineage, where the replaced fact has another
// position and so another id.
func CopyNote(note string, replaced *Fact, root session.ID, seq int64) string {
	kind, _, _ := strings.Cut(note, " ")
	at := span{replaced.Source.Start, replaced.Source.End}
	return FormatNote(Kind(kind), factID(root, seq, at, replaced.Kind))
}

// EchoNote marks a message that only repeats memory. Nothing is learnt from it, and it
// is not recalled.
const EchoNote = session.EchoNote

// FoundNote marks an echo that also shows text of other programs.
const FoundNote = session.FoundNote

// AsideNote marks an echo that is in no later prompt either.
const AsideNote = session.AsideNote

// anyKind is used in a note whose words decide the kind.
const anyKind Kind = "note"

// noteFacts are the facts of a message that a person added to memory: the assertions in
// it; or the whole message, if it asserts nothing or a kind is given. A message with a
// secret is never one fact. Those of another program's memories are their statements.
func noteFacts(d message) []Fact {
	kind, replaces, _ := strings.Cut(d.Note, " ")
	if mention.Emptied(d.Text) {
		return nil
	}
	said, _ := distill(d, nil, nil)
	if d.Role == session.Assistant {
		endedIn(said, d.Note)
		return said
	}
	var facts []Fact
	for _, f := range said {
		if f.Kind.Asserted() {
			facts = append(facts, f)
		}
	}
	if len(d.secrets) > 0 {
		return facts
	}
	if Kind(kind) != anyKind || len(facts) == 0 {
		one := Fact{Kind: Plain, Quote: d.Text, Statement: d.Text, SaidAt: d.SaidAt}
		if len(facts) > 0 { // keep the slot, so that it replaces what it contradicts
			one.Subject, one.Attribute, one.Value = facts[0].Subject, facts[0].Attribute, facts[0].Value
			one.Because, one.When = facts[0].Because, facts[0].When
		}
		if Kind(kind) != anyKind {
			one.Kind = Kind(kind)
		}
		one.Source = Source{
			MessageID: d.MessageID, SessionID: d.SessionID, Root: d.Root, Seq: d.Seq,
			End: len(d.Text), Role: d.Role, Speaker: d.Speaker,
		}
		one.ID = factID(d.Root, d.Seq, span{0, len(d.Text)}, one.Kind)
		facts = []Fact{one}
	}
	facts[0].Replaces = FactID(replaces)
	return facts
}

// ofProgram reports whether a message holds memories of another program.
func (x *distiller) ofProgram() bool { return x.d.Role == session.Assistant && x.d.Note != "" }

// ofMemories keeps the statements of another program's memories. That program judged what is worth
// keeping, and it speaks of the user as of another person.
func (x *distiller) ofMemories() {
	for i := 0; i < len(x.sentences) && len(x.units) < maxFactsOfUser; i++ {
		r := &x.sentences[i]
		if r.signs.has(signAsks) || isLayout(x.d.Text, r.Start) {
			continue
		}
		u := unit{i, i, find(kindRows, r.signs, Plain)}
		if n := len(x.units); n > 0 && x.goesOn(&x.units[n-1], i) {
			x.units[n-1] = unit{x.units[n-1].from, i, stronger(x.units[n-1].kind, u.kind)}
			continue
		}
		x.units = append(x.units, u)
	}
	x.keepUnits()
}

// goesOn reports whether sentence i of another program's memories belongs to a statement before it: it
// stands in the same paragraph, and needs that statement to be understood. Each item of a list stands alone.
func (x *distiller) goesOn(u *unit, i int) bool {
	r, before := &x.sentences[i], &x.sentences[u.to]
	joined := u.to == i-1 && !r.signs.has(signBullet) && !strings.Contains(x.d.Text[before.End:r.Start], "\n")
	return joined && x.leans(i) && r.End-x.sentences[u.from].Start <= maxUnit
}
