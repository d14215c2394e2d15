package memory

import "github.com/hermes-memory/hermes/internal/session"

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
// thing, and the other facts of its sentence.
func (s *State) retractedByName(n int32) []int32 {
	words := s.wordsOf(s.facts[n].Value)
	if len(words) == 0 {
		return nil
	}
	for o := n - 1; o >= 0; o-- {
		f := &s.facts[o]
		if !f.Current() || !f.Kind.Asserted() || s.traits[o].inner || !covers(s.statementWords(f.Statement), words) {
			continue
		}
		out := []int32{o}
		for k := o + 1; k < n && s.traits[k].inner && s.facts[k].Source.Seq == f.Source.Seq; k++ {
			out = append(out, k)
		}
		return out
	}
	return nil
}

// statementWords are the content words of a statement, stemmed.
func (s *State) statementWords(text string) []string {
	var out []string
	for _, t := range appendTokens(s.l, nil, text, 0, len(text)) {
		if content(&t) {
			out = append(out, stem(s.l, t.low))
		}
	}
	return out
}
