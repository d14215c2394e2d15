package piece

import (
	"encoding/binary"
	"fmt"
)

// List is where a posting list lies in its section, and the number of its entries. The zero List
// is the empty list.
type List struct{ Offset, Count uint32 }

// An entry of a list is the distance from the number before (from 0 for the first one) as a
// varint, doubled, and odd if a count follows in a byte. Ahead of the entries of a list lies a
// step for each stepLength of them, but the first: where to go on reading.
const (
	stepLength = 128
	// stepSize is the length of a step: the offset of an entry from the first one, and the number
	// before that entry.
	stepSize = 8
	// entrySize is the maximum length of an entry.
	entrySize = 6
)

// steps is the number of steps of a list.
func (l List) steps() uint32 {
	if l.Count == 0 {
		return 0
	}
	return (l.Count - 1) / stepLength
}

// PostingWriter writes a section of posting lists.
type PostingWriter struct {
	bytes       BytesWriter
	steps, data []byte // of the list being written
	count, last uint32
}

// Postings begins a section of posting lists.
func (w *Writer) Postings(section int) *PostingWriter {
	w.begin(section, ofPostings, 0)
	return &PostingWriter{bytes: BytesWriter{w: w, section: section}}
}

// Add appends an entry to the list: a number greater than the one before and less than 2^32-1,
// and how often. A count of 0 is read as 1.
func (pw *PostingWriter) Add(number uint32, count uint8) {
	if (pw.count > 0 && number <= pw.last) || number+1 == 0 {
		pw.bytes.w.fail(fmt.Errorf("posting %d after %d", number, pw.last))
		return
	}
	if pw.count > 0 && pw.count%stepLength == 0 {
		pw.steps = binary.LittleEndian.AppendUint32(pw.steps, uint32(len(pw.data)))
		pw.steps = binary.LittleEndian.AppendUint32(pw.steps, pw.last)
	}
	gap := uint64(number-pw.last) << 1
	if count > 1 {
		pw.data = append(binary.AppendUvarint(pw.data, gap|1), count)
	} else {
		pw.data = binary.AppendUvarint(pw.data, gap)
	}
	pw.count++
	pw.last = number
}

// End ends the list and returns where it lies. The next Add begins another one.
func (pw *PostingWriter) End() List {
	l := List{Count: pw.count}
	if l.Count > 0 {
		l.Offset = pw.bytes.Add(pw.steps)
		pw.bytes.Add(pw.data)
		if s := pw.bytes.w.at(pw.bytes.section); s != nil {
			s.more = max(s.more, pw.last+1)
		}
	}
	pw.steps, pw.data, pw.count, pw.last = pw.steps[:0], pw.data[:0], 0, 0
	return l
}

// Postings are a section of posting lists.
type Postings struct {
	bytes Bytes
	bound uint32
}

// Postings returns a section of posting lists.
func (r *Reader) Postings(section int) Postings {
	s := r.section(section, ofPostings)
	return Postings{bytes: Bytes{r: r, start: uint64(s.start), size: s.size}, bound: s.more}
}

// Bound is greater than every number in the lists. Cursors never return one that is not less, nor
// one that is not greater than the one before.
func (ps *Postings) Bound() uint32 { return ps.bound }

// From returns a cursor at the entry with that rank, counted from 0, the lowest number first. The
// newest n entries of a list begin at rank Count-n.
func (ps *Postings) From(l List, rank uint32) Cursor {
	if rank >= l.Count {
		return Cursor{}
	}
	c := ps.cursor(l, rank/stepLength)
	for range rank % stepLength {
		c.Next()
	}
	return c
}

// All returns a cursor at the first entry.
func (ps *Postings) All(l List) Cursor { return ps.From(l, 0) }

// Below is the number of entries with numbers less than bound.
func (ps *Postings) Below(l List, bound uint32) uint32 {
	if l.Count == 0 {
		return 0
	}
	low, high := uint32(0), l.steps() // step low begins below the bound, step high+1 does not
	for low < high {
		middle := (low + high + 1) / 2
		if _, before := ps.step(l, middle); before < bound {
			low = middle
		} else {
			high = middle - 1
		}
	}
	c := ps.cursor(l, low)
	below := low * stepLength
	for c.Next() && c.Number < bound {
		below++
	}
	return below
}

// step reads a step of a list. Step 0 is its beginning.
func (ps *Postings) step(l List, n uint32) (at, before uint32) {
	if n == 0 {
		return 0, 0
	}
	var buf [stepSize]byte
	b := ps.bytes.Range(l.Offset+(n-1)*stepSize, stepSize, buf[:])
	if b == nil {
		return 0, 0
	}
	return binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
}

// entries is where the entries of a step lie in the section, and the number before them.
func (ps *Postings) entries(l List, step uint32) (offset uint64, before uint32) {
	at, before := ps.step(l, step)
	return uint64(l.Offset) + uint64(l.steps())*stepSize + uint64(at), before
}

// cursor returns a cursor at a step of a list with entries.
func (ps *Postings) cursor(l List, step uint32) Cursor {
	offset, before := ps.entries(l, step)
	if offset >= uint64(ps.bytes.size) {
		ps.bytes.r.fail(damaged("posting list at %d of %d", offset, ps.bytes.size))
		return Cursor{}
	}
	c := Cursor{
		Number: before, left: l.Count - step*stepLength, bound: uint64(ps.bound),
		next: ps.bytes.start + offset, end: ps.bytes.start + uint64(ps.bytes.size), r: ps.bytes.r,
	}
	if step > 0 {
		c.Count = 1 // an entry came before
	}
	c.data = c.r.span(c.next, c.end)
	c.next += uint64(len(c.data))
	return c
}
