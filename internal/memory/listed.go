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
// read no posting list twice. What was not asked for lately is forgotten: when the young
// generation has half of the bytes, it becomes the old one, of which only what is asked for
// again stays.
type lists struct{ young, old generation }

// generation is a part of the lists.
type generation struct {
	byKey map[key]*listed
	// meanings are vectors of facts that are not in memory.
	meanings map[FactNumber]wordvec.Vector
	size     int64 // bytes
}

// Bounds on the lists of a scope, in bytes, and on the facts of one list.
const (
	maxLists  = 4 << 20
	maxListed = 512
)

// Approximate sizes of what lists have, in bytes.
const (
	listedSize  = int64(unsafe.Sizeof(key(0)) + 2*unsafe.Sizeof(listed{}))
	meaningSize = int64(unsafe.Sizeof(FactNumber(0)) + 2*unsafe.Sizeof(wordvec.Vector{}))
)

func newLists() lists { return lists{newGeneration(), newGeneration()} }

func newGeneration() generation {
	return generation{byKey: make(map[key]*listed), meanings: make(map[FactNumber]wordvec.Vector)}
}

// bytes is the approximate size of the lists.
func (l *lists) bytes() int64 { return l.young.size + l.old.size }

// grow counts bytes of the young generation, and begins another one if they are too many.
func (l *lists) grow(bytes int64) {
	if l.young.size += bytes; l.young.size > maxLists/2 {
		l.old, l.young = l.young, newGeneration()
	}
}

// of is what is known of a key; nil if nothing is.
func (l *lists) of(k key) *listed {
	if known := l.young.byKey[k]; known != nil {
		return known
	}
	known := l.old.byKey[k]
	if known != nil {
		delete(l.old.byKey, k)
		l.old.size -= known.bytes()
		l.put(k, known)
	}
	return known
}

func (l *lists) put(k key, known *listed) {
	l.young.byKey[k] = known
	l.grow(known.bytes())
}

// bytes is the approximate size of what is known of a key.
func (l *listed) bytes() int64 {
	return listedSize + int64(cap(l.newest))*int64(unsafe.Sizeof(glimpse{}))
}

// of is what the archive tells of a key.
func (s *State) of(k key) *listed {
	known := s.lists.of(k)
	if known == nil {
		known = &listed{count: s.archive.count(k)}
		s.lists.put(k, known)
	}
	return known
}

// newestOf are the newest facts with a key that the archive indexes, newest first, at most
// most.
func (s *State) newestOf(k key, most int) []glimpse {
	known := s.of(k)
	most = min(most, known.count)
	if len(known.newest) < most {
		s.lists.grow(int64(most-cap(known.newest)) * int64(unsafe.Sizeof(glimpse{})))
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
	v, known := s.lists.meaning(g.number)
	if !known {
		v = s.archive.meaning(g.number)
		s.lists.keep(g.number, v)
	}
	return v
}

// meaning is the vector of a fact, if it is known.
func (l *lists) meaning(n FactNumber) (wordvec.Vector, bool) {
	if v, known := l.young.meanings[n]; known {
		return v, true
	}
	v, known := l.old.meanings[n]
	if known {
		delete(l.old.meanings, n)
		l.old.size -= meaningSize
		l.keep(n, v)
	}
	return v, known
}

func (l *lists) keep(n FactNumber, v wordvec.Vector) {
	l.young.meanings[n] = v
	l.grow(meaningSize)
}

// hand moves the facts up to a number from the index of a state to the lists, because the
// archive indexes them from now on.
func (s *State) hand(last FactNumber) {
	for k, list := range s.index {
		n := 0
		for n < len(list) && list[n].number <= last {
			n++
		}
		if n > 0 {
			s.lists.prepend(k, list[:n])
		}
		switch {
		case n == len(list):
			delete(s.index, k)
		case n > 0:
			s.index[k] = slices.Clone(list[n:])
		}
	}
}

// prepend adds newer facts by rising number to what is known of a key, if anything is.
func (l *lists) prepend(k key, newer []glimpse) {
	for _, g := range [...]*generation{&l.young, &l.old} {
		if known := g.byKey[k]; known != nil {
			g.size -= known.bytes()
			known.count += len(newer)
			known.newest = prepended(known.newest, newer)
			g.size += known.bytes()
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
