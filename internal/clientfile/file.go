package clientfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hermes-memory/hermes/internal/durable"
	"github.com/hermes-memory/hermes/internal/fault"
)

// backupSuffix ends the name of the copy from before the installation. The name is this
// program's own, so that no copy of the user is overwritten.
const backupSuffix = ".hermes.bak"

// maxLinks bounds the symbolic links from a client's file to the real one.
const maxLinks = 40

// file is a client's file as it is read.
type file struct {
	name, target string
	bytes        []byte // nil: there is no file
	body         []byte // without a byte order mark
	members      map[string]any
}

// open reads the file that holds the entry; else the first one that exists, else the
// first one.
func (c *Client) open(p Place, project bool) (*file, error) {
	var chosen *file
	for _, name := range c.files(p, project) {
		f, err := c.readFile(name)
		if err != nil {
			return nil, err
		}
		if _, holds := lookup(f.members, c.path()); holds {
			return f, nil
		}
		if chosen == nil || chosen.bytes == nil && f.bytes != nil {
			chosen = f
		}
	}
	return chosen, nil
}

// readFile reads and decodes a file, which need not exist.
func (c *Client) readFile(name string) (*file, error) {
	f := &file{name: name}
	var err error
	if f.target, err = follow(name); err != nil {
		return nil, f.refuse(err)
	}
	if f.bytes, err = readIfExists(f.target); err != nil {
		return nil, f.refuse(err)
	}
	if bytes.HasPrefix(f.bytes, []byte("\xff\xfe")) || bytes.HasPrefix(f.bytes, []byte("\xfe\xff")) {
		return nil, f.refuse(&problem{1, "the file is in UTF-16, which clients do not read; save it as UTF-8"})
	}
	f.body = bytes.TrimPrefix(f.bytes, mark)
	if f.members, err = c.syntax.decode(f.body); err != nil {
		return nil, f.refuse(err)
	}
	return f, nil
}

// readIfExists is the content of a file; nil if there is none. Reading a pipe would wait for
// its writer.
func readIfExists(name string) ([]byte, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	body, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if body == nil && err == nil {
		body = []byte{}
	}
	return body, err
}

// backupOf reads the copy from before the installation; one without bytes if there is none.
func (c *Client) backupOf(f *file) (*file, error) { return c.readFile(f.target + backupSuffix) }

// with is a body with the byte order mark of the file.
func (f *file) with(body []byte) []byte {
	if bytes.HasPrefix(f.bytes, mark) {
		return append(bytes.Clone(mark), body...)
	}
	return body
}

// refuse is the error for a file that cannot be read or changed.
func (f *file) refuse(err error) error {
	if p, ok := errors.AsType[*problem](err); ok {
		return fault.New(fault.Invalid, "client_file_unreadable",
			fmt.Sprintf("%s:%d: %s. The file was left as it is. Correct it, then run the command again.", f.name, p.line, p.says))
	}
	says := err.Error()
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		says, _ = durable.Unopened(err)
	}
	return fault.Wrap(fault.Invalid, "client_file_unreadable",
		fmt.Sprintf("%s: %s. The file was left as it is. Correct that, then run the command again.", f.name, says), err)
}

// follow is the file that symbolic links lead to; it need not exist.
func follow(name string) (string, error) {
	for range maxLinks {
		info, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSymlink == 0 {
			return name, nil
		}
		if err != nil {
			return "", err
		}
		to, err := os.Readlink(name)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	return "", errors.New("too many symbolic links")
}

// Backup is the file with the contents from before the installation.
func (c *Change) Backup() string { return c.Target + backupSuffix }

// Write replaces the file, after a copy of what it was. The copy of a file without the
// entry is kept while the entry changes, because uninstalling goes back to it.
func (c *Change) Write() error {
	if c.None() {
		return nil
	}
	now, err := readIfExists(c.Target)
	if err != nil {
		return fmt.Errorf("read %s: %w", c.Target, err)
	}
	if !bytes.Equal(now, c.Before) || (now == nil) != (c.Before == nil) {
		return fault.New(fault.Conflict, "client_file_changed", c.File+" was changed by another program just now. Run the command again.")
	}
	if c.After == nil {
		return errors.Join(os.Remove(c.Target), c.removeBackup())
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(c.Target); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(c.Target), 0o700); err != nil {
		return unwritable(c.Target, err)
	}
	if err := c.writeBackup(mode); err != nil {
		return err
	}
	if err := replace(c.Target, c.After, mode); err != nil {
		return err
	}
	return c.removeBackup()
}

// removeBackup removes the copy if it is of no use any more.
func (c *Change) removeBackup() error {
	if !c.dropBackup {
		return nil
	}
	if err := os.Remove(c.Backup()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (c *Change) writeBackup(mode fs.FileMode) error {
	if c.Before == nil || c.dropBackup {
		return nil
	}
	if _, err := os.Stat(c.Backup()); err == nil && c.keepBackup {
		return nil
	}
	return replace(c.Backup(), c.Before, mode)
}

// replace writes a file under another name and renames it, so that a reader sees the old
// contents or the new ones.
func replace(name string, body []byte, mode fs.FileMode) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
	if err != nil {
		return unwritable(name, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temp.Name())
		}
	}()
	_, err = temp.Write(body)
	err = errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), name)
	}
	if err != nil {
		return unwritable(name, err)
	}
	return nil
}

// unwritable says why a file could not be written. --print shows what was to be written.
func unwritable(name string, err error) error {
	why, _ := durable.Unopened(err)
	return fault.Wrap(fault.Unavailable, "client_file_unwritable", "Cannot write "+name+": "+why+
		". The client's file was left as it is. Change the permissions, or add the entry by hand: hermes mcp install prints it with --print.", err)
}
