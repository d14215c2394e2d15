package memory

import (
	"slices"
)

// pool gathers candidates.
type pool struct {
	s   *State
	now *record
	out []candidate
	// later are facts that were said after the new one and may end it.
	later []*record
}

// add adds the newest current facts with a key. It asks for as many as prefetch has, and for twice
// as many as often as too many of these have ended.
func (p *pool) add(k key, most int) {
	s, at := p.s, 0
	for asked := most + 1; most > 0 && !p.full(); asked = min(2*asked, visited) {
		s.list = s.newest(s.list[:0], k, asked)
		at, most = p.take(at, most)
		if asked == visited || len(s.list) < asked {
			return
		}
	}
}

// full reports whether there are as many candidates as are compared.
func (p *pool) full() bool { return len(p.out) == maxCandidates }

// take adds the current facts of the list from a place on, at most most. It returns how far it
// came, and how many more may be added.
func (p *pool) take(at, most int) (next, left int) {
	s := p.s
	for at < len(s.list) && most > 0 && !p.full() {
		next := min(at+most, len(s.list)) // those that prefetch has read
		for _, was := range s.facts(s.list[at:next]) {
			if most > 0 && !p.full() && p.put(was) {
				most--
			}
		}
		at = next
	}
	return at, most
}

// put adds a fact unless it cannot be ended by the new one. It returns whether the fact is
// in.
func (p *pool) put(was *record) bool {
	if was == p.now {
		return false
	}
	if was.after(p.now) {
		p.putLater(was)
		return false
	}
	if !was.Kind.Asserted() || !p.s.heldBefore(was, p.now) {
		return false
	}
	if within(&was.Source, &p.now.Source) || within(&p.now.Source, &was.Source) || !outranks(&p.now.Source, &was.Source) {
		return false
	}
	if !slices.ContainsFunc(p.out, func(c candidate) bool { return c.fact == was }) {
		p.out = append(p.out, candidate{fact: was})
	}
	return true
}

// putLater notes a fact that was said after the new one, if it may end that.
func (p *pool) putLater(k *record) {
	if len(p.later) < maxCandidates && p.s.endsEarlier(k, p.now) && !slices.Contains(p.later, k) {
		p.later = append(p.later, k)
	}
}

// within reports whether one source is part of the words of another.
func within(part, whole *Source) bool {
	return part.Root == whole.Root && part.Seq == whole.Seq && whole.Start <= part.Start && part.End <= whole.End
}

// alike adds the nearest of the newest facts by meaning.
func (p *pool) alike(most int) {
	for _, was := range p.s.facts(p.s.nearest(p.now, most)) {
		if !p.full() {
			p.put(was)
		}
	}
}

// nearest are the nearest of the newest facts by meaning, the nearest first.
func (s *State) nearest(now *record, most int) []glimpse {
	about := s.signature(now)
	if about.vector.Known() == 0 {
		return nil
	}
	type near struct {
		fact   glimpse
		cosine float32
	}
	var best []near
	s.list = s.newest(s.list[:0], keyOf(assertedKey, 0), nearby)
	for i := range s.list {
		g := s.list[i]
		if g.number == now.Number {
			continue
		}
		v := s.meaning(g)
		c := about.vector.Cosine(&v)
		if len(best) == most && c <= best[most-1].cosine {
			continue
		}
		at := len(best)
		for at > 0 && best[at-1].cosine < c {
			at--
		}
		if best = slices.Insert(best, at, near{g, c}); len(best) > most {
			best = best[:most]
		}
	}
	out := make([]glimpse, len(best))
	for i := range best {
		out[i] = best[i].fact
	}
	return out
}
