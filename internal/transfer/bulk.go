package transfer

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// inMemory is how many bytes of a conversation are kept in memory.
const inMemory = 1 << 20

// bulk keeps bytes: the first ones in memory, and all that are more in a temporary file. The
// memory that a large conversation needs is thus that of a small one.
type bulk struct {
	most int // bytes in memory
	mem  []byte
	size int64
	file *temporary
	out  *bufio.Writer
	err  error
}

// newBulk returns an empty bulk, which is closed when the import was read.
func (in *reading) newBulk() *bulk {
	b := &bulk{most: cmp.Or(in.opt.inMemory, inMemory)}
	in.bulks = append(in.bulks, b)
	return b
}

// large reports whether a part of the bytes is on the disk.
func (b *bulk) large() bool { return b.size > int64(len(b.mem)) }

// Write implements io.Writer.
func (b *bulk) Write(p []byte) (int, error) {
	n := min(len(p), b.most-len(b.mem))
	b.grow(n)
	b.mem = append(b.mem, p[:n]...)
	if n < len(p) {
		b.spill(p[n:])
	}
	b.size += int64(len(p))
	return len(p), b.err
}

// grow makes room for more bytes: four times as much as before, so that little garbage is left.
func (b *bulk) grow(n int) {
	if need := len(b.mem) + n; need > cap(b.mem) {
		b.mem = append(make([]byte, 0, min(max(need, 4*cap(b.mem)), b.most)), b.mem...)
	}
}

// spill writes to the file.
func (b *bulk) spill(p []byte) {
	if b.file == nil && b.err == nil {
		if b.file, b.err = newTemporary(); b.err == nil {
			b.out = bufio.NewWriterSize(b.file, 64<<10)
		}
	}
	if !b.large() && b.err == nil { // the first bytes since it was emptied
		b.out.Reset(io.NewOffsetWriter(b.file, 0))
	}
	if b.err == nil {
		if _, err := b.out.Write(p); err != nil {
			b.err = noRoom(err)
		}
	}
}

// empty forgets all bytes.
func (b *bulk) empty() { b.mem, b.size = b.mem[:0], 0 }

// flush makes all bytes readable.
func (b *bulk) flush() error {
	if b.err != nil || !b.large() {
		return b.err
	}
	if err := b.out.Flush(); err != nil {
		b.err = noRoom(err)
	}
	return b.err
}

// ReadAt implements io.ReaderAt.
func (b *bulk) ReadAt(p []byte, at int64) (n int, err error) {
	if at < int64(len(b.mem)) {
		n = copy(p, b.mem[at:])
	}
	if n == len(p) || at+int64(n) >= b.size {
		if n < len(p) {
			err = io.EOF
		}
		return n, err
	}
	if err := b.flush(); err != nil {
		return n, err
	}
	most := min(int64(len(p)), b.size-at)
	more, err := b.file.ReadAt(p[n:most], at+int64(n-len(b.mem)))
	if n += more; int64(n) == most && n < len(p) {
		return n, io.EOF
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("read a temporary file: %w", err)
	}
	return n, err
}

// reader reads all bytes.
func (b *bulk) reader() io.Reader { return io.NewSectionReader(b, 0, b.size) }

// whole are all bytes, valid until the next ones are written.
func (b *bulk) whole() ([]byte, error) {
	if !b.large() {
		return b.mem, b.err
	}
	all := make([]byte, b.size)
	_, err := io.ReadFull(b.reader(), all)
	return all, err
}

// head are the first bytes, as many as a file is told by.
func (b *bulk) head() []byte {
	if len(b.mem) >= sampleSize || !b.large() {
		return b.mem[:min(len(b.mem), sampleSize)]
	}
	head := make([]byte, min(sampleSize, b.size))
	n, _ := b.ReadAt(head, 0) // an error comes again when the value is read
	return head[:n]
}

// WriteTo implements io.WriterTo.
func (b *bulk) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(b.mem)
	if err != nil || !b.large() {
		return int64(n), err
	}
	more, err := io.Copy(w, io.NewSectionReader(b, int64(n), b.size-int64(n)))
	return int64(n) + more, err
}

// notUTF8 is the place of the first byte that is no UTF-8; -1 for none.
func (b *bulk) notUTF8() (int64, error) {
	if !b.large() && utf8.Valid(b.mem) {
		return -1, b.err
	}
	n, err := io.Copy(io.Discard, transform.NewReader(b.reader(), encoding.UTF8Validator))
	if errors.Is(err, encoding.ErrInvalidUTF8) {
		return n, nil
	}
	return -1, err
}

// room is a buffer for an element, valid until the next one is read.
func (in *reading) room(size int64) []byte {
	if int64(cap(in.buf)) < size {
		in.buf = make([]byte, size)
	}
	return in.buf[:size]
}

// close removes the file.
func (b *bulk) close() error {
	if b.file == nil {
		return nil
	}
	return b.file.Close()
}
