package memory

import (
	"slices"
	"strconv"
	"strings"
)

// indexReason indexes a fact by the words of its reason, so that recurring reasons can
// be counted.
func (s *State) indexReason(n int32) {
	f := &s.facts[n]
	if f.Because == "" || !f.Kind.Asserted() {
		return
	}
	key := s.reasonKey(f.Because)
	if key == "" {
		return
	}
	reason, known := s.reasons[key]
	if !known {
		reason = int32(len(s.givers))
		s.reasons[key] = reason
		s.givers = append(s.givers, nil)
	}
	s.traits[n].reason = reason
	list := &s.givers[reason]
	if last := len(*list) - 1; last >= 0 && int((*list)[last]) < len(s.shelf.lines) {
		line := &s.shelf.lines[(*list)[last]]
		line.text, line.tokens = "", 0 // only the newest fact shows the count
	}
	*list = append(*list, n)
}

// reasonKey is the form of a reason for comparisons: its content words in alphabetical
// order.
func (s *State) reasonKey(reason string) string {
	words := stems(reason)
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}

// writeRecurring writes how often a reason has been given, after the newest fact with
// that reason.
func (s *State) writeRecurring(b *strings.Builder, n int32) {
	if list := s.givers[s.traits[n].reason]; len(list) > 1 && list[len(list)-1] == n {
		b.WriteString(" (reason ")
		b.WriteString(strconv.Itoa(len(list)))
		b.WriteString("×)")
	}
}

// scoreRecurring adds points to facts whose reason was given more than once.
func (s *State) scoreRecurring(t *tally) {
	for _, list := range s.givers {
		if len(list) < 2 {
			continue
		}
		for _, n := range newestOf(list) {
			t.add(n, int32(min(20+4*len(list), 40)))
		}
	}
}
