package transfer

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"time"
)

// Spool keeps the lines of an import in a temporary file, because memory learns in the order
// of the lines, and exports have the newest conversation first.
type Spool struct {
	f     *temporary
	out   *bufio.Writer
	size  int64 // of the lines that count
	end   int64 // of the file
	lines []spooled
}

// spooled is a line in the file.
type spooled struct {
	started  time.Time
	at, size int64
}

// NewSpool returns an empty spool.
func NewSpool() (*Spool, error) {
	f, err := newTemporary()
	if err != nil {
		return nil, err
	}
	return &Spool{f: f, out: bufio.NewWriterSize(f, 256<<10)}, nil
}

// Keep adds a line. The line that it replaces is not read any more.
func (s *Spool) Keep(line Line) error {
	if line.Replaces >= 0 {
		s.size -= s.lines[line.Replaces].size
		s.lines[line.Replaces].size = 0
	}
	size, err := line.WriteTo(s.out)
	s.lines = append(s.lines, spooled{started: line.Started, at: s.end, size: size})
	s.size, s.end = s.size+size, s.end+size
	if _, full := s.out.Write(nil); full != nil { // it keeps the first error of its file
		return noRoom(full)
	}
	return err
}

// Len is the number of lines.
func (s *Spool) Len() int { return len(s.lines) }

// Size is the size of all lines, in bytes.
func (s *Spool) Size() int64 { return s.size }

// Reader reads the lines, those of the oldest conversation first.
func (s *Spool) Reader() (io.Reader, error) {
	if err := s.out.Flush(); err != nil {
		return nil, noRoom(err)
	}
	slices.SortStableFunc(s.lines, func(a, b spooled) int { return a.started.Compare(b.started) })
	return &spoolReader{f: s.f, lines: s.lines}, nil
}

// Close removes the file.
func (s *Spool) Close() error { return s.f.Close() }

// spoolReader reads lines in their order.
type spoolReader struct {
	f     io.ReaderAt
	lines []spooled
	done  int64 // bytes of the first line that were read
}

// Read implements io.Reader.
func (r *spoolReader) Read(p []byte) (int, error) {
	for len(r.lines) > 0 {
		line := &r.lines[0]
		if left := line.size - r.done; left > 0 {
			n, err := r.f.ReadAt(p[:min(int64(len(p)), left)], line.at+r.done)
			r.done += int64(n)
			if n > 0 {
				return n, nil
			}
			return 0, fmt.Errorf("read the temporary file: %w", err)
		}
		r.lines, r.done = r.lines[1:], 0
	}
	return 0, io.EOF
}
