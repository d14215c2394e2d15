package memory

import "time"

// supersede closes an old fact for a new one and links them.
func (s *State) supersede(o, n int32) {
	was, now := &s.facts[o], &s.facts[n]
	was.SupersededBy, was.SupersededAt = now.ID, now.SaidAt
	now.Links = append(now.Links[:len(now.Links):len(now.Links)], Link{Kind: Supersedes, To: was.ID})
	s.note(o)
	s.chain(o, n)
	s.promote(o)
	s.rereadDoubted(o)
}

// promote shows a fact that only repeated o, now that o no longer holds.
func (s *State) promote(o int32) {
	for k := range s.alike(o) {
		if s.traits[k].repeats && !s.traits[o].repeats {
			s.traits[k].repeats = false
			s.shelf.put(s, k)
			return
		}
	}
}

// doubt links two facts of which the newer perhaps replaces the older. Both hold.
func (s *State) doubt(o, n int32) {
	now := &s.facts[n]
	now.Links = append(now.Links[:len(now.Links):len(now.Links)], Link{Kind: Perhaps, To: s.facts[o].ID})
	s.restoreLink(Perhaps, o, n)
}

// rereadDoubted renders the facts again that o perhaps replaced, now that o holds no
// longer, or holds again.
func (s *State) rereadDoubted(o int32) {
	for _, link := range s.facts[o].Links {
		if n, found := s.byID[link.To]; found && link.Kind == Perhaps {
			s.shelf.reread(n)
		}
	}
}

// perhapsOutdated reports whether a fact that holds was perhaps replaced by another that
// holds.
func (s *State) perhapsOutdated(n int32) bool {
	by := s.traits[n].doubter
	return by >= 0 && s.facts[n].Current() && s.facts[by].Current()
}

// revive restores the facts that a withdrawn fact had replaced.
func (s *State) revive(o int32, touched map[int32]bool) {
	for _, link := range s.facts[o].Links {
		n, found := s.byID[link.To]
		if !found || link.Kind != Supersedes || s.facts[n].SupersededBy != s.facts[o].ID {
			continue
		}
		f := &s.facts[n]
		f.SupersededBy, f.SupersededAt = "", time.Time{}
		s.note(n)
		s.rereadDoubted(n)
		touched[n] = true
		if f.Kind.Asserted() {
			s.open(n)
			s.shelf.put(s, n)
		}
	}
}

// chain records that n replaced o, and removes o from the shelf.
func (s *State) chain(o, n int32) {
	if s.facts[o].Current() {
		return // o has been revived since
	}
	s.shelf.remove(s, o)
	if s.facts[n].Kind == Retraction {
		return
	}
	if t := &s.traits[n]; t.was < o {
		t.was, t.steps = o, max(t.steps, s.traits[o].steps+1)
		s.note(n)
	}
}
