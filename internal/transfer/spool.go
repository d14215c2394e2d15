package transfer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
)

// Spool keeps the lines of an import in a temporary file, because memory learns in the order
// of the lines, and exports have the newest conversation first. On Unix the file has no name
// from the beginning, so that nothing of it is left after a kill.
type Spool struct {
	f     *os.File
	out   *bufio.Writer
	size  int64 // of the lines that count
	end   int64 // of the file
	lines []spooled
	named bool
}

// spooled is a line in the file.
type spooled struct {
	started  time.Time
	at, size int64
}

// NewSpool returns an empty spool.
func NewSpool() (*Spool, error) {
	f, err := os.CreateTemp("", "hermes-import-*")
	if err != nil {
		return nil, fmt.Errorf("make a temporary file: %w", err)
	}
	s := &Spool{f: f, out: bufio.NewWriterSize(f, 256<<10)}
	s.named = os.Remove(f.Name()) != nil // Windows keeps the name of an open file
	return s, nil
}

// Keep adds a line. The line that it replaces is not read any more.
func (s *Spool) Keep(line Line) error {
	if line.Replaces >= 0 {
		s.size -= s.lines[line.Replaces].size
		s.lines[line.Replaces].size = 0
	}
	size := int64(len(line.Text))
	s.lines = append(s.lines, spooled{started: line.Started, at: s.end, size: size})
	s.size, s.end = s.size+size, s.end+size
	if _, err := s.out.Write(line.Text); err != nil {
		return fault.Wrap(fault.Unavailable, "no_room", "There is no room for a temporary file with the conversations. Free some, or set TMPDIR to another directory.", err)
	}
	return nil
}

// Len is the number of lines.
func (s *Spool) Len() int { return len(s.lines) }

// Size is the size of all lines, in bytes.
func (s *Spool) Size() int64 { return s.size }

// Reader reads the lines, those of the oldest conversation first.
func (s *Spool) Reader(ctx context.Context) (io.Reader, error) {
	if err := s.out.Flush(); err != nil {
		return nil, fault.Wrap(fault.Unavailable, "no_room", "There is no room for a temporary file with the conversations. Free some, or set TMPDIR to another directory.", err)
	}
	slices.SortStableFunc(s.lines, func(a, b spooled) int { return a.started.Compare(b.started) })
	return &spoolReader{ctx: ctx, f: s.f, lines: s.lines}, nil
}

// Close removes the file.
func (s *Spool) Close() error {
	err := s.f.Close()
	if s.named {
		err = errors.Join(err, os.Remove(s.f.Name()))
	}
	return err
}

// spoolReader reads lines in their order.
type spoolReader struct {
	ctx   context.Context
	f     *os.File
	lines []spooled
	done  int64 // bytes of the first line that were read
}

// Read implements io.Reader.
func (r *spoolReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
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
