package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestUnopened names causes in plain words, each with something to do.
func TestUnopened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, absent := os.CreateTemp(filepath.Join(dir, "absent"), "x")
	_, below := os.Stat(filepath.Join(file, "x"))
	refused := func(err error) error { return fmt.Errorf("open: %w", &fs.PathError{Op: "open", Path: file, Err: err}) }
	for _, c := range []struct {
		err        error
		want, next string
	}{
		{absent, "no such directory", "Make it, or choose another place."},
		{below, "is a file, and no directory", "Choose another place."},
		{refused(syscall.EACCES), "this account may not", "Change the permissions, or choose"},
		{refused(syscall.EROFS), "read-only", "Choose another place."},
		{refused(syscall.ENOSPC), "the disk is full", "Free some space, or choose"},
		{refused(syscall.EMFILE), syscall.EMFILE.Error(), "Correct that, or choose"},
		{errors.New("odd"), "odd", "Correct that, or choose"},
	} {
		why, next := Unopened(c.err)
		if !strings.Contains(why, c.want) || !strings.HasPrefix(next, c.next) || strings.Contains(why, dir) {
			t.Errorf("%v: got %q, %q, want %q, %q", c.err, why, next, c.want, c.next)
		}
	}
}
