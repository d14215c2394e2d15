package cli

import (
	"context"
	"errors"
	"io"

	"github.com/muesli/cancelreader"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/recovery"
)

// waiting reads from a pipe or a terminal. An interrupt ends the wait for what is written there.
type waiting struct {
	in   cancelreader.CancelReader
	stop func() bool
}

// newWaiting fails for what is not waited for, such as a file on a disk.
func newWaiting(ctx context.Context, r io.Reader) (*waiting, error) {
	in, err := cancelreader.NewReader(r)
	if err != nil {
		return nil, err
	}
	return &waiting{in: in, stop: context.AfterFunc(ctx, recovery.Func(func() { in.Cancel() }, func(error) {}))}, nil
}

// Read implements io.Reader.
func (w *waiting) Read(p []byte) (int, error) { return w.in.Read(p) }

// Close implements io.Closer. What is read from stays open.
func (w *waiting) Close() error {
	w.stop()
	return w.in.Close()
}

// interrupted says of a command that was interrupted what became of its work, and what to do next. Errors
// of other causes are as they were.
func interrupted(ctx context.Context, err error, what string) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return fault.Wrap(fault.Canceled, "interrupted", what, err)
}

// explained is the error of a command that was interrupted, if nothing has said more about that.
func explained(ctx context.Context, err error) error {
	_, known := errors.AsType[*fault.Error](err)
	_, usage := errors.AsType[usageError](err)
	if known || usage {
		return err
	}
	return interrupted(ctx, err, "The command was interrupted. It may have done a part of its work. Run it again.")
}
