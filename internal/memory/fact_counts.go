package memory

// FactCounts counts the facts of a scope.
type FactCounts struct {
	Total    int
	ByKind   map[Kind]int // without kinds of which there are none
	Reversed int          // that were replaced
}

// Asserted is how many are of a kind that is taken as true.
func (c *FactCounts) Asserted() (facts int) {
	for kind, n := range c.ByKind {
		if kind.Asserted() {
			facts += n
		}
	}
	return facts
}

// CountFacts counts facts.
func CountFacts(facts []Fact) FactCounts {
	c := FactCounts{Total: len(facts), ByKind: make(map[Kind]int)}
	for i := range facts {
		c.ByKind[facts[i].Kind]++
		if !facts[i].Current() {
			c.Reversed++
		}
	}
	return c
}

// Kinds counts the facts of the scope by their kinds, without reading them. It returns false
// if there is one of a kind that has no number.
func (v *View) Kinds() (FactCounts, bool) {
	var c FactCounts
	var known bool
	v.with(func(s *State) {
		c, known = FactCounts{ByKind: make(map[Kind]int)}, s.count(keyOf(kindKey, uint32(otherKind))) == 0
		for i, kind := range numberedKinds {
			if n := s.count(keyOf(kindKey, uint32(i))); n > 0 {
				c.ByKind[kind] = n
				c.Total += n
			}
		}
	})
	return c, known
}
