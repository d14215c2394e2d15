package memory

// linkedDeep is how many links of a chain of changes are read ahead. Few chains are longer.
const linkedDeep = 8

// readLinked reads the facts that the lines of some facts name: all that one link leads to
// together, then those behind them in chains of changes.
func (s *State) readLinked(facts []*record) {
	if s.indexed == 0 {
		return
	}
	var missing []FactID
	for _, k := range facts {
		missing = s.unread(missing, k.DoubtedBy)
		for _, link := range k.Links {
			missing = s.unread(missing, link.To)
		}
	}
	for range linkedDeep {
		if len(missing) == 0 {
			return
		}
		s.admitNamed(missing)
		var next []FactID
		for _, id := range missing {
			if k := s.byID[id]; k != nil {
				next = s.unreadChanges(next, k)
			}
		}
		missing = next
	}
}

// readTips reads the facts that replaced some facts, up to the current ones: all that one step leads to
// together. What is behind linkedDeep steps is read when it is needed.
func (s *State) readTips(facts []*record) {
	for range linkedDeep { // few chains are longer, and a fact that is not there is asked for again
		var missing []FactID
		for i, k := range facts {
			for range longestChain {
				next := s.successor(k, func(id FactID) *record { return s.byID[id] })
				if next == nil {
					break
				}
				k = next
			}
			facts[i] = k
			missing = s.unread(missing, k.SupersededBy)
		}
		if len(missing) == 0 {
			return
		}
		s.admitNamed(missing)
	}
}

// readReplaced reads together the facts that some facts replaced.
func (s *State) readReplaced(facts []*record) {
	var missing []FactID
	for _, k := range facts {
		missing = s.unreadChanges(missing, k)
	}
	s.admitNamed(missing)
}

// unread appends the id of a fact that is not in memory.
func (s *State) unread(ids []FactID, id FactID) []FactID {
	if id == "" || s.byID[id] != nil {
		return ids
	}
	return append(ids, id)
}

// unreadChanges appends the facts that a fact replaced and that are not in memory.
func (s *State) unreadChanges(ids []FactID, k *record) []FactID {
	for _, link := range k.Links {
		if link.Kind == Supersedes {
			ids = s.unread(ids, link.To)
		}
	}
	return ids
}
