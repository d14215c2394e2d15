package memory

// prefetch reads the facts with which new ones will be compared, all in one query. What it
// misses is read when it is needed.
func (s *State) prefetch(fresh []*record) {
	if s.indexed == 0 {
		return
	}
	s.ahead(func() []listing { return s.terms(fresh) })
	s.ahead(func() []listing { return s.sought(fresh) })
	w := wanted{s: s, known: make(map[FactNumber]bool)}
	for _, now := range fresh {
		if !now.mayEnd() {
			continue
		}
		w.begin(now)
		terms := s.rareTerms(now)
		s.sources(now, &terms, w.add, w.alike)
	}
	if len(w.missing) == 0 {
		return
	}
	if s.archive.distant() {
		s.archive.aheadOfSignatures(w.missing)
	}
	s.fetch(w.missing)
}

// terms are what rareTerms will ask the archive's index for.
func (s *State) terms(fresh []*record) (all []listing) {
	for _, now := range fresh {
		if now.mayEnd() {
			g := s.signature(now)
			for k := range g.terms[:g.numTerms] {
				all = append(all, listing{key: keyOf(termKey, g.terms[k].stem)})
			}
		}
	}
	return all
}

// sought is what the archive's index will be asked for new facts.
func (s *State) sought(fresh []*record) (all []listing) {
	for _, now := range fresh {
		if now.mayEnd() {
			terms := s.rareTerms(now)
			s.sources(now, &terms, func(k key, _ int) { all = append(all, listing{k, visited}) }, func(int) {})
		}
		if same := s.same(now); same != 0 && now.Kind.Asserted() {
			all = append(all, listing{same, visited})
		}
	}
	all = append(all, reasons(fresh, 0)...)
	return append(all, listing{keyOf(assertedKey, 0), nearby})
}

// reasons ask how many facts have the reasons of some facts, and for the newest most of them.
func reasons(of []*record, most int) (all []listing) {
	for _, k := range of {
		if reason := k.reason(); reason != 0 {
			all = append(all, listing{reason, most})
		}
	}
	return all
}

// ahead reads together what the archive's index tells of some keys, if it is far away.
func (s *State) ahead(all func() []listing) {
	if !s.archive.distant() {
		return
	}
	var missing []listing // what all returns stays as it is: callers go on with it
	for _, l := range all() {
		if known := s.lists.of(l.key); known == nil || len(known.newest) < min(l.most, known.count) {
			missing = append(missing, l)
		}
	}
	s.archive.ahead(missing)
}

// wanted gathers the facts that are read together.
type wanted struct {
	s       *State
	now     *record
	left    int                 // how many more candidates the new fact may have
	known   map[FactNumber]bool // candidates; true for those of this new fact
	missing []FactNumber        // those that are not in memory
}

// begin begins with another new fact.
func (w *wanted) begin(now *record) {
	w.now, w.left = now, maxCandidates
	for n := range w.known {
		w.known[n] = false
	}
}

// add gathers the newest facts with a key.
func (w *wanted) add(k key, most int) {
	s := w.s
	s.list = s.newest(s.list[:0], k, most+1) // the new fact may be one of them
	for _, g := range s.list {
		if g.number != w.now.Number && most > 0 && w.left > 0 {
			w.put(g)
			most--
		}
	}
}

// alike gathers the nearest facts by meaning.
func (w *wanted) alike(most int) {
	for _, g := range w.s.nearest(w.now, most) {
		if w.left > 0 {
			w.put(g)
		}
	}
}

func (w *wanted) put(g glimpse) {
	here, known := w.known[g.number]
	if here {
		return
	}
	w.known[g.number] = true
	w.left--
	if !known && g.record == nil && w.s.held[g.number] == nil {
		w.missing = append(w.missing, g.number)
	}
}
