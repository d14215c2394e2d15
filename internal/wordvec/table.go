package wordvec

import (
	"encoding/binary"
	"errors"
)

// Table is a table of word vectors in its binary form:
//
//	"words1\n\x00", number of words, number of slots, both uint32
//	the rows: Dim bytes a word, in the order of the words
//	the slots: a hash table of word numbers, uint16; noWord is an empty slot
//	where each word ends in the text, uint32
//	the text: all words, in lower case, without separators
//
// All numbers are little-endian.
type Table struct {
	words             int
	mask              uint32
	rows, slots, ends string
	text              string
}

const (
	magic    = "words1\n\x00"
	headSize = len(magic) + 8
	noWord   = 1<<16 - 1
	slotSize = 2
	endSize  = 4
)

// ErrTable says that data is no table of this format.
var ErrTable = errors.New("not a table of word vectors")

// Open reads a table in place. It checks the sizes of the parts, not the parts.
func Open(data string) (Table, error) {
	if len(data) < headSize || data[:len(magic)] != magic {
		return Table{}, ErrTable
	}
	words, slots := uint64(u32(data[len(magic):])), uint64(u32(data[len(magic)+4:]))
	fixed := uint64(headSize) + words*(Dim+endSize) + slots*slotSize
	if words >= noWord || slots <= words || slots&(slots-1) != 0 || uint64(len(data)) < fixed {
		return Table{}, ErrTable
	}
	t := Table{words: int(words), mask: uint32(slots - 1)}
	rest := data[headSize:]
	t.rows, rest = rest[:words*Dim], rest[words*Dim:]
	t.slots, rest = rest[:slots*slotSize], rest[slots*slotSize:]
	t.ends, t.text = rest[:words*endSize], rest[words*endSize:]
	if words > 0 && uint64(u32(t.ends[(words-1)*endSize:])) != uint64(len(t.text)) {
		return Table{}, ErrTable
	}
	return t, nil
}

// mustOpen opens the embedded table, which a test opens too.
func mustOpen(data string) Table {
	t, err := Open(data)
	if err != nil {
		panic(err)
	}
	return t
}

// Len is the number of words.
func (t *Table) Len() int { return t.words }

// Row returns the vector of a word.
func (t *Table) Row(word int) Row { return Row(t.rows[word*Dim : (word+1)*Dim]) }

// Name returns a word by its number.
func (t *Table) Name(word int) string {
	from := uint32(0)
	if word > 0 {
		from = u32(t.ends[(word-1)*endSize:])
	}
	return t.text[from:u32(t.ends[word*endSize:])]
}

// Word returns the number of a word in lower case, false if the table lacks it.
func (t *Table) Word(low string) (int, bool) { return find(t, low) }

// find looks a word up without a copy of it.
func find[T string | []byte](t *Table, low T) (int, bool) {
	for slot := hash(low) & t.mask; ; slot = (slot + 1) & t.mask {
		at := slot * slotSize
		word := int(t.slots[at]) | int(t.slots[at+1])<<8
		if word == noWord {
			return 0, false
		}
		if t.Name(word) == string(low) {
			return word, true
		}
	}
}

// hash is FNV-1a.
func hash[T string | []byte](word T) uint32 {
	h := uint32(2166136261)
	for i := range len(word) {
		h = (h ^ uint32(word[i])) * 16777619
	}
	return h
}

func u32(s string) uint32 {
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// Encode makes a table of words in lower case, the most frequent first, and their
// vectors. Words must differ, and be fewer than 65,535.
func Encode(words []string, rows [][Dim]int8) []byte {
	slots := 4
	for slots < len(words)*3/2 {
		slots *= 2
	}
	out := append([]byte(nil), magic...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(words)))
	out = binary.LittleEndian.AppendUint32(out, uint32(slots))
	for i := range rows {
		for _, v := range rows[i] {
			out = append(out, byte(v))
		}
	}
	for _, word := range place(words, slots) {
		out = binary.LittleEndian.AppendUint16(out, word)
	}
	end := uint32(0)
	for _, w := range words {
		end += uint32(len(w))
		out = binary.LittleEndian.AppendUint32(out, end)
	}
	for _, w := range words {
		out = append(out, w...)
	}
	return out
}

// place puts the words into a hash table with linear probing.
func place(words []string, slots int) []uint16 {
	out := make([]uint16, slots)
	for i := range out {
		out[i] = noWord
	}
	for n, w := range words {
		slot := hash(w) & uint32(slots-1)
		for out[slot] != noWord {
			slot = (slot + 1) & uint32(slots-1)
		}
		out[slot] = uint16(n)
	}
	return out
}
