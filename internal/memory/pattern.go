package memory

import (
	"slices"
	"strconv"
	"strings"
)

// rereadReason renders the fact again that gave a reason before k did: only the newest
// fact shows how often.
func (s *State) rereadReason(k *record) {
	reason := k.reason()
	if reason == 0 {
		return
	}
	if s.list = s.newest(s.list[:0], reason, 2); len(s.list) == 2 {
		if before := s.held[s.list[1].number]; before != nil {
			before.reread()
		}
	}
}

// writeRecurring writes how often a reason has been given, after the newest fact with
// that reason.
func (s *State) writeRecurring(b *strings.Builder, k *record) {
	reason := k.reason()
	if reason == 0 {
		return
	}
	times := s.count(reason)
	if times < 2 {
		return
	}
	if s.list = s.newest(s.list[:0], reason, 1); s.list[0].number == k.Number {
		b.WriteString(" (reason ")
		b.WriteString(strconv.Itoa(times))
		b.WriteString("×)")
	}
}

// scoreRecurring gives points to the facts whose reason was given more than once.
func (s *State) scoreRecurring(t *tops) {
	reasons := make(map[key]bool)
	for _, k := range slices.Clone(s.facts(s.newest(nil, keyOf(recurringKey, 0), newestFacts))) {
		reason := k.reason()
		if reasons[reason] {
			continue
		}
		reasons[reason] = true
		s.scoreNewest(t, reason, int32(min(20+4*s.count(reason), 40)))
	}
}
