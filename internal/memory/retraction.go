package memory

import (
	"slices"

	"github.com/hermes-memory/hermes/internal/session"
)

// retracted lists the facts that a retraction withdraws: the named ones, or the same
// speaker's last statement.
func (s *State) retracted(n int32) []int32 {
	f := &s.facts[n]
	if f.Value != "" {
		return s.retractedByName(n)
	}
	var out []int32
	var at *Source
	for o := n - 1; o >= 0; o-- {
		g := &s.facts[o]
		if g.Source.Root != f.Source.Root || g.Source.Role != session.User || g.Source.Speaker != f.Source.Speaker {
			continue
		}
		if at == nil {
			if f.Source.Seq-g.Source.Seq > maxRetractionReach {
				return nil
			}
			at = &s.facts[o].Source
		}
		if g.Source.Seq != at.Seq {
			break
		}
		if at.Seq == f.Source.Seq && (g.Source.End <= at.Start || g.Source.Start >= at.End) && g.Source.Start < at.Start {
			break // within one message, only the last sentence is meant
		}
		if g.Current() && g.Kind.Asserted() {
			out = append(out, o)
		}
	}
	return out
}

// maxRetractionReach is how many messages back "forget that" may refer: the answer in
// between, and a few more.
const maxRetractionReach = 4

// retractedByName finds the newest current fact that has all words of the retracted
// thing.
func (s *State) retractedByName(n int32) []int32 {
	words := stems(s.facts[n].Value)
	var rarest []int32
	for i, w := range words {
		if list := s.words[w]; i == 0 || len(list) < len(rarest) {
			rarest = list
		}
	}
	for _, o := range slices.Backward(rarest) {
		f := &s.facts[o]
		if !f.Current() || !f.Kind.Asserted() || !covers(stems(f.Statement), words) {
			continue
		}
		return []int32{o}
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
