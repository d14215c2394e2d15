package durable

import (
	"errors"
	"io/fs"
	"syscall"
)

// Unopened says why a file could not be opened, made or renamed, and what to do about it.
func Unopened(err error) (why, next string) {
	const choose, only = "choose another place.", "Choose another place."
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such directory", "Make it, or " + choose
	case errors.Is(err, fs.ErrPermission):
		return "this account may not do that there", "Change the permissions, or " + choose
	case errors.Is(err, syscall.EROFS):
		return "the file system is read-only", only
	case errors.Is(err, syscall.ENOTDIR):
		return "a part of the path is a file, and no directory", only
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "the disk is full", "Free some space, or " + choose
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return err.Error(), "Correct that, or " + choose
}
