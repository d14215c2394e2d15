package piece

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"sort"
)

// A dictionary is three things one after the other: a hash table of buckets, a record for each
// term, and the keys. A bucket is a cache line of slots; a key whose bucket is full is in the next
// one. A slot is 0 if it is empty. Otherwise it is the number of a term plus one and, in the bits
// above, as much of the key's hash as there is room for, so that most other keys are told apart
// without reading them.
const (
	bucketSize = 64
	slotSize   = 4
	// bucketLoad is how many of the 16 slots of a bucket are taken on average, at most.
	bucketLoad = 12
	// termSize is the width of a term's record: the offset of its key, and its posting list.
	termSize = 12
)

// layout is where the parts of a dictionary lie.
type layout struct {
	buckets, terms grid
	keys           uint64 // position
	termBits       int    // of a slot, for the term
}

// layOut places a dictionary of n terms at a position.
func layOut(pos uint64, n uint32) (l layout) {
	if n == 0 {
		return layout{keys: pos}
	}
	l.buckets, pos = place(pos, bucketSize, n/bucketLoad+1)
	l.terms, l.keys = place(pos, termSize, n)
	l.termBits = bits.Len32(n)
	return l
}

// find returns the bucket at which the search for a key begins, and the bits of a slot above the
// term.
func (l *layout) find(hash uint64) (bucket, tag uint32) {
	high, _ := bits.Mul64(hash, uint64(l.buckets.n))
	return uint32(high), uint32(hash) << l.termBits
}

// Hash is the hash of a key of a dictionary: FNV-1a, mixed so that short keys reach all bits.
// It is part of the format.
func Hash[T string | []byte](key T) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	h = (h ^ h>>32) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// Dictionary is a section of keys in the order of their bytes. The terms are numbered from 0 in
// that order, and each has a posting list.
type Dictionary struct {
	n        uint32
	termBits int
	buckets  Records
	terms    Records
	keys     Bytes
	buf      []byte // for keys that lie in two blocks
}

// Dictionary returns a dictionary.
func (r *Reader) Dictionary(section int) *Dictionary {
	s := r.section(section, ofTerms)
	l := layOut(uint64(s.start), s.size)
	return &Dictionary{
		n: s.size, termBits: l.termBits,
		buckets: Records{r: r, g: l.buckets}, terms: Records{r: r, g: l.terms},
		keys: Bytes{r: r, start: l.keys, size: s.more},
	}
}

// Len is the number of terms.
func (d *Dictionary) Len() uint32 { return d.n }

// Lookup finds the term with a key.
func (d *Dictionary) Lookup(key []byte) (term uint32, ok bool) { return find(d, key, Hash(key)) }

// Find is Lookup for a key whose [Hash] is known, because it is looked up in several
// dictionaries.
func (d *Dictionary) Find(key string, hash uint64) (term uint32, ok bool) { return find(d, key, hash) }

func find[T string | []byte](d *Dictionary, key T, hash uint64) (term uint32, ok bool) {
	if d.n == 0 {
		return 0, false
	}
	l := layout{buckets: d.buckets.g, termBits: d.termBits}
	bucket, tag := l.find(hash)
	for range d.buckets.Len() {
		line := d.buckets.At(bucket)
		for i := 0; i+slotSize <= len(line); i += slotSize {
			slot := binary.LittleEndian.Uint32(line[i:])
			if slot == 0 {
				return 0, false
			}
			term := slot & (1<<d.termBits - 1)
			if slot-term == tag && string(d.Key(term-1)) == string(key) {
				return term - 1, true
			}
		}
		if bucket++; bucket == d.buckets.Len() {
			bucket = 0
		}
	}
	return 0, false
}

// List is the posting list of a term.
func (d *Dictionary) List(term uint32) List {
	if term >= d.n {
		d.terms.outside(term)
		return List{}
	}
	b := d.terms.At(term)
	return List{Offset: binary.LittleEndian.Uint32(b[4:]), Count: binary.LittleEndian.Uint32(b[8:])}
}

// Key is the key of a term, not to be changed. It is valid until the next call of a method of the
// dictionary. It is empty after an error.
func (d *Dictionary) Key(term uint32) []byte {
	return d.read(d.keyAt(term))
}

func (d *Dictionary) read(from, to uint32) []byte {
	if n := int(to - from); n > cap(d.buf) {
		d.buf = make([]byte, 0, 2*n)
	}
	return d.keys.Range(from, to-from, d.buf)
}

// keyAt is where the key of a term lies.
func (d *Dictionary) keyAt(term uint32) (from, to uint32) {
	if term >= d.n {
		d.keys.r.fail(damaged("term %d of %d", term, d.n))
		return 0, 0
	}
	run := d.terms.Run(term)
	from, to = binary.LittleEndian.Uint32(run), d.keys.size
	switch {
	case len(run) > termSize:
		to = binary.LittleEndian.Uint32(run[termSize:])
	case term+1 < d.n: // the next record is in another block
		to = binary.LittleEndian.Uint32(d.terms.At(term + 1))
	}
	if from > to || to > d.keys.size {
		d.keys.r.fail(damaged("key of term %d", term))
		return 0, 0
	}
	return from, to
}

// Prefix returns the terms whose keys begin with prefix: all from one up to, but not including,
// another.
func (d *Dictionary) Prefix(prefix []byte) (from, to uint32) {
	first := sort.Search(int(d.n), func(i int) bool { return bytes.Compare(d.Key(uint32(i)), prefix) >= 0 })
	n := sort.Search(int(d.n)-first, func(i int) bool { return !bytes.HasPrefix(d.Key(uint32(first+i)), prefix) })
	return uint32(first), uint32(first + n)
}
