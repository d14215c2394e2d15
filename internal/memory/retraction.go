package memory

import (
	"slices"

	"github.com/hermes-memory/hermes/internal/session"
)

// retracted lists the facts that a retraction withdraws: the named ones, or the same
// speaker's last statement.
func (s *State) retracted(by *record) []*record {
	if by.Value != "" {
		return s.retractedByName(by)
	}
	var out []*record
	var at *Source
	for _, k := range s.before(by) {
		if k.Source.Role != session.User || k.Source.Speaker != by.Source.Speaker {
			continue
		}
		if at == nil {
			at = &k.Source
		}
		if k.Source.Seq != at.Seq {
			break
		}
		if at.Seq == by.Source.Seq && (k.Source.End <= at.Start || k.Source.Start >= at.End) && k.Source.Start < at.Start {
			break // within one message, only the last sentence is meant
		}
		if k.Current() && k.Kind.Asserted() {
			out = append(out, k)
		}
	}
	return out
}

// maxRetractionReach is how many messages back "forget that" may refer: the answer in
// between, and a few more.
const maxRetractionReach = 4

// before are the facts of a lineage in the last few messages up to a fact, newest first.
func (s *State) before(by *record) []*record {
	at := &by.Source
	var out []*record
	for _, f := range s.archive.near(at.Root, at.Seq-maxRetractionReach, at.Seq) {
		s.admit(&f)
	}
	for _, k := range s.held {
		near := k.Source.Root == at.Root && k.Source.Seq >= at.Seq-maxRetractionReach && k.Source.Seq <= at.Seq
		if near && k.Number < by.Number {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b *record) int { return byNumber(b, a) })
	return out
}

// retractedByName finds the newest current fact that has all words of the retracted
// thing.
func (s *State) retractedByName(by *record) []*record {
	words := stems(by.Value)
	if len(words) == 0 {
		return nil
	}
	rarest := wordKeyOf([]byte(words[0]))
	for _, w := range words[1:] {
		if k := wordKeyOf([]byte(w)); s.count(k) < s.count(rarest) {
			rarest = k
		}
	}
	for _, k := range s.facts(s.newest(nil, rarest, newestFacts)) {
		if k.Current() && k.Kind.Asserted() && covers(stems(k.Statement), words) {
			return []*record{k}
		}
	}
	return nil
}

// covers reports whether a has every word of b.
func covers(a, b []string) bool {
	for _, w := range b {
		if !slices.Contains(a, w) {
			return false
		}
	}
	return true
}
