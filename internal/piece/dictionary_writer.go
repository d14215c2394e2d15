package piece

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// DictionaryWriter writes a dictionary. It holds all terms in memory until End. Until then other
// sections can be written, such as the posting lists of the terms.
type DictionaryWriter struct {
	w       *Writer
	section int
	terms   []term
	keys    []byte
}

// term is a term of the dictionary being written: the end of its key, and its posting list.
type term struct {
	keyEnd uint32
	list   List
}

// Dictionary begins a dictionary.
func (w *Writer) Dictionary(section int) *DictionaryWriter {
	return &DictionaryWriter{w: w, section: section}
}

// Add adds a term and returns its number. Its key is greater than the one before, byte by byte.
func (dw *DictionaryWriter) Add(key []byte, list List) (number uint32) {
	n := len(dw.terms)
	if n > 0 && bytes.Compare(dw.key(n-1), key) >= 0 {
		dw.w.fail(fmt.Errorf("key %q of a dictionary after %q", key, dw.key(n-1)))
		return 0
	}
	dw.keys = append(dw.keys, key...)
	dw.terms = append(dw.terms, term{keyEnd: uint32(len(dw.keys)), list: list})
	return uint32(n)
}

// start is the offset of a term's key.
func (dw *DictionaryWriter) start(n int) uint32 {
	if n == 0 {
		return 0
	}
	return dw.terms[n-1].keyEnd
}

func (dw *DictionaryWriter) key(n int) []byte { return dw.keys[dw.start(n):dw.terms[n].keyEnd] }

// End writes the section.
func (dw *DictionaryWriter) End() {
	w, n := dw.w, uint32(len(dw.terms))
	w.begin(dw.section, ofTerms, 0)
	s := w.at(dw.section)
	if s == nil {
		return
	}
	s.size, s.more = n, uint32(len(dw.keys))
	l := layOut(w.position(), n)
	table := dw.table(&l)
	for i := range l.buckets.n {
		w.place(&l.buckets, i, table[i*bucketSize:(i+1)*bucketSize])
	}
	record := make([]byte, termSize)
	for i := range dw.terms {
		list := dw.terms[i].list
		binary.LittleEndian.PutUint32(record, dw.start(i))
		binary.LittleEndian.PutUint32(record[4:], list.Offset)
		binary.LittleEndian.PutUint32(record[8:], list.Count)
		w.place(&l.terms, uint32(i), record)
	}
	w.write(dw.keys)
}

// table is the hash table.
func (dw *DictionaryWriter) table(l *layout) []byte {
	table := make([]byte, l.buckets.n*bucketSize)
	for i := range dw.terms {
		bucket, tag := l.find(Hash(dw.key(i)))
		at := bucket * bucketSize
		for binary.LittleEndian.Uint32(table[at:]) != 0 {
			if at += slotSize; int(at) == len(table) {
				at = 0
			}
		}
		binary.LittleEndian.PutUint32(table[at:], tag|uint32(i+1))
	}
	return table
}
