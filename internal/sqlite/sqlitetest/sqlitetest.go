// Package sqlitetest gives tests new SQLite databases that are copies of one: the migrations
// run once in a process and not once in a test. It does not know the store, so that the store's
// own tests can use it.
package sqlitetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Template is a database that the others are copies of. The zero value has not been made yet.
type Template struct {
	once  sync.Once
	bytes []byte
	err   error
}

// Copy writes a copy of the template to a path, unless there is a file. The first call makes
// the template: prepare creates a database and closes it.
func (p *Template) Copy(t testing.TB, path string, prepare func(ctx context.Context, path string) error) {
	t.Helper()
	p.once.Do(func() { p.bytes, p.err = made(prepare) })
	if p.err != nil {
		t.Fatalf("make the template: %v", p.err)
	}
	if err := create(path, p.bytes); err != nil {
		t.Fatalf("copy the template: %v", err)
	}
}

// made is what prepare leaves in a file.
func made(prepare func(ctx context.Context, path string) error) (content []byte, err error) {
	dir, err := os.MkdirTemp("", "hermes-sqlite-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "state.db")
	if err := prepare(context.Background(), path); err != nil {
		return nil, err
	}
	if left, err := os.Stat(path + "-wal"); err == nil && left.Size() > 0 {
		return nil, fmt.Errorf("%s is not closed: part of it is in %s", path, left.Name())
	}
	return os.ReadFile(path) //nolint:gosec // a file of this function
}

// create writes a file that is not there yet.
func create(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}
