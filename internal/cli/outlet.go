package cli

import (
	"errors"
	"io"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/hermes-memory/hermes/internal/fault"
)

// outlet is the standard output. It notes that its disk is full: a file of a shell would otherwise lack its end
// in silence, because most lines are printed without a look at the error.
type outlet struct {
	out io.Writer

	mu   sync.Mutex
	full error
}

// Write implements io.Writer.
func (o *outlet) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.out.Write(p)
	if !errors.Is(err, syscall.ENOSPC) {
		return n, err
	}
	o.full = fault.Wrap(fault.Unavailable, "disk_full", "The standard output goes to a disk that is full, so that its end is missing. "+
		"Free some space there, or send it to another disk, and run the command again.", err)
	return n, o.full
}

// err is why the output is not complete; nil if it is, and if its reader has closed it.
func (o *outlet) err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.full
}

// unwritten says of an export to a file that the disk is full. Other errors stay.
func unwritten(name string, err error) error {
	if _, known := errors.AsType[*fault.Error](err); known || !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	was := "was not written"
	if existing(name) != nil {
		was = "is as it was"
	}
	return fault.Wrap(fault.Unavailable, "disk_full", "The disk of "+filepath.Dir(name)+" is full: "+name+" "+was+
		". Free some space there, or name a file on another disk, and try again.", err)
}
