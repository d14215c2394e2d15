package memory

import (
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

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

// keyTableWriter writes a table of keys. Their lists are written first, and a merged piece can have millions of keys.
// The writer therefore holds of each list only how far its place rises, and its length. The keys are read once more
// when the table is written.
type keyTableWriter struct {
	held [][]byte // numbers of varying length, in parts of heldPart bytes: a list that grows is copied
	last piece.List
}

const heldPart = 64 << 10

// add adds the list of the next key, which lies behind those before. An empty list is no entry of the table.
func (w *keyTableWriter) add(list piece.List) {
	if n := len(w.held); n == 0 || len(w.held[n-1])+2*binary.MaxVarintLen32 > heldPart {
		w.held = append(w.held, make([]byte, 0, heldPart))
	}
	part := &w.held[len(w.held)-1]
	*part = binary.AppendUvarint(*part, uint64(list.Count))
	if list.Count > 0 {
		*part = binary.AppendUvarint(*part, uint64(list.Offset-w.last.Offset))
		w.last = list
	}
}

// lists returns the lists again, one with each call.
func (w *keyTableWriter) lists() func() piece.List {
	var last piece.List
	var left []byte
	parts := w.held
	number := func() uint32 {
		n, size := binary.Uvarint(left)
		left = left[size:]
		return uint32(n)
	}
	return func() piece.List {
		if len(left) == 0 && len(parts) > 0 {
			left, parts = parts[0], parts[1:]
		}
		count := number()
		if count == 0 {
			return piece.List{}
		}
		last = piece.List{Offset: last.Offset + number(), Count: count}
		return last
	}
}

// write writes the sections of the table. keys are those of the lists, which rise.
func (w *keyTableWriter) write(to *piece.Writer, keys iter.Seq2[key, error]) error {
	entries, next := to.Records(factKeys, entryWidth), w.lists()
	var b, fenced []byte
	n := 0
	for k, err := range keys {
		if err != nil {
			return err
		}
		list := next()
		if list.Count == 0 {
			continue
		}
		b = k.appendBytes(b[:0])
		if n%fenceStep == 0 {
			fenced = append(fenced, b...)
		}
		n++
		b = binary.LittleEndian.AppendUint32(b, list.Offset)
		entries.Add(binary.LittleEndian.AppendUint32(b, list.Count))
	}
	fences := to.Records(factFences, keyWidth)
	for k := range slices.Chunk(fenced, keyWidth) {
		fences.Add(k)
	}
	return nil
}

// mergedKeys are the keys of several pieces, in their order.
type mergedKeys struct {
	walks []*walk
	key   key
}

func mergeKeys(parts []*factReader) (*mergedKeys, error) {
	m := &mergedKeys{}
	for _, p := range parts {
		w := p.keys.walk()
		if err := w.step(); err != nil {
			return nil, err
		}
		m.walks = append(m.walks, w)
	}
	return m, nil
}

// next moves to the least key that is left; false if none is.
func (m *mergedKeys) next() (found bool) {
	for _, w := range m.walks {
		if !w.ended && (!found || w.key < m.key) {
			m.key, found = w.key, true
		}
	}
	return found
}

// list is the list of the key in one of the pieces.
func (m *mergedKeys) list(part int) piece.List {
	if w := m.walks[part]; !w.ended && w.key == m.key {
		return w.list
	}
	return piece.List{}
}

// pass leaves the key behind.
func (m *mergedKeys) pass() error {
	for _, w := range m.walks {
		if w.ended || w.key != m.key {
			continue
		}
		if err := w.step(); err != nil {
			return err
		}
	}
	return nil
}

// keysOf are the keys of several pieces.
func keysOf(parts []*factReader) iter.Seq2[key, error] {
	return func(yield func(key, error) bool) {
		m, err := mergeKeys(parts)
		for err == nil && m.next() {
			if !yield(m.key, nil) {
				return
			}
			err = m.pass()
		}
		if err != nil {
			yield(0, err)
		}
	}
}
