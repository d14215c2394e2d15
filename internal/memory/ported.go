package memory

import (
	"slices"
	"strings"
)

// ported finds what a part was made with or kept in before n told that it is with
// something else of the sort: "our backend is in Ruby", "the backend has been ported
// to Elixir". The part stands in the statement of n, whatever its slot.
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

// partOf is what a current fact says is made with a technology, or kept in it;
// "" where it speaks of the whole, or of something else.
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

// sameSort reports whether technologies of two categories do the same for one part:
// sessions are in a cache or in a database.
func sameSort(a, b string) bool {
	if a == b {
		return a != ""
	}
	stores := func(c string) bool { return c == "database" || c == "cache" }
	return stores(a) && stores(b)
}

// ended finds what was said of a thing, or of what was done as a rule, that n says
// is no more: "the code freeze is in December", "we review every pull request".
func (s *State) ended(n int32) []int32 {
	f, t := &s.facts[n], &s.traits[n]
	if !isStatus(f.Attribute) || t.polarity >= 0 || !s.isEnding(f.Value) {
		return nil
	}
	out := slices.Clone(s.slots[slotKey{f.Subject, attributeIs}])
	words := strings.Fields(f.Subject)
	for _, w := range words {
		for _, o := range s.slots[slotKey{subjectWe, attributeHabit + w}] {
			if theirs := append(s.wordsOf(s.facts[o].Value), w); covers(theirs, words) && covers(words, theirs) {
				out = append(out, o)
			}
		}
	}
	return append(out, s.stopped(n)...)
}

// stopped finds the statement that the speakers do what n says they do no longer:
// "we support Safari 12", "we no longer support Safari 12".
func (s *State) stopped(n int32) []int32 {
	f := &s.facts[n]
	said := f.Statement
	if f.Because != "" {
		said, _, _ = strings.Cut(said, f.Because)
	}
	words := slices.DeleteFunc(stems(said), func(w string) bool { return w == "longer" })
	if len(words) < 2 || len(words) > maxStopped {
		return nil
	}
	var out []int32
	for _, o := range newestOf(s.words[words[0]]) {
		old := &s.facts[o]
		if o == n || !old.Current() || !old.Kind.Asserted() || isStatus(old.Attribute) && s.traits[o].polarity < 0 || s.traits[o].inner {
			continue
		}
		if theirs := stems(old.Statement); len(theirs) == len(words) && covers(words, theirs) {
			out = append(out, o)
		}
	}
	return out
}

// maxStopped is the longest statement that is compared as a whole, in words.
const maxStopped = 8

// isEnding reports whether a verbatim value says that something is no more, and not
// only that somebody took it out.
func (s *State) isEnding(value string) bool {
	var space [8]token
	for _, t := range appendTokens(s.l, space[:0], value, 0, len(value)) {
		if t.is(tagNoLonger, tagGone) {
			return true
		}
	}
	return false
}
