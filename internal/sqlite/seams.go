package sqlite

import (
	"encoding/binary"
	"io"
)

// seams finds where the values of a database file, or of its log, meet. The columns of a row
// stand side by side, so that the end of one and the beginning of the next may look like a name.
// The format of the file is that of https://sqlite.org/fileformat2.html.
type seams struct {
	in   io.ReaderAt
	size int64 // of a page; 0 if the file is neither a database nor a log
	log  bool
	page []byte
	at   int64 // the offset of page in the file; -1 for none
}

const (
	fileHeader  = 100 // at the beginning of the first page
	logHeader   = 32  // at the beginning of a log
	frameHeader = 24  // before each page of a log
)

// The kinds of pages that have rows.
const (
	indexInterior = 2
	tableInterior = 5
	indexLeaf     = 10
	tableLeaf     = 13
)

// newSeams reads the size of the pages.
func newSeams(in io.ReaderAt) *seams {
	s := &seams{in: in, at: -1}
	var head [logHeader]byte
	if _, err := in.ReadAt(head[:], 0); err != nil {
		return s
	}
	magic := binary.BigEndian.Uint32(head[:])
	switch {
	case string(head[:15]) == "SQLite format 3":
		s.size = int64(binary.BigEndian.Uint16(head[16:]))
	case magic == 0x377f0682 || magic == 0x377f0683:
		s.log, s.size = true, int64(binary.BigEndian.Uint32(head[8:]))
	}
	if s.size == 1 { // 65,536 does not fit
		s.size = 1 << 16
	}
	return s
}

// apart reports whether bytes belong to several values: they reach over the end of a column,
// of a row's header or of a page.
func (s *seams) apart(from, to int64) bool {
	at, ok := s.pageOf(from)
	if !ok {
		return false
	}
	if to > at+s.size {
		return true
	}
	if s.at != at {
		s.page = make([]byte, s.size)
		if _, err := s.in.ReadAt(s.page, at); err != nil {
			s.at = -1
			return false
		}
		s.at = at
	}
	first := 0
	if !s.log && at == 0 {
		first = fileHeader
	}
	return divided(s.page, first, int(from-at), int(to-at))
}

// pageOf is the offset of the page that has an offset of the file.
func (s *seams) pageOf(offset int64) (at int64, ok bool) {
	if s.size < 512 {
		return 0, false
	}
	if !s.log {
		return offset / s.size * s.size, true
	}
	frame := (offset - logHeader) / (frameHeader + s.size)
	at = logHeader + frame*(frameHeader+s.size) + frameHeader
	return at, offset >= at
}

// divided reports whether bytes of a page belong to several values of a row. first is the offset
// of the page's header.
func divided(page []byte, first, from, to int) bool {
	kind := page[first]
	pointers, child := first+8, 0
	switch kind {
	case tableLeaf, indexLeaf:
	case indexInterior:
		pointers, child = first+12, 4
	default:
		return false
	}
	for n := range int(binary.BigEndian.Uint16(page[first+3:])) {
		if pointers+2*n+2 > len(page) {
			return false
		}
		cell := int(binary.BigEndian.Uint16(page[pointers+2*n:]))
		row, ok := rowAt(page, cell+child, kind == tableLeaf)
		if ok && cell <= from && from < row.end {
			return row.divides(page, from, to)
		}
	}
	return false
}

// rowPlace is where a row is in a page: its header, its columns, and the end of what the page has
// of it.
type rowPlace struct{ header, columns, end int }

// rowAt reads the lengths of the row of a cell.
func rowAt(page []byte, at int, table bool) (r rowPlace, ok bool) {
	length, n := varint(page, at)
	at += n
	if table {
		_, rowid := varint(page, at)
		at += rowid
		n = min(n, rowid)
	}
	header, h := varint(page, at)
	if n == 0 || h == 0 {
		return r, false
	}
	r = rowPlace{at + h, at + int(min(header, uint64(len(page)))), at + local(len(page), length, table)}
	return r, r.columns <= len(page) && r.end <= len(page)
}

// local is how many bytes of a row stand in the page itself.
func local(page int, length uint64, table bool) int {
	most := (page-12)*64/255 - 23
	if table {
		most = page - 35
	}
	if length <= uint64(most) {
		return int(length) //nolint:gosec // at most a page
	}
	least := (page-12)*32/255 - 23
	if k := least + int((length-uint64(least))%uint64(page-4)); k <= most { //nolint:gosec // less than a page
		return k
	}
	return least
}

// divides reports whether bytes that begin in a row reach over the end of a column, or begin
// before the columns.
func (r rowPlace) divides(page []byte, from, to int) bool {
	if from < r.columns {
		return true
	}
	end := r.columns
	for at := r.header; at < r.columns; {
		serial, n := varint(page, at)
		if n == 0 {
			return false
		}
		at += n
		if end += columnSize(serial, len(page)); from < end {
			return to > end
		}
	}
	return false
}

// columnSize is the size of a column by its serial type; at most a page.
func columnSize(serial uint64, page int) int {
	switch {
	case serial < 12:
		return [...]int{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0}[serial]
	default:
		return int(min((serial-12)/2, uint64(page))) //nolint:gosec // bounded here
	}
}

// varint reads an integer of SQLite's variable length, and returns its length; 0 for none.
func varint(page []byte, at int) (value uint64, n int) {
	for n < 9 && at >= 0 && at+n < len(page) {
		c := page[at+n]
		n++
		if n == 9 {
			return value<<8 | uint64(c), n
		}
		if value = value<<7 | uint64(c&0x7f); c < 0x80 {
			return value, n
		}
	}
	return 0, 0
}
