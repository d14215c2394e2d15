package piece

import (
	"fmt"
	"math/bits"
)

// MaxWidth is the maximum width of a record, in bytes.
const MaxWidth = 4096

// grid is where records of a fixed width lie. The records of a block begin at multiples of the
// width in the block, and no record crosses into the next block.
type grid struct {
	width uint32
	n     uint32 // records
	block uint32 // the block of the first record
	first uint32 // its place in that block, in records
	per   uint32 // records of a full block
	// inverse is 2^64/per, rounded up: a product takes the place of a division, exactly for every
	// 32-bit number.
	inverse uint64
}

// place puts n records at pos or as soon after it as they can be, and returns where they end.
// The end is exact for all arguments with a width of 1 to MaxWidth.
func place(pos uint64, width, n uint32) (g grid, end uint64) {
	g = grid{width: width, n: n, per: room / width, block: uint32(pos / room)}
	g.inverse = ^uint64(0)/uint64(g.per) + 1
	g.first = min((uint32(pos%room)+width-1)/width, g.per) // per is the first place of the next block
	if n == 0 {
		return g, pos
	}
	last := uint64(g.first) + uint64(n) - 1
	return g, (uint64(g.block)+last/uint64(g.per))*room + (last%uint64(g.per)+1)*uint64(width)
}

// at is the block and the offset in it of record i.
func (g *grid) at(i uint32) (block, offset uint32) {
	i += g.first
	whole, _ := bits.Mul64(g.inverse, uint64(i))
	return g.block + uint32(whole), (i - uint32(whole)*g.per) * g.width
}

// Records are a section of records of a fixed width, numbered from 0.
type Records struct {
	r     *Reader
	g     grid
	blank []byte
}

// Records returns a section of records. Another width than the records were written with is
// damage.
func (r *Reader) Records(section, width int) Records {
	s := r.section(section, ofRecords)
	if int(s.width) != width {
		r.fail(damaged("section %d: records of %d bytes instead of %d", section, s.width, width))
		s.size = 0
	}
	g, _ := place(uint64(s.start), uint32(width), s.size)
	return Records{r: r, g: g}
}

// Len is the number of records.
func (rs *Records) Len() uint32 { return rs.g.n }

// At returns record i, not to be changed. A record that does not exist is damage. After an error
// all bytes of the record are zero.
func (rs *Records) At(i uint32) []byte {
	if i >= rs.g.n {
		return rs.outside(i)
	}
	n, from := rs.g.at(i)
	data := rs.r.block(n)
	if data == nil {
		return rs.none()
	}
	end := from + rs.g.width
	return data[from:end:end]
}

// Run returns record i and those after it in the same block, one or more, not to be changed: a
// loop over all records that asks for each block once.
func (rs *Records) Run(i uint32) []byte {
	if i >= rs.g.n {
		return rs.outside(i)
	}
	n, from := rs.g.at(i)
	data := rs.r.block(n)
	if data == nil {
		return rs.none()
	}
	here := min(rs.g.per-from/rs.g.width, rs.g.n-i)
	end := from + here*rs.g.width
	return data[from:end:end]
}

func (rs *Records) outside(i uint32) []byte {
	rs.r.fail(damaged("record %d of %d", i, rs.g.n))
	return rs.none()
}

// none is the record after an error.
func (rs *Records) none() []byte {
	if rs.blank == nil {
		rs.blank = make([]byte, rs.g.width)
	}
	return rs.blank
}

// RecordWriter writes a section of records.
type RecordWriter struct {
	w       *Writer
	section int
	g       grid
}

// Records begins a section of records of a width from 1 to MaxWidth bytes.
func (w *Writer) Records(section, width int) *RecordWriter {
	if width < 1 || width > MaxWidth {
		w.fail(fmt.Errorf("records of %d bytes", width))
		width = 1
	}
	w.begin(section, ofRecords, width)
	g, _ := place(w.position(), uint32(width), 0)
	return &RecordWriter{w: w, section: section, g: g}
}

// Add appends a record and returns its number.
func (rw *RecordWriter) Add(record []byte) (number uint32) {
	s := rw.w.at(rw.section)
	if s == nil {
		return 0
	}
	if len(record) != int(rw.g.width) {
		rw.w.fail(fmt.Errorf("a record of %d bytes instead of %d", len(record), rw.g.width))
		return 0
	}
	number = s.size
	s.size++
	rw.w.place(&rw.g, number, record)
	return number
}
