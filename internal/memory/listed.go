package memory

import (
	"slices"
	"unsafe"

	"github.com/hermes-memory/hermes/internal/wordvec"
)

// listed is what the archive's index tells of a key: how many facts have it, and the newest
// of them.
type listed struct {
	count  int
	newest []glimpse // newest first
}

// lists remember what the archive's index told, so that turns that ask for the same keys
// read no posting list twice.
type lists struct {
	byKey map[key]*listed
	// meanings are vectors of facts that are not in memory.
	meanings map[FactNumber]wordvec.Vector
	size     int64 // bytes
}

// Bounds on the lists of a scope, in bytes, and on the facts of one list. If the lists are
// larger together, all of them are dropped.
const (
	maxLists  = 4 << 20
	maxListed = 512
)

func newLists() lists {
	return lists{byKey: make(map[key]*listed), meanings: make(map[FactNumber]wordvec.Vector)}
}

// grow counts bytes, and drops everything if they are too many.
func (l *lists) grow(bytes int64) {
	if l.size += bytes; l.size > maxLists {
		*l = newLists()
	}
}

// of is what the archive tells of a key.
func (s *State) of(k key) *listed {
	if known := s.lists.byKey[k]; known != nil {
		return known
	}
	known := &listed{count: s.archive.count(k)}
	s.lists.grow(int64(unsafe.Sizeof(k) + 2*unsafe.Sizeof(*known)))
	s.lists.byKey[k] = known
	return known
}

// newestOf are the newest facts with a key that the archive indexes, newest first, at most
// most.
func (s *State) newestOf(k key, most int) []glimpse {
	known := s.of(k)
	most = min(most, known.count)
	if len(known.newest) < most {
		s.lists.grow(int64(most) * int64(unsafe.Sizeof(glimpse{})))
		known.newest = s.archive.newest(make([]glimpse, 0, most), k, most)
		for i := range known.newest {
			known.newest[i].record = s.held[known.newest[i].number]
		}
	}
	return known.newest[:min(most, len(known.newest))]
}

// count is the number of facts with a key.
func (s *State) count(k key) int {
	facts := len(s.index[k])
	if s.indexed > 0 {
		facts += s.of(k).count
	}
	return facts
}

// newest appends the newest facts with a key, newest first, at most most.
func (s *State) newest(to []glimpse, k key, most int) []glimpse {
	list := s.index[k]
	for i := len(list) - 1; i >= 0 && most > 0; i-- {
		to = append(to, list[i])
		most--
	}
	if most > 0 && s.indexed > 0 {
		to = append(to, s.newestOf(k, most)...)
	}
	return to
}

// meaning is the vector of a fact.
func (s *State) meaning(g glimpse) wordvec.Vector {
	k := g.record
	if k == nil {
		k = s.held[g.number]
	}
	if k != nil && k.about != nil {
		return k.about.vector
	}
	v, known := s.lists.meanings[g.number]
	if !known {
		v = s.archive.meaning(g.number)
		s.lists.grow(int64(unsafe.Sizeof(g.number) + 2*unsafe.Sizeof(v)))
		s.lists.meanings[g.number] = v
	}
	return v
}

// hand moves the facts up to a number from the index of a state to the lists, because the
// archive indexes them from now on.
func (s *State) hand(last FactNumber) {
	for k, list := range s.index {
		n := 0
		for n < len(list) && list[n].number <= last {
			n++
		}
		if known := s.lists.byKey[k]; known != nil && n > 0 {
			known.count += n
			known.newest = prepended(known.newest, list[:n])
		}
		switch {
		case n == len(list):
			delete(s.index, k)
		case n > 0:
			s.index[k] = slices.Clone(list[n:])
		}
	}
}

// prepended is a list of facts, newest first, behind newer ones by rising number.
func prepended(list, newer []glimpse) []glimpse {
	out := make([]glimpse, 0, min(len(newer)+len(list), maxListed))
	for i := len(newer) - 1; i >= 0 && len(out) < maxListed; i-- {
		out = append(out, newer[i])
	}
	return append(out, list[:min(len(list), maxListed-len(out))]...)
}
