package memory

import "slices"

// Lost returns the facts of messages that are to be undone, in the order they were learnt.
// apart says that no other fact was learnt after the first of them, was replaced by one of
// them, or perhaps was: the others are as if the messages had never been said.
func (v *View) Lost(messages []int64) (lost []StoredFact, apart bool) {
	v.with(func(s *State) {
		facts := s.ofMessages(messages)
		apart = !v.stale && s.apart(facts)
		lost = lost[:0]
		for _, k := range facts {
			lost = append(lost, StoredFact{k.Fact, k.Mark})
		}
	})
	return lost, apart
}

// ofMessages are the facts of some messages, by rising number.
func (s *State) ofMessages(ids []int64) []*record {
	var out []*record
	for _, id := range ids {
		out = append(out, s.ofMessage(id)...)
	}
	slices.SortFunc(out, byNumber)
	return out
}

// apart reports whether the other facts of a state do not depend on some, which are given by
// rising number. Those after the first one may depend on it, those to which they refer, and those that were said later and
// refer to them.
func (s *State) apart(lost []*record) bool {
	if len(lost) == 0 {
		return true
	}
	gone := make(map[FactID]bool, len(lost))
	for _, k := range lost {
		gone[k.ID] = true
	}
	if s.countFrom(lost[0].Number, len(lost)+1) != len(lost) {
		return false
	}
	for _, k := range lost {
		for _, link := range k.Links {
			if to := s.named(link.To); to != nil && !gone[to.ID] && (gone[to.SupersededBy] || gone[to.DoubtedBy]) {
				return false
			}
		}
		for _, id := range [...]FactID{k.SupersededBy, k.DoubtedBy} {
			if by := s.named(id); by != nil && !gone[id] && by.leadsTo(k.ID) {
				return false
			}
		}
	}
	return true
}

// leadsTo reports whether a fact has a link to another.
func (k *record) leadsTo(id FactID) bool {
	return slices.ContainsFunc(k.Links, func(l Link) bool { return l.To == id })
}

// countFrom is how many facts have a number or a higher one, at most most.
func (s *State) countFrom(n FactNumber, most int) int {
	at, _ := slices.BinarySearch(s.order, n)
	facts := len(s.order) - at
	if at == 0 && facts < most {
		facts += s.archive.countFrom(n, most-facts)
	}
	return min(facts, most)
}

// lose removes the facts from a number on, on which no other fact depends. The archive has
// none of them.
func (s *State) lose(from FactNumber) {
	at, _ := slices.BinarySearch(s.order, from)
	var lost []*record
	for _, n := range s.order[at:] {
		lost = append(lost, s.held[n])
	}
	keys := index{}
	for _, k := range lost {
		s.enterKeys(keys, k)
		s.rereadReason(k)
	}
	keys[keyOf(recurringKey, 0)] = nil // whether a fact is under this key depends on the others
	for k := range keys {
		s.index.cut(k, from)
	}
	for _, k := range lost {
		s.shelf.remove(k)
		delete(s.held, k.Number)
		delete(s.byID, k.ID)
		s.size -= k.bytes()
	}
	s.order = s.order[:at]
	s.learnt -= len(lost)
}

// cut removes the facts of a key from a number on.
func (x index) cut(k key, from FactNumber) {
	list := x[k]
	for len(list) > 0 && list[len(list)-1].number >= from {
		list = list[:len(list)-1]
	}
	if len(list) == 0 {
		delete(x, k)
		return
	}
	x[k] = list
}
