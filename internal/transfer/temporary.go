package transfer

import (
	"errors"
	"fmt"
	"os"

	"github.com/hermes-memory/hermes/internal/fault"
)

// temporary is a file that goes when it is closed. On Unix it has no name from the beginning,
// so that nothing of it is left after a kill.
type temporary struct {
	*os.File

	named bool
}

func newTemporary() (*temporary, error) {
	f, err := os.CreateTemp("", "hermes-import-*")
	if err != nil {
		return nil, fmt.Errorf("make a temporary file: %w", err)
	}
	return &temporary{File: f, named: os.Remove(f.Name()) != nil}, nil // Windows keeps the name of an open file
}

// Close removes the file.
func (t *temporary) Close() error {
	err := t.File.Close()
	if t.named {
		err = errors.Join(err, os.Remove(t.Name()))
	}
	return err
}

// noRoom is the fault of a temporary file that cannot be written.
func noRoom(err error) error {
	return fault.Wrap(fault.Unavailable, "no_room", "There is no room for a temporary file with the conversations. Free some, or set TMPDIR to another directory.", err)
}
