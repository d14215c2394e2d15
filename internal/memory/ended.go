package memory

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/session"
)

// The memories of another program are stored again where one before them was edited there: they are new messages then,
// learnt behind all others. A statement in them that was replaced here stays replaced. The note of the message says by
// which fact, so that a rebuild learns the same.

// IsProgramNote reports whether a message holds memories of another program, each statement of which is a fact.
func IsProgramNote(m *session.Message) bool {
	kind, _, _ := strings.Cut(m.Note, " ")
	return m.Role == session.Assistant && kind == ProgramNote
}

// Endings are statements that were ended, by their words, with the facts that ended them.
type Endings map[string]FactID

// words name a statement.
func (f *Fact) words() string { return string(f.Kind) + " " + f.Quote }

// Add adds those of some facts that other facts than these have ended.
func (e Endings) Add(facts []Fact) {
	among := make(map[FactID]bool, len(facts))
	for i := range facts {
		among[facts[i].ID] = true
	}
	for i := range facts {
		if f := &facts[i]; !f.Current() && !among[f.SupersededBy] {
			e[f.words()] = f.SupersededBy
		}
	}
}

// Note is the note of a message with memories of another program, some facts of which are ended already.
func (e Endings) Note(facts []Fact) string {
	note := ProgramNote
	for i := range facts {
		if by := e[facts[i].words()]; by != "" {
			note += " " + string(facts[i].ID) + "=" + string(by)
		}
	}
	return note
}

// endedIn notes of the facts of a message which of them the note of the message says to be ended.
func endedIn(facts []Fact, note string) {
	if !strings.Contains(note, "=") {
		return
	}
	by := make(map[FactID]FactID)
	for pair := range strings.FieldsSeq(note) {
		if id, end, is := strings.Cut(pair, "="); is {
			by[FactID(id)] = FactID(end)
		}
	}
	for i := range facts {
		facts[i].EndedBy = by[facts[i].ID]
	}
}

// end ends a new fact that an older one has ended already, if that one is there.
func (s *State) end(now *record) {
	if by := s.named(now.EndedBy); by != nil && by != now {
		now.SupersededBy, now.SupersededAt = by.ID, by.SaidAt
	}
}

// successor is the fact that replaced a fact; nil for none. It was said later, or stored later, or it had ended an earlier
// copy of another program's memory.
func (s *State) successor(k *record, find func(FactID) *record) *record {
	next := find(k.SupersededBy)
	if next == nil || next.after(k) || next.Number > k.Number {
		return next
	}
	if !k.Source.OfProgram() || next.Source.OfProgram() {
		return nil
	}
	return next
}
