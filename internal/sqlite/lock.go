package sqlite

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// signLock writes the process id of the lock's owner into the lock file.
func signLock(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return fmt.Errorf("sign the lock: %w", err)
	}
	if _, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0); err != nil {
		return fmt.Errorf("sign the lock: %w", err)
	}
	return nil
}

// Hold makes this process the owner of a path without opening a database there: [Holder]
// names this process until release is called.
func Hold(path string) (release func() error, err error) {
	f, err := lockFile(path + ".lock")
	if err != nil {
		return nil, err
	}
	return func() error { return unlockFile(f) }, nil
}

// Holder is the process that has the database open; 0 for none. A lock file may name a
// process that was killed; then the lock is free.
func Holder(path string) (pid int, err error) {
	f, err := os.Open(path + ".lock")
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look at the lock: %w", err)
	}
	defer func() { _ = f.Close() }()
	if is, err := held(f); err != nil || !is {
		return 0, err
	}
	text, err := io.ReadAll(io.LimitReader(f, 32))
	if err != nil {
		return 0, fmt.Errorf("read the lock: %w", err)
	}
	pid, _ = strconv.Atoi(strings.TrimSpace(string(text))) // 0 before signLock has written it
	return pid, nil
}
