package backup

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/hermes-memory/hermes/internal/durable"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/sqlite"
)

// partSuffix ends the names of files that are not complete.
const partSuffix = ".part"

// Save writes a backup to a file: to another name first, which is then read again and
// checked. The file is replaced only then. A file that is no backup is not replaced. A link stays,
// and the backup goes where it leads.
func Save(file string, write func(io.Writer) error) (_ Manifest, err error) {
	if file, err = target(file); err != nil {
		return Manifest{}, err
	}
	if err := mayReplace(file); err != nil {
		return Manifest{}, err
	}
	_ = removeParts(filepath.Dir(file), partsOf(file)) // the backup counts more than what is left of another
	f, err := openPart(file)
	if err != nil {
		return Manifest{}, err
	}
	defer func() {
		_ = f.Close()
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if err = write(&steady{f: f, pace: durable.NewPace(f)}); err == nil {
		err = f.Sync()
	}
	if err != nil {
		return Manifest{}, writeFault(file, err)
	}
	if _, err = f.Seek(0, io.SeekStart); err != nil {
		return Manifest{}, fmt.Errorf("read the backup again: %w", err)
	}
	m, err := Read(f, nil)
	if err != nil {
		return Manifest{}, err
	}
	if err = errors.Join(place(f, file), syncDir(filepath.Dir(file))); err != nil {
		return Manifest{}, writeFault(file, err)
	}
	return m, nil
}

// openPart makes the unfinished file of a backup.
func openPart(file string) (*os.File, error) {
	for {
		part := filepath.Join(filepath.Dir(file), partPrefix(file)+rand.Text()[:partRandom]+partSuffix)
		f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if err != nil {
			return nil, unopened(file, err)
		}
		if own(f) {
			return f, nil
		}
		_ = f.Close()
	}
}

// partRandom is how many random characters are in the name of an unfinished file.
const partRandom = 8

// partPrefix begins the names of the unfinished files of a backup.
func partPrefix(file string) string { return "." + filepath.Base(file) + "-" }

// partsOf tells the names of the unfinished files of a backup.
func partsOf(file string) func(name string) bool {
	return func(name string) bool {
		middle, ours := strings.CutPrefix(name, partPrefix(file))
		middle, ended := strings.CutSuffix(middle, partSuffix)
		return ours && ended && len(middle) == partRandom && strings.Trim(middle, base32) == ""
	}
}

// base32 are the characters of random names.
const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

// removeParts removes the unfinished files in a directory that interrupted backups have left, of those
// with some names. They hold texts in the clear. The files of backups that are being made stay.
func removeParts(dir string, named func(name string) bool) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Type().IsRegular() && named(e.Name()) {
			err = errors.Join(err, removeLeft(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// steady writes to a file at a pace.
type steady struct {
	f    *os.File
	pace *durable.Pace
}

// Write implements io.Writer.
func (s *steady) Write(p []byte) (int, error) {
	n, err := s.f.Write(p)
	if err == nil {
		err = s.pace.Wrote(int64(n))
	}
	return n, err
}

// Fits refuses a backup of so many bytes for which the disk of a file has too little space. What killed
// backups to the file have left is removed, and takes no space.
func Fits(file string, size int64) error {
	file, err := target(file)
	if err != nil {
		return err
	}
	dir := filepath.Dir(file)
	_ = removeParts(dir, partsOf(file)) // as in Save
	return refuseFull("backup", dir, size, sqlite.RoomOf(dir))
}

// writeFault says why a file of a backup could not be written.
func writeFault(file string, err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return fault.Wrap(fault.Unavailable, "disk_full",
			"The disk of "+filepath.Dir(file)+" became full. Nothing was replaced. Free some space and try again.", err)
	}
	if why, next, is := durable.Unwritable(err); is {
		return fault.Wrap(fault.Unavailable, "backup_unwritable", file+" cannot be written: "+why+". Nothing was replaced. "+next, err)
	}
	return err
}

// unopened says why a file of a backup could not be made or looked at.
func unopened(file string, err error) error {
	why, next := durable.Unopened(err)
	return fault.Wrap(fault.Unavailable, "backup_unwritable",
		"Cannot write to "+filepath.Dir(file)+": "+why+". Nothing was changed. "+next, err)
}

// mayReplace refuses to replace a file that is no backup.
func mayReplace(file string) error {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil { // it is not known whether it is there
		return unopened(file, err)
	}
	if info.Mode().IsRegular() && info.Size() == 0 {
		return nil
	}
	if _, err = ReadManifest(file); err != nil {
		return fault.Wrap(fault.Conflict, "not_a_backup", file+" exists and is no backup, so it is not replaced. Choose another name.", err)
	}
	return nil
}

// mostLinks is how many links lead to a file at most.
const mostLinks = 40

// target is the file that a name leads to by symbolic links. It need not be there.
func target(file string) (string, error) {
	for range mostLinks {
		to, err := os.Readlink(file)
		if err != nil {
			return file, nil //nolint:nilerr // no link, or not there
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(file), to)
		}
		file = to
	}
	return "", fault.New(fault.Invalid, "backup_unwritable", file+" is a link that leads to itself. Name a file.")
}

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	if err := durable.SyncDir(dir); err != nil {
		return fmt.Errorf("store the directory: %w", err)
	}
	return nil
}
