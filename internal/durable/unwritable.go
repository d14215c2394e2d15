package durable

import (
	"errors"
	"io/fs"
	"syscall"
)

// Unwritable says why a file could not be written, and what to do about it. false if an error is of
// another kind.
func Unwritable(err error) (why, next string, is bool) {
	e, ok := errors.AsType[*fs.PathError](err)
	if !ok || e.Op != "write" && e.Op != "sync" {
		return "", "", false
	}
	next = "Check the disk, and try again."
	switch {
	case errors.Is(e.Err, syscall.EFBIG):
		next = "Raise the limit on the size of files (ulimit -f), or use a file system that takes larger ones, and try again."
	case errors.Is(e.Err, syscall.ENOSPC), errors.Is(e.Err, syscall.EDQUOT):
		next = "Free some space and try again."
	}
	return e.Err.Error(), next, true
}
