package memory

import (
	"encoding/binary"
	"fmt"
	"iter"

	"github.com/hermes-memory/hermes/internal/piece"
)

// A table of keys says for each key of a fact piece where the list of its facts lies. The entries
// are sorted by their keys, and every fenceStep-th key is in the fences, so that one block of the
// fences and mostly one of the entries tell where a list lies.
const (
	keyWidth = 5
	// entryWidth is the width of an entry: the key, and the place and the length of the list.
	entryWidth = keyWidth + 4 + 4
	fenceStep  = 64
)

// appendBytes appends a key in the order of the keys' numbers.
func (k key) appendBytes(to []byte) []byte {
	to = append(to, byte(k>>32))
	return binary.BigEndian.AppendUint32(to, uint32(k))
}

// keyFrom is a key of its bytes.
func keyFrom(b []byte) key { return keyOf(keySpace(b[0]), binary.BigEndian.Uint32(b[1:])) }

// keyTable is a table of keys being read.
type keyTable struct{ entries, fences piece.Records }

func readKeys(r *piece.Reader) keyTable {
	return keyTable{r.Records(factKeys, entryWidth), r.Records(factFences, keyWidth)}
}

// entry is an entry of the table.
func (t *keyTable) entry(n uint32) (key, piece.List) {
	b := t.entries.At(n)
	return keyFrom(b), piece.List{Offset: binary.LittleEndian.Uint32(b[keyWidth:]), Count: binary.LittleEndian.Uint32(b[keyWidth+4:])}
}

// fenced are the entries of which one may have a key: from one up to, but not including, another.
func (t *keyTable) fenced(k key) (from, to uint32) {
	low, high := uint32(0), t.fences.Len() // the fences below low are not above the key
	for low < high {
		if middle := (low + high) / 2; keyFrom(t.fences.At(middle)) <= k {
			low = middle + 1
		} else {
			high = middle
		}
	}
	to = min(low*fenceStep, t.entries.Len())
	return to - min(to, fenceStep), to
}

// list is the posting list of a key; empty for a key that no fact has.
func (t *keyTable) list(k key) piece.List {
	from, to := t.fenced(k)
	for from < to {
		middle := (from + to) / 2
		switch at, list := t.entry(middle); {
		case at == k:
			return list
		case at < k:
			from = middle + 1
		default:
			to = middle
		}
	}
	return piece.List{}
}

// wantFences and want note that lists will be looked up: of any keys, or of one.
func (t *keyTable) wantFences() { t.fences.WantRun(0, t.fences.Len()) }
func (t *keyTable) want(k key)  { t.entries.WantRun(t.fenced(k)) }
func (t *keyTable) walk() *walk { return &walk{t: t} }

// walk reads the entries of a table in their order.
type walk struct {
	t     *keyTable
	next  uint32
	ended bool
	key   key
	list  piece.List
}

// step moves to the next entry, or ends the walk. The error is piece.ErrDamaged for a key that is
// not above the one before.
func (w *walk) step() error {
	if w.ended = w.next == w.t.entries.Len(); w.ended {
		return nil
	}
	before := w.key
	w.key, w.list = w.t.entry(w.next)
	if w.next++; w.next > 1 && w.key <= before {
		return fmt.Errorf("%w: key %d is not above the one before", piece.ErrDamaged, w.next-1)
	}
	return nil
}

// keyTableWriter writes a table of keys. It holds the entries, because their lists are written
// first. Keys and places rise, so that a difference takes few bytes: a merged piece can have millions of
// keys.
type keyTableWriter struct {
	held []byte // of each entry, as numbers of varying length: how far the key and the place rise, and the length
	last keyEntry
}

// keyEntry is an entry of a table of keys.
type keyEntry struct {
	key  key
	list piece.List
}

// add adds a key, which is above those before. Its list lies behind theirs.
func (w *keyTableWriter) add(k key, list piece.List) {
	w.held = binary.AppendUvarint(w.held, uint64(k-w.last.key))
	w.held = binary.AppendUvarint(w.held, uint64(list.Offset-w.last.list.Offset))
	w.held = binary.AppendUvarint(w.held, uint64(list.Count))
	w.last = keyEntry{k, list}
}

// all iterates over the entries.
func (w *keyTableWriter) all() iter.Seq2[int, keyEntry] {
	return func(yield func(int, keyEntry) bool) {
		var e keyEntry
		left := w.held
		number := func() uint64 {
			n, size := binary.Uvarint(left)
			left = left[size:]
			return n
		}
		for i := 0; len(left) > 0; i++ {
			e.key += key(number())
			e.list.Offset += uint32(number())
			e.list.Count = uint32(number())
			if !yield(i, e) {
				return
			}
		}
	}
}

// write writes the sections of the table.
func (w *keyTableWriter) write(to *piece.Writer) {
	entries := to.Records(factKeys, entryWidth)
	var b []byte
	for _, e := range w.all() {
		b = e.key.appendBytes(b[:0])
		b = binary.LittleEndian.AppendUint32(b, e.list.Offset)
		entries.Add(binary.LittleEndian.AppendUint32(b, e.list.Count))
	}
	fences := to.Records(factFences, keyWidth)
	for i, e := range w.all() {
		if i%fenceStep == 0 {
			b = e.key.appendBytes(b[:0])
			fences.Add(b)
		}
	}
}
