package piece

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Writer writes a piece in one pass, one section after the other, with the memory of two blocks
// and of one dictionary. It keeps its first error, which Close returns.
type Writer struct {
	emit     func(n int, block []byte) error
	format   uint32
	first    []byte // block 0, which goes out last, because it holds the header
	open     []byte // the block being written
	n        int    // its number
	sections []section
	current  int // the section being written, or -1
	err      error
}

// NewWriter begins a piece with a number of sections, at most 500. Format is the caller's: it
// changes when the meaning of the sections does. Emit receives each block once, block 0 last. It
// must not keep the slice.
func NewWriter(format uint32, sections int, emit func(n int, block []byte) error) *Writer {
	w := &Writer{emit: emit, format: format, current: -1, open: make([]byte, 0, BlockSize)}
	if sections < 0 || sections > maxSections {
		w.err = fmt.Errorf("a piece of %d sections", sections)
		return w
	}
	w.sections = make([]section, sections)
	w.open = w.open[:headerSize+sections*sectionSize]
	return w
}

// Close writes what is left. The piece is complete if Close returns no error.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	size := w.position()
	if w.n > 0 && len(w.open) > 0 {
		w.flush()
	}
	if w.first == nil {
		w.first = w.open
	}
	header := append(make([]byte, 0, headerSize), magic...)
	header = binary.LittleEndian.AppendUint32(header, w.format)
	header = binary.LittleEndian.AppendUint32(header, uint32(size))
	header = binary.LittleEndian.AppendUint32(header, uint32(len(w.sections)))
	for i := range w.sections {
		header = w.sections[i].append(header)
	}
	copy(w.first, header)
	if w.err == nil {
		w.err = w.emit(0, seal(0, w.first))
	}
	err := w.err
	w.err = errors.New("the piece is closed")
	return err
}

// fail records an error.
func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// position is where the next byte goes, counted without checksums.
func (w *Writer) position() uint64 { return uint64(w.n)*room + uint64(len(w.open)) }

// flush ends the block being written.
func (w *Writer) flush() {
	if w.n == 0 {
		w.first, w.open = w.open, make([]byte, 0, BlockSize)
	} else {
		if w.err == nil {
			w.err = w.emit(w.n, seal(w.n, w.open))
		}
		w.open = w.open[:0]
	}
	w.n++
}

// write writes bytes, across blocks if need be.
func (w *Writer) write(p []byte) {
	if w.err == nil && w.position()+uint64(len(p)) > math.MaxUint32 {
		w.err = errors.New("a piece of more than 4 GiB")
	}
	for len(p) > 0 && w.err == nil {
		n := min(room-len(w.open), len(p))
		w.open = append(w.open, p[:n]...)
		if p = p[n:]; len(w.open) == room {
			w.flush()
		}
	}
}

// pad writes zeros up to a position, which is less than two blocks away.
func (w *Writer) pad(to uint64) {
	for w.err == nil && w.position() < to {
		n := min(to-w.position(), uint64(room-len(w.open)))
		w.write(make([]byte, n))
	}
}

// place writes record i of a grid.
func (w *Writer) place(g *grid, i uint32, record []byte) {
	n, offset := g.at(i)
	w.pad(uint64(n)*room + uint64(offset))
	w.write(record)
}

// begin opens a section. Each section is written once, and in one go.
func (w *Writer) begin(number int, k kind, width int) {
	switch {
	case w.err != nil:
	case number < 0 || number >= len(w.sections) || w.sections[number].kind != ofNothing:
		w.err = fmt.Errorf("section %d does not exist or was written before", number)
	default:
		w.current = number
		w.sections[number] = section{kind: k, width: uint16(width), start: uint32(w.position())}
	}
}

// at returns an open section, or nil after an error.
func (w *Writer) at(number int) *section {
	if w.err == nil && w.current != number {
		w.err = fmt.Errorf("section %d was ended by another", number)
	}
	if w.err != nil {
		return nil
	}
	return &w.sections[number]
}
