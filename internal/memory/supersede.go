package memory

import (
	"iter"
	"slices"
	"time"
)

// supersede closes an old fact for a new one and links them.
func (s *State) supersede(was, now *record, changed map[*record]bool) {
	until := s.named(was.SupersededBy)
	was.SupersededBy, was.SupersededAt = now.ID, now.SaidAt
	now.Links = append(now.Links[:len(now.Links):len(now.Links)], Link{Kind: Supersedes, To: was.ID})
	changed[was] = true
	s.chain(was, now)
	s.promote(was, changed)
	s.rereadDoubted(was)
	if until != nil {
		s.handOver(until, was, changed)
	}
}

// handOver notes that a fact has ended another until now, when one was stored that was said between them.
func (s *State) handOver(until, was *record, changed map[*record]bool) {
	until.Links = slices.Clone(until.Links)
	for i := range until.Links {
		if until.Links[i] == (Link{Supersedes, was.ID}) {
			until.Links[i].Kind = Superseded
		}
	}
	s.relinked(until, changed)
}

// promote shows a fact that only repeated was, now that was no longer holds.
func (s *State) promote(was *record, changed map[*record]bool) {
	for k := range s.alike(was) {
		if k.repeats && !was.repeats {
			k.repeats = false
			changed[k] = true
			s.shelf.put(s, k)
			return
		}
	}
}

// doubt links two facts of which the newer perhaps replaces the older. Both hold.
func (s *State) doubt(was, now *record, changed map[*record]bool) {
	now.Links = append(now.Links[:len(now.Links):len(now.Links)], Link{Kind: Perhaps, To: was.ID})
	changed[was] = true
	s.restoreLink(Perhaps, was, now)
}

// rereadDoubted renders the facts again that k perhaps replaced, now that k holds no
// longer, or holds again.
func (s *State) rereadDoubted(k *record) {
	for _, link := range k.Links {
		if k := s.byID[link.To]; k != nil && link.Kind == Perhaps {
			k.reread()
		}
	}
}

// perhapsOutdated reports whether a fact that holds was perhaps replaced by another that
// holds.
func (s *State) perhapsOutdated(k *record) bool {
	by := s.named(k.DoubtedBy)
	return by != nil && k.Current() && by.Current()
}

// revive restores the facts that a withdrawn fact had replaced.
func (s *State) revive(withdrawn *record, changed map[*record]bool) {
	for k := range s.linked(withdrawn, Supersedes) {
		if k.SupersededBy != withdrawn.ID {
			continue
		}
		k.SupersededBy, k.SupersededAt = "", time.Time{}
		s.rereadDoubted(k)
		changed[k] = true
		if k.Kind.Asserted() {
			k.repeats = s.repeated(k)
			s.shelf.put(s, k)
		}
	}
}

// chain removes a fact that was replaced from the shelf.
func (s *State) chain(was, now *record) {
	if !was.Current() { // otherwise it has been revived since
		s.shelf.remove(was)
	}
}

// linked iterates over the facts to which a fact has links of a kind.
func (s *State) linked(k *record, kind LinkKind) iter.Seq[*record] {
	return func(yield func(*record) bool) {
		for _, link := range k.Links {
			if link.Kind != kind {
				continue
			}
			if to := s.named(link.To); to != nil && !yield(to) {
				return
			}
		}
	}
}

// replacedBy is the last said of the facts that a fact replaced; nil for none.
func (s *State) replacedBy(k *record) (newest *record) {
	if k.Kind == Retraction {
		return nil
	}
	for was := range s.linked(k, Supersedes) {
		if !was.Current() && (newest == nil || was.after(newest)) {
			newest = was
		}
	}
	return newest
}

// changes is the number of facts that came before a fact in its chain of replacements.
func (s *State) changes(k *record) (steps int) {
	for was := s.replacedBy(k); was != nil && steps < longestChain; was = s.replacedBy(was) {
		steps++
	}
	return steps
}

// longestChain bounds the counted replacements of a chain.
const longestChain = 1000
