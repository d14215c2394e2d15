package transfer

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

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
		return nil, noRoom(err)
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

// noRoom is the fault of a temporary file that cannot be made or written. Nothing has been stored then: an
// import stores only what it has read.
func noRoom(err error) error {
	dir := os.TempDir()
	what := "The temporary files of an import cannot be written to " + dir + ": " + reasonOf(err).Error() + "."
	switch {
	case errors.Is(err, syscall.ENOSPC):
		what = "There is no room for the temporary files of an import in " + dir + "."
	case errors.Is(err, fs.ErrNotExist):
		what = "There is no directory " + dir + " for the temporary files of an import."
	}
	return fault.Wrap(fault.Unavailable, "no_room", what+
		" Nothing was stored. Set TMPDIR to a directory with more room, or free some there, and run the import again.", err)
}
