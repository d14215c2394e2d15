package memory

import (
	"cmp"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/fitted"
)

// Statements are not always stored in the order they were said: an older export of another program is imported behind a
// newer one, or after a talk. Dates decide which of two statements ends the other. What is stored later but was said
// earlier therefore ends only what was said before it, and is ended by what was said after it.

// compareSaid orders facts by when they were said. Those of one time, to the precision of the store, are in the order they
// were stored.
func compareSaid(a, b *record) int {
	return cmp.Or(cmp.Compare(a.SaidAt.UnixMilli(), b.SaidAt.UnixMilli()), byNumber(a, b))
}

// after reports whether a fact was said after another.
func (k *record) after(other *record) bool { return compareSaid(k, other) > 0 }

// heldBefore reports whether a fact held when another was said: it was said before, and what ended it, if anything, is
// the other or was said after the other.
func (s *State) heldBefore(k, now *record) bool {
	switch {
	case !now.after(k):
		return false
	case k.Current() || k.SupersededBy == now.ID:
		return true
	case k.SupersededAt.UnixMilli() < now.SaidAt.UnixMilli():
		return false
	}
	by := s.named(k.SupersededBy)
	return by != nil && by.Kind != Retraction && by.after(now)
}

// endsEarlier reports whether a fact that was said after a new one may end it. What was taken back was never so, and ends
// nothing.
func (s *State) endsEarlier(k, now *record) bool {
	if !k.mayEnd() || !outranks(&k.Source, &now.Source) {
		return false
	}
	by := s.named(k.SupersededBy)
	return by == nil || by.Kind != Retraction || !s.returns(by)
}

// yield lets what was said after a new fact end it, as if that had been stored behind it: the first such fact ends it, and
// those before that one perhaps do. The new fact is indexed already.
func (s *State) yield(now *record, later []*record, changed map[*record]bool) {
	slices.SortFunc(later, compareSaid)
	for _, by := range later {
		if !s.nears(now, by) {
			continue
		}
		ended, doubted := s.judged(by, nil)
		switch {
		case slices.Contains(ended, now):
			s.supersede(now, by, changed)
			s.relinked(by, changed)
			return
		case slices.Contains(doubted, now):
			s.doubt(now, by, changed)
			s.relinked(by, changed)
		}
	}
}

// nears reports whether a fact might end another if there were no other candidates. Most facts are told apart by this,
// without a search for all candidates.
func (s *State) nears(was, by *record) bool {
	if within(&was.Source, &by.Source) || within(&by.Source, &was.Source) {
		return false
	}
	terms, one := s.rareTerms(by), []candidate{{fact: was}}
	s.weighOne(&one[0], by, &terms)
	rank(one)
	score, reached := one[0].score(linkModel())
	return reached && fitted.Probability(score) >= perhapsAt
}

// relinked notes that a fact which was learnt before has another link. Lists show what a fact replaced, so that the fact
// and the one that has replaced the fact in the end are read again.
func (s *State) relinked(k *record, changed map[*record]bool) {
	changed[k] = true
	s.turned++
	s.shelf.put(s, k)
	k.reread()
	s.tip(k).reread()
}

// asKnown makes facts hold again, or be ended by another one, if their replacement was not known at scope.AsOf.
func asKnown(facts []Fact, scope Scope) []Fact {
	if scope.AsOf.IsZero() {
		return facts
	}
	known := make(map[FactID]*Fact, len(facts))
	for i := range facts {
		known[facts[i].ID] = &facts[i]
	}
	ender := make(map[FactID]*Fact) // the first known one
	for i := range facts {
		f := &facts[i]
		if by := known[f.SupersededBy]; by != nil && by.Kind == Retraction {
			continue // what it had ended holds again
		}
		for _, link := range f.Links {
			ends := link.Kind == Supersedes || link.Kind == Superseded
			if was := ender[link.To]; ends && (was == nil || f.SaidAt.Before(was.SaidAt)) {
				ender[link.To] = f
			}
		}
	}
	for i := range facts {
		f := &facts[i]
		if f.Current() || known[f.SupersededBy] != nil {
			continue
		}
		f.SupersededBy, f.SupersededAt = "", time.Time{}
		if by := ender[f.ID]; by != nil {
			f.SupersededBy, f.SupersededAt = by.ID, by.SaidAt
		}
	}
	return facts
}
