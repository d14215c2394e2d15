package piece

// Bytes are a section of opaque bytes.
type Bytes struct {
	r     *Reader
	start uint64
	size  uint32
}

// Bytes returns a section of opaque bytes.
func (r *Reader) Bytes(section int) Bytes {
	s := r.section(section, ofBytes)
	return Bytes{r: r, start: uint64(s.start), size: s.size}
}

// Len is the number of bytes.
func (b *Bytes) Len() uint32 { return b.size }

// Range returns n bytes from an offset: a part of a block, not to be changed, or, if they lie in
// several blocks, a copy in buf, which grows as needed. It is empty after an error.
func (b *Bytes) Range(offset, n uint32, buf []byte) []byte {
	if uint64(offset)+uint64(n) > uint64(b.size) {
		b.r.fail(damaged("bytes %d to %d of %d", offset, uint64(offset)+uint64(n), b.size))
		return nil
	}
	if n == 0 {
		return nil
	}
	from := b.start + uint64(offset)
	to := from + uint64(n)
	part := b.r.span(from, to)
	if len(part) == int(n) {
		return part[:n:n]
	}
	buf = buf[:0]
	for part != nil {
		buf = append(buf, part...)
		if from += uint64(len(part)); from == to {
			return buf
		}
		part = b.r.span(from, to)
	}
	return nil
}

// BytesWriter writes a section of opaque bytes.
type BytesWriter struct {
	w       *Writer
	section int
}

// Bytes begins a section of opaque bytes.
func (w *Writer) Bytes(section int) *BytesWriter {
	w.begin(section, ofBytes, 0)
	return &BytesWriter{w: w, section: section}
}

// Add appends bytes and returns their offset.
func (b *BytesWriter) Add(p []byte) (offset uint32) {
	s := b.w.at(b.section)
	if s == nil {
		return 0
	}
	offset = s.size
	s.size += uint32(len(p))
	b.w.write(p)
	return offset
}
