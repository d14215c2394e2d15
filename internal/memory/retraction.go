package memory

import (
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/fitted"
	"github.com/hermes-memory/hermes/internal/session"
)

// retracted lists the facts that a retraction withdraws: the named ones, those that the statement
// behind it contradicts, or the same speaker's last statement.
func (s *State) retracted(by *record) []*record {
	if by.Value != "" {
		return s.retractedByName(by)
	}
	if was := s.contradicted(by); was != nil {
		return withdrawable(append(slices.Collect(s.alike(was)), was))
	}
	var out []*record
	var at *Source
	for _, k := range s.before(by) {
		if k.Source.Role != session.User || k.Source.Speaker != by.Source.Speaker || k.Kind == Question {
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
		if k.withdrawable() {
			out = append(out, k)
		}
	}
	return out
}

// contradicts is the least probability of a new statement to end an earlier one by itself from which
// a retraction before it is taken to mean that one. Statements about different things stay below.
const contradicts = 0.008

// contradicted is the fact that the statement behind a retraction most probably ends; nil for none.
// "That's wrong, my dentist is Dr. Green" is about the dentist, whatever was said in between. A
// sentence of its own may speak of something else, and counts for what was said last.
func (s *State) contradicted(by *record) (best *record) {
	now := s.held[by.Number+1]
	if now == nil || now.Source.MessageID != by.Source.MessageID || now.Replaces != "" {
		return nil
	}
	var near []*record
	aside := by.wholeSentence()
	if aside {
		near = s.before(by)
	}
	all, model, most := s.candidates(now), linkModel(), float32(contradicts)
	for i := range all {
		k := all[i].fact
		if k.Number >= by.Number || k.Source.Speaker != by.Source.Speaker || aside && !slices.Contains(near, k) {
			continue
		}
		if p := fitted.Probability(model.Score(all[i].values[:])); p >= most && k.withdrawable() {
			best, most = k, p
		}
	}
	return best
}

// wholeSentence reports whether a fact is quoted to the end of its sentence.
func (k *record) wholeSentence() bool {
	return strings.HasSuffix(k.Statement, ".") || strings.HasSuffix(k.Statement, "!")
}

// withdrawable reports whether a fact can be taken back: it holds, and its speaker said that
// something is so or not.
func (k *record) withdrawable() bool {
	return k.Current() && (k.Kind.Asserted() || k.Kind == ThirdParty || k.Kind == Negated)
}

// corrected reports whether a new fact of the same message says what is so instead of what a
// retraction withdraws.
func (s *State) corrected(by *record) bool {
	for n := by.Number + 1; ; n++ {
		k := s.held[n]
		if k == nil || k.Source.MessageID != by.Source.MessageID {
			return false
		}
		if k.Replaces == by.ID {
			return true
		}
	}
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

// retractedByName finds the newest current fact that has all words of the retracted thing,
// and those that say the same. If everything about the thing is retracted, it finds all of
// the newest facts with these words. Those that only ask not to forget the thing go with it.
func (s *State) retractedByName(by *record) (out []*record) {
	wholly, found := s.openingOf(by).whole, false
	for _, k := range s.aboutThing(by) {
		reminder := s.speaksOfForgetting(k)
		if found && !wholly && !reminder {
			continue
		}
		if out = append(out, k); reminder {
			continue
		}
		found = true
		for same := range s.alike(k) {
			out = append(out, same)
		}
	}
	return withdrawable(out)
}

// withdrawable are those of some facts that can be taken back, each once, the newest first.
func withdrawable(list []*record) []*record {
	slices.SortFunc(list, func(a, b *record) int { return byNumber(b, a) })
	return slices.DeleteFunc(slices.Compact(list), func(k *record) bool { return !k.withdrawable() })
}

// aboutThing are the newest facts that have all words of the thing that a retraction names, and
// that it may end, the last said first.
func (s *State) aboutThing(by *record) (out []*record) {
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
		if k.withdrawable() && covers(stems(k.Statement), words) {
			out = append(out, k)
		}
	}
	out = endable(out, by)
	slices.SortFunc(out, func(a, b *record) int { return compareSaid(b, a) })
	return out
}

// speaksOfForgetting reports whether a fact asks not to forget a thing, or says that it will
// not be forgotten.
func (s *State) speaksOfForgetting(k *record) bool {
	const near = 8
	toks := s.tokensOf(k.Statement)
	for i := range min(len(toks), near) {
		if toks[i].low == "forget" {
			return true
		}
	}
	return false
}

// retractionOpening is what the words of a retraction before the thing say.
type retractionOpening struct {
	asks  bool // a thing is to be forgotten, not only what was said of it
	whole bool // everything about it
}

// openingOf reads the words of a retraction before the thing.
func (s *State) openingOf(by *record) (out retractionOpening) {
	toks := s.tokensOf(by.Statement)
	thing, said := strings.Index(by.Statement, by.Value), false
	for i := range toks {
		t := &toks[i]
		if t.start >= thing {
			break
		}
		switch {
		case t.is(tagSpeech):
			said = true
		case t.low == "forget":
			out.asks = true
		case s.l.has(listEverything, t.low):
			out.whole = true
		}
	}
	out.asks = out.asks && !said
	return out
}

// returns reports whether what a withdrawn statement had replaced holds again. It does not if
// a thing is to be forgotten: "forget my seat" is about all seats.
func (s *State) returns(by *record) bool { return by.Value == "" || !s.openingOf(by).asks }

// covers reports whether a has every word of b.
func covers(a, b []string) bool {
	for _, w := range b {
		if !slices.Contains(a, w) {
			return false
		}
	}
	return true
}
