package attachment

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/hermes-memory/hermes/internal/durable"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// The names of files and directories. They are made of hashes: no id and no name of a
// person is part of one.
const (
	folder      = "files" // in the home
	ownerPrefix = "owner."
	partPrefix  = "part." // of a file being written
)

// dirOf is the name of an owner's directory, below that of all files.
func dirOf(o owner.Owner) string {
	sum := sha256.Sum256([]byte(o.ID()))
	return ownerPrefix + hex.EncodeToString(sum[:20])
}

// isHash reports whether a name is that of kept bytes.
func isHash(name string) bool {
	raw, err := hex.DecodeString(name)
	return err == nil && len(raw) == sha256.Size && strings.ToLower(name) == name
}

// dir is a directory that no name leads out of: also not a link in it.
type dir struct{ *os.Root }

// openDir opens the directory of an owner's files; that of all files for the name "". It fails
// with [fs.ErrNotExist] if there is none.
func openDir(home, name string) (dir, error) {
	outer, err := os.OpenRoot(home)
	if err != nil {
		return dir{}, fmt.Errorf("open the home: %w", err)
	}
	defer func() { _ = outer.Close() }()
	root, err := outer.OpenRoot(path.Join(folder, name))
	if err != nil {
		return dir{}, fmt.Errorf("open a directory of files: %w", err)
	}
	return dir{root}, nil
}

// makeDir is openDir that makes the directory if need be, so that only this account can enter
// it.
func makeDir(home, name string) (dir, error) {
	outer, err := os.OpenRoot(home)
	if err != nil {
		return dir{}, fmt.Errorf("open the home: %w", err)
	}
	defer func() { _ = outer.Close() }()
	for _, step := range []string{folder, path.Join(folder, name)} {
		err := outer.Mkdir(step, 0o700)
		if errors.Is(err, fs.ErrExist) {
			err = outer.Chmod(step, 0o700)
		}
		if err != nil {
			return dir{}, fmt.Errorf("make a directory of files: %w", err)
		}
	}
	return openDir(home, name)
}

func (d dir) close() { _ = d.Close() }

// isNone reports whether there is no such file or directory.
func isNone(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// written are bytes that are durable, and not yet under their name.
type written struct {
	part string
	hash Hash
	size int64
}

// write makes bytes durable under a name of its own. It fails with TooLarge behind MaxSize.
func (d dir) write(from io.Reader) (written, error) {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	w := written{part: partPrefix + hex.EncodeToString(b[:])}
	out, err := d.OpenFile(w.part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return w, fmt.Errorf("write a file: %w", err)
	}
	sum := sha256.New()
	w.size, err = io.Copy(io.MultiWriter(out, sum), io.LimitReader(from, MaxSize+1))
	if err == nil && w.size > MaxSize {
		err = errTooLarge()
	}
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return w, errors.Join(err, d.Remove(w.part))
	}
	w.hash = Hash(sum.Sum(nil))
	return w, nil
}

func errTooLarge() error {
	return fault.New(fault.TooLarge, "file_too_large", "Files are kept up to 20 MB.")
}

// name gives written bytes their name.
func (d dir) name(w written) error {
	if err := d.Rename(w.part, w.hash.String()); err != nil {
		return fmt.Errorf("name a file: %w", err)
	}
	return d.sync()
}

// sync waits until the names in the directory are durable.
func (d dir) sync() error {
	if err := durable.Sync(d.Root, "."); err != nil {
		return fmt.Errorf("make a directory of files durable: %w", err)
	}
	return nil
}

// each calls do for the entries of the directory.
func (d dir) each(do func(fs.DirEntry) error) error {
	in, err := d.Open(".")
	if err != nil {
		return fmt.Errorf("open a directory of files: %w", err)
	}
	defer func() { _ = in.Close() }()
	list, err := in.ReadDir(-1)
	if err != nil {
		return fmt.Errorf("list files: %w", err)
	}
	for _, e := range list {
		if err := do(e); err != nil {
			return err
		}
	}
	return nil
}
