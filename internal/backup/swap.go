package backup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hermes-memory/hermes/internal/durable"
	"github.com/hermes-memory/hermes/internal/sqlite"
)

// journalName is the file of a home that says that a swap is under way. A start completes it.
const journalName = "restore.json"

// journal is a swap under way.
type journal struct {
	Scratch string `json:"scratch"` // the directory of the new files, in the home
	Before  string `json:"before"`  // the end of the names that the old ones get
}

// Swap puts the unpacked files into their places. The files that were there get other names,
// which it returns. From the moment that the journal is durable, a crash only delays it. The
// caller holds the lock of the home.
func (u *Unpacked) Swap(now time.Time) ([]string, error) {
	j := journal{Scratch: filepath.Base(u.Dir), Before: u.beforeName(now)}
	if err := syncTree(u.Dir); err != nil {
		return nil, err
	}
	text, err := json.Marshal(j)
	if err != nil {
		return nil, fmt.Errorf("encode the journal: %w", err)
	}
	file := filepath.Join(u.home, journalName)
	if err := writeDurably(file+partSuffix, text); err != nil {
		return nil, err
	}
	if err := errors.Join(os.Rename(file+partSuffix, file), syncDir(u.home)); err != nil {
		return nil, fmt.Errorf("store the journal: %w", err)
	}
	if err := j.complete(u.home); err != nil {
		return nil, errUnsettled(u.home, err)
	}
	var kept []string
	for _, name := range replaceable() {
		if old := filepath.Join(u.home, name+j.Before); exists(old) {
			kept = append(kept, old)
		}
	}
	return kept, nil
}

// Interrupted reports whether a swap in a home was interrupted.
func Interrupted(home string) bool { return exists(filepath.Join(home, journalName)) }

// Finish completes a swap that was interrupted. It takes the lock of the home for it.
func Finish(home string) (err error) {
	if !Interrupted(home) {
		return nil
	}
	release, err := sqlite.Hold(filepath.Join(home, databaseName))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	text, err := os.ReadFile(filepath.Join(home, journalName))
	if errors.Is(err, fs.ErrNotExist) { // another process has completed it
		return nil
	}
	var j journal
	if err == nil {
		err = json.Unmarshal(text, &j)
	}
	if err == nil && (filepath.Base(j.Scratch) != j.Scratch || filepath.Base(j.Before) != j.Before || j.Before == "") {
		err = errors.New("restore.json is damaged")
	}
	if err == nil {
		err = j.complete(home)
	}
	if err != nil {
		return errUnsettled(home, err)
	}
	return nil
}

// complete does what is left to do. Each step can be repeated.
func (j *journal) complete(home string) error {
	scratch := filepath.Join(home, j.Scratch)
	if fresh := filepath.Join(scratch, databaseName); exists(fresh) {
		if err := j.replaceDatabase(home, fresh); err != nil {
			return err
		}
	}
	for _, dir := range directories() {
		if err := j.replaceDir(filepath.Join(home, dir), filepath.Join(scratch, dir)); err != nil {
			return err
		}
	}
	return errors.Join(syncDir(home), os.RemoveAll(scratch), os.Remove(filepath.Join(home, journalName)), syncDir(home))
}

// replaceDatabase keeps the old database under another name, with its log if that was not
// empty, and puts the new one into its place. A log must never be found with another
// database than its own.
func (j *journal) replaceDatabase(home, fresh string) error {
	file := filepath.Join(home, databaseName)
	kept := file + j.Before
	if exists(file) && !exists(kept) {
		if err := keepFile(file, kept); err != nil {
			return fmt.Errorf("keep the replaced database: %w", err)
		}
	}
	if wal := file + "-wal"; sizeOf(wal) > 0 {
		if err := os.Rename(wal, kept+"-wal"); err != nil {
			return fmt.Errorf("keep the log of the replaced database: %w", err)
		}
	}
	for _, end := range []string{"-wal", "-shm", "-journal"} {
		if err := os.Remove(file + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove a file of the replaced database: %w", err)
		}
	}
	if err := errors.Join(syncDir(home), os.Rename(fresh, file), syncDir(home)); err != nil {
		return fmt.Errorf("put the restored database into its place: %w", err)
	}
	return nil
}

// keepFile gives a file a second name, or where that is not possible another one.
func keepFile(file, kept string) error {
	if os.Link(file, kept) == nil {
		return nil
	}
	return os.Rename(file, kept)
}

// replaceDir is replaceDatabase for a directory.
func (j *journal) replaceDir(dir, fresh string) error {
	if !exists(fresh) {
		return nil
	}
	_ = os.Remove(dir) // an empty one need not be kept
	if exists(dir) && !exists(dir+j.Before) {
		if err := os.Rename(dir, dir+j.Before); err != nil {
			return fmt.Errorf("keep the replaced directory: %w", err)
		}
	}
	if err := os.Rename(fresh, dir); err != nil {
		return fmt.Errorf("put the restored directory into its place: %w", err)
	}
	return nil
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// writeDurably writes a file.
func writeDurably(file string, text []byte) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return durable.Write(f, text)
}

// syncTree makes the names in a directory and all below durable.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = syncDir(path)
		}
		return err
	})
}
