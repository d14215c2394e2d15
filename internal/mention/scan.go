package mention

import (
	"errors"
	"fmt"
	"io"
)

// scanPiece is how much of a stream is searched at once.
const scanPiece = 1 << 20

// CountIn counts the mentions in a stream that need not be text, such as a file
// of a database, and says how long it is.
func (t *Thing) CountIn(in io.Reader) (size int64, hits int, err error) {
	overlap := t.reach()
	buf := make([]byte, 0, scanPiece+overlap)
	for {
		keep := min(len(buf), overlap) // a mention may lie across two pieces
		copy(buf[:keep], buf[len(buf)-keep:])
		n, err := fill(in, buf[keep:keep+scanPiece])
		buf = buf[:keep+n]
		size += int64(n)
		hits += t.countBehind(buf, keep)
		switch {
		case errors.Is(err, io.EOF):
			return size, hits, nil
		case err != nil:
			return size, hits, fmt.Errorf("search: %w", err)
		}
	}
}

// fill reads until a buffer is full, or the stream ends.
func fill(in io.Reader, buf []byte) (n int, err error) {
	for n < len(buf) && err == nil {
		var k int
		k, err = in.Read(buf[n:])
		n += k
	}
	return n, err
}

// countBehind counts the mentions in a text that do not end before at.
func (t *Thing) countBehind(text []byte, at int) int {
	if !t.in(text) { // places cost several times as much
		return 0
	}
	n := 0
	for _, s := range t.Spans(string(text)) {
		if s.End > at {
			n++
		}
	}
	return n
}

// reach is how long a mention may be in a stream: each letter may be escaped
// twice, with a few unseen characters behind it.
func (t *Thing) reach() int {
	longest := 0
	for _, needle := range t.needles {
		longest = max(longest, len(needle))
	}
	return 1<<10 + 32*longest
}
