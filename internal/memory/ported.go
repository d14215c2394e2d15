package memory

import (
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

// ported finds what a part was made with, or kept in, before n said that another
// technology of the category replaced it: "our backend is in Ruby", "the backend has
// been ported to Elixir". The statement of n names the part, whatever its slot.
func (s *State) ported(n int32) []int32 {
	f, t := &s.facts[n], &s.traits[n]
	if !t.change || t.value.sort != techValue || isStatus(f.Attribute) {
		return nil
	}
	var words []string
	var out []int32
	for category := 1; category < len(s.l.categories); category++ {
		if !sameSort(s.l.categories[category], t.value.of) {
			continue
		}
		for _, o := range newestOf(s.techs[uint8(category)]) {
			part := s.partOf(o)
			if o == n || part == "" || s.traits[o].value.is == t.value.is || !sameSort(s.traits[o].value.of, t.value.of) {
				continue
			}
			if words == nil {
				words = append(s.statementWords(f.Statement), "")
			}
			if covers(words, strings.Fields(part)) && !slices.Contains(out, o) {
				out = append(out, o)
			}
		}
	}
	return out
}

// byCategory finds the technology that n replaced by naming its category: "our queue
// runs on SQS", "we replaced the queue with Postgres".
func (s *State) byCategory(n int32) []int32 {
	f := &s.facts[n]
	if f.Former == "" || f.Subject != subjectWe {
		return nil
	}
	words := s.wordsOf(f.Former)
	if len(words) != 1 || s.l.category(words[0]) == 0 {
		return nil
	}
	return s.slots[slotKey{subjectWe, words[0]}]
}

// partOf is the part that a current fact says is made with a technology, or kept in it;
// "" if the fact is about the whole, or about something else.
func (s *State) partOf(o int32) string {
	f := &s.facts[o]
	if !f.Current() || !f.Kind.Asserted() || s.traits[o].value.sort != techValue || isStatus(f.Attribute) {
		return ""
	}
	base, narrow, _ := strings.Cut(f.Attribute, qualifierMark)
	switch {
	case f.Subject == subjectWe || f.Subject == subjectI:
		if s.l.category(base) == 0 {
			return ""
		}
		return narrow
	case f.Attribute == attributeIs || s.l.category(base) != 0 && narrow == "":
		return f.Subject
	}
	return ""
}

// sameSort reports whether technologies of two categories can serve the same part:
// sessions are in a cache or in a database.
func sameSort(a, b string) bool {
	if a == b {
		return a != ""
	}
	stores := func(c string) bool { return c == "database" || c == "cache" }
	return stores(a) && stores(b)
}

// ended finds facts about a thing, or about a habit, that n says has ended: "the code
// freeze is in December", "we review every pull request".
func (s *State) ended(n int32) []int32 {
	f, t := &s.facts[n], &s.traits[n]
	if !(isStatus(f.Attribute) && t.polarity < 0) && !(f.Attribute == attributeIs && s.isEnding(f.Value)) {
		return nil
	}
	var out []int32
	if s.isEnding(f.Value) {
		out = slices.Clone(s.slots[slotKey{f.Subject, attributeIs}])
		out = slices.DeleteFunc(out, func(o int32) bool { return o == n })
	}
	return append(out, s.stopped(n)...)
}

// stopped finds the fact that the speakers do, or have, a thing that n says has
// stopped: "we support Safari 12", "we no longer support Safari 12".
func (s *State) stopped(n int32) []int32 {
	f := &s.facts[n]
	said := f.Statement
	if f.Because != "" {
		said, _, _ = strings.Cut(said, f.Because)
	}
	if at := strings.Index(said, f.Value); at >= 0 { // "; it's Karl" names the replacement
		if end := strings.IndexAny(said[at:], ",;"); end >= 0 {
			said = said[:at+end]
		}
	}
	ending := append(stems(f.Value), "longer", "todai", "now") // as stems
	words := slices.DeleteFunc(stems(said), func(w string) bool { return slices.Contains(ending, w) })
	if len(words) < 2 || len(words) > maxStopped {
		return nil
	}
	var out []int32
	for _, o := range newestOf(s.words[words[0]]) {
		old := &s.facts[o]
		if o == n || !old.Current() || !old.Kind.Asserted() || !old.When.IsZero() || isStatus(old.Attribute) && s.traits[o].polarity < 0 || s.traits[o].inner {
			continue
		}
		theirs := stems(old.Statement)
		if !covers(theirs, words) {
			continue
		}
		if extra := slices.DeleteFunc(theirs, func(w string) bool { return slices.Contains(words, w) }); len(extra) == 0 || len(extra) == 1 && s.isHaving(old.Statement, extra[0]) {
			out = append(out, o)
		}
	}
	return out
}

// isHaving reports whether a stem is a verb by which a statement says that the speakers
// have something: "we offer a free plan".
func (s *State) isHaving(statement, word string) bool {
	var space [24]token
	toks := appendTokens(s.l, space[:0], statement, 0, len(statement))
	if len(toks) < 2 || !toks[0].is(tagWe) {
		return false
	}
	return s.l.has(listHaving, toks[1].low) && language.Stem(toks[1].low) == word
}

// maxStopped is the maximum length, in words, of a statement that is compared as a
// whole.
const maxStopped = 8

// isEnding reports whether a verbatim value says that something no longer exists, and
// not only that it was removed somewhere.
func (s *State) isEnding(value string) bool {
	var space [8]token
	for _, t := range appendTokens(s.l, space[:0], value, 0, len(value)) {
		if t.is(tagNoLonger, tagGone) {
			return true
		}
	}
	return false
}
