package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/muesli/cancelreader"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/transfer"
)

// importInput opens what the name of an import says. A pipe can be read once, whether it has a name or is
// standard input.
func (a *app) importInput(ctx context.Context, name string) (*transfer.Input, error) {
	if name == "-" {
		return streamedInput(ctx, a.process.Stdin)
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return transfer.Open(name) // the error comes again
	}
	// Opened in this way, the pipe is there at once. The first read waits for a program that writes to it.
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, "import_unreadable", fmt.Sprintf("Cannot read the pipe: %v.", err), err)
	}
	in, err := streamedInput(ctx, f, f)
	if err != nil {
		return nil, err
	}
	in.Files[0].Name = name
	return in, nil
}

// streamedInput makes an input of what can be read once, and closes closers with it.
func streamedInput(ctx context.Context, r io.Reader, closers ...io.Closer) (*transfer.Input, error) {
	if in, err := newWaiting(ctx, r); err == nil {
		s := &stream{in}
		r, closers = s, append([]io.Closer{s}, closers...)
	}
	in, err := transfer.OpenPipe(r, closers...)
	if err != nil {
		for _, c := range closers {
			err = errors.Join(err, c.Close())
		}
		return nil, err
	}
	return in, nil
}

// stream is a pipe or a terminal that an import reads.
type stream struct{ *waiting }

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.waiting.Read(p)
	if errors.Is(err, cancelreader.ErrCanceled) {
		err = interruptedReading(err)
	}
	return n, err
}

// interruptedReading is the fault of an import that was interrupted before it stored anything.
func interruptedReading(err error) error {
	return fault.Wrap(fault.Canceled, "interrupted", "The import was interrupted while it read the input. Nothing was stored.", err)
}
