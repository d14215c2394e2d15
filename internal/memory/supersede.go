package memory

import "time"

// supersede closes an old fact for a new one and links them.
func (s *State) supersede(o, n int32) {
	was, now := &s.facts[o], &s.facts[n]
	was.SupersededBy, was.SupersededAt = now.ID, now.SaidAt
	now.Links = append(now.Links[:len(now.Links):len(now.Links)], Link{Kind: Supersedes, To: was.ID})
	s.note(o)
	s.chain(o, n)
	key := slotKey{was.Subject, was.Attribute}
	s.slots[key] = without(s.slots[key], o)
	s.promote(o, s.slots[key])
	for _, w := range s.thingWords(o) {
		s.things[w] = without(s.things[w], o)
	}
}

// promote shows a fact that only repeated o, now that o no longer holds.
func (s *State) promote(o int32, list []int32) {
	for _, k := range list {
		if s.traits[k].repeats && !s.traits[o].repeats && sameValue(&s.traits[k], &s.traits[o]) {
			s.traits[k].repeats = false
			s.shelf.put(s, k)
			return
		}
	}
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
		touched[n] = true
		if t := &s.traits[n]; f.Kind.Asserted() && (!t.inner || t.clause) {
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

// without removes one number from a list, in place.
func without(list []int32, n int32) []int32 {
	for i, v := range list {
		if v == n {
			return append(list[:i], list[i+1:]...)
		}
	}
	return list
}
