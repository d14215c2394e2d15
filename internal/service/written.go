package service

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Written is what an installation has written. If the installation fails afterwards, all of it can be undone.
type Written struct {
	files []before
	dirs  []string // those that were made, outer ones first
}

// before is a file as it was before the installation.
type before struct {
	name   string
	there  bool
	body   []byte
	secret bool
}

// note notes how a file and its directories are before the file is written.
func (w *Written) note(f *File) error {
	b := before{name: f.Name, secret: f.Secret}
	body, err := os.ReadFile(f.Name)
	switch {
	case err == nil:
		b.there, b.body = true, body
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	var missing []string
	for dir := filepath.Dir(f.Name); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, dir)
	}
	slices.Reverse(missing)
	w.dirs = append(w.dirs, missing...)
	w.files = append(w.files, b)
	return nil
}

// First reports whether no service was installed before.
func (w *Written) First() bool {
	return !slices.ContainsFunc(w.files, func(b before) bool { return b.there && !b.secret })
}

// Undo removes the files that were written and the directories that were made for them. A file that was there before gets the
// content that it had. The error names the files that are not as they were, and says how to remove them.
func (w *Written) Undo() error {
	var failed []error
	for i := range w.files {
		if err := w.files[i].restore(); err != nil {
			failed = append(failed, err)
		}
	}
	for _, dir := range slices.Backward(w.dirs) {
		_ = os.Remove(dir) // what is not empty stays
	}
	return errors.Join(failed...)
}

// restore makes a file as it was.
func (b *before) restore() error {
	switch {
	case b.there && b.secret: // nothing was written
		return nil
	case b.there:
		if err := os.WriteFile(b.name, b.body, 0o600); err != nil { // the mode stays
			return fmt.Errorf("%s is not as it was (%w). Run `hermes service install` again", b.name, err)
		}
		return nil
	}
	if err := os.Remove(b.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is still there (%w). Remove it: rm %[1]s", b.name, err)
	}
	return nil
}
