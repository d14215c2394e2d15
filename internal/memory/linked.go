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
