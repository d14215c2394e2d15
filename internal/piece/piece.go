// Package piece owns immutable containers of bytes that are read in part.
//
// A piece is written once, in one pass ([Writer]), and consists of numbered sections: opaque
// bytes, records of a fixed width, posting lists, and dictionaries. What the sections mean is
// the caller's affair: the package knows neither messages nor facts nor a database.
//
// The bytes lie in blocks of 8,000 bytes, each with a checksum. A reader loads a block when it first
// needs one, and keeps it in a [Cache] that bounds the memory of all pieces of the process. A
// Piece is safe for concurrent use. A [Reader] is one session of reading by one goroutine.
//
// Readers check no error at every record. A Reader keeps its first error, from then on returns
// zero values, and [Reader.Err] tells the error at the end. Bytes that were changed on disk give
// an error and never a panic.
package piece

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"
)

// ErrDamaged is the error of a block that is missing, short, or other than it was written. The
// error's text names the block or the section. The cure is to make the piece again.
var ErrDamaged = errors.New("piece is damaged")

// ErrFormat is the error of a piece in another format than its reader expects. The piece is
// sound, and another version of the program wrote it.
var ErrFormat = errors.New("piece has another format")

// Source reads the blocks of one piece. It is safe for concurrent use.
type Source interface {
	// Block returns block n, in bytes as they were passed to the emit function of the Writer. The
	// piece keeps the slice. A block that does not exist is nil without an error.
	Block(ctx context.Context, n int) ([]byte, error)
}

// Blocks are the blocks of a piece in memory.
type Blocks [][]byte

// Emit adds a copy of a block. It is the emit function of a Writer.
func (b *Blocks) Emit(n int, block []byte) error {
	for len(*b) <= n {
		*b = append(*b, nil)
	}
	(*b)[n] = make([]byte, len(block)) // of no greater capacity, as from a store
	copy((*b)[n], block)
	return nil
}

// Block implements Source.
func (b Blocks) Block(_ context.Context, n int) ([]byte, error) {
	if n >= len(b) {
		return nil, nil
	}
	return b[n], nil
}

// Piece is an open piece.
type Piece struct {
	source   Source
	batch    Batch // the source, if it is one; nil otherwise
	cache    *Cache
	size     uint32 // bytes of all blocks without their checksums
	sections []section
	blocks   []atomic.Pointer[block]
	dropped  bool // guarded by cache.mu: no more blocks are cached
}

// Open opens the piece that source reads, by reading its first block. The error is ErrFormat if
// the piece was not written in that format, and ErrDamaged if the first block is damaged.
func Open(ctx context.Context, source Source, cache *Cache, format uint32) (*Piece, error) {
	p := &Piece{source: source, cache: cache}
	p.batch, _ = source.(Batch)
	first, err := p.readFirst(ctx)
	if err != nil {
		return nil, err
	}
	data, err := unseal(first[0], 0)
	if err != nil {
		return nil, err
	}
	if err := p.readHeader(data, format); err != nil {
		return nil, err
	}
	p.blocks = make([]atomic.Pointer[block], (uint64(p.size)+room-1)/room)
	if len(data) != p.length(0) {
		return nil, damaged("block 0: %d bytes instead of %d", len(data), p.length(0))
	}
	p.keep(0, data, cap(first[0]))
	for n := 1; n < min(len(first), len(p.blocks)); n++ {
		p.take(n, first[n])
	}
	return p, nil
}

// readFirst reads block 0, and what comes with it in one round trip.
func (p *Piece) readFirst(ctx context.Context) (first [atOnce][]byte, err error) {
	p.cache.misses.Add(1)
	if p.batch != nil {
		_ = p.batch.Blocks(ctx, AppendFirst(nil, p.batch.ID()), func(of Ref, sealed []byte) { first[of.Block] = sealed })
	}
	if first[0] == nil { // its error tells what has become of the piece
		first[0], err = read(ctx, p.source, 0)
	}
	return first, err
}

// Size is the memory of the open piece without its blocks, in bytes, for owners that charge it
// to an [Account].
func (p *Piece) Size() int64 {
	return int64(unsafe.Sizeof(*p)) + int64(cap(p.sections))*int64(unsafe.Sizeof(section{})) + int64(len(p.blocks))*8
}

// Len is the number of blocks.
func (p *Piece) Len() int { return len(p.blocks) }

// Drop removes the blocks of the piece from the cache, for good. Readers of the piece go on, and
// read from the source.
func (p *Piece) Drop() { p.cache.drop(p) }

// The header begins block 0: magic, format, size, number of sections, and the sections.
const (
	magic       = "hpc2"
	headerSize  = 16
	maxSections = 500 // their entries fit in block 0
)

// kind is what a section holds.
type kind uint8

const (
	ofNothing kind = iota
	ofBytes
	ofRecords
	ofPostings
	ofTerms
)

// section is an entry of the header.
type section struct {
	kind  kind
	width uint16 // of records
	start uint32 // the position of the first byte, counted without checksums
	size  uint32 // bytes; of records and dictionaries their number
	more  uint32 // postings: above all numbers in the lists; dictionaries: bytes of the keys
}

const sectionSize = 16

func (s *section) append(to []byte) []byte {
	to = append(to, byte(s.kind), 0)
	to = binary.LittleEndian.AppendUint16(to, s.width)
	to = binary.LittleEndian.AppendUint32(to, s.start)
	to = binary.LittleEndian.AppendUint32(to, s.size)
	return binary.LittleEndian.AppendUint32(to, s.more)
}

// end is the position after the section. It may lie beyond any piece if the section is damaged.
func (s *section) end() uint64 {
	switch s.kind {
	case ofBytes, ofPostings:
		return uint64(s.start) + uint64(s.size)
	case ofRecords:
		if s.width == 0 || s.width > MaxWidth {
			return math.MaxUint64
		}
		_, end := place(uint64(s.start), uint32(s.width), s.size)
		return end
	case ofTerms:
		return layOut(uint64(s.start), s.size).keys + uint64(s.more)
	case ofNothing:
		return 0
	}
	return math.MaxUint64
}

// readHeader reads the header from block 0.
func (p *Piece) readHeader(data []byte, format uint32) error {
	if len(data) < headerSize || string(data[:len(magic)]) != magic {
		return fmt.Errorf("%w: it does not begin as one", ErrFormat)
	}
	if f := binary.LittleEndian.Uint32(data[4:]); f != format {
		return fmt.Errorf("%w: %d instead of %d", ErrFormat, f, format)
	}
	p.size = binary.LittleEndian.Uint32(data[8:])
	n := binary.LittleEndian.Uint32(data[12:])
	if n > maxSections || headerSize+int(n)*sectionSize > len(data) {
		return damaged("block 0: %d sections", n)
	}
	p.sections = make([]section, n)
	for i := range p.sections {
		b := data[headerSize+i*sectionSize:]
		p.sections[i] = section{
			kind:  kind(b[0]),
			width: binary.LittleEndian.Uint16(b[2:]),
			start: binary.LittleEndian.Uint32(b[4:]),
			size:  binary.LittleEndian.Uint32(b[8:]),
			more:  binary.LittleEndian.Uint32(b[12:]),
		}
		if p.sections[i].end() > uint64(p.size) {
			return damaged("section %d ends beyond the piece", i)
		}
	}
	return nil
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}
