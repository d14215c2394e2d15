package backup

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/sqlite"
)

// restorePrefix begins the directories of a home in which backups are unpacked.
const restorePrefix = ".restore-"

// Unpacked is a backup that was unpacked and verified in a directory of the home. The
// directory is a home of its own until [Unpacked.Swap].
type Unpacked struct {
	Manifest Manifest
	Dir      string
	home     string
}

// Unpack unpacks a backup into a new directory of a home, and verifies it. Nothing else in the
// home changes, but for what [Tidy] removes. room is the free space of a directory's disk; nil asks the system.
func Unpack(ctx context.Context, in io.Reader, home string, room func(string) sqlite.Room) (_ *Unpacked, err error) {
	if room == nil {
		room = sqlite.RoomOf
	}
	if err := Tidy(home); err != nil {
		return nil, err
	}
	u := &Unpacked{home: home}
	if u.Dir, err = os.MkdirTemp(home, restorePrefix); err != nil {
		return nil, fmt.Errorf("make a directory for the backup: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, u.Close())
		}
	}()
	for _, dir := range directories() {
		if err := os.Mkdir(filepath.Join(u.Dir, dir), 0o700); err != nil {
			return nil, fmt.Errorf("make a directory for the backup: %w", err)
		}
	}
	root, err := os.OpenRoot(u.Dir)
	if err != nil {
		return nil, fmt.Errorf("open the directory for the backup: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	u.Manifest, err = Read(in, func(name string, size int64, content io.Reader) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		need := size
		if name == databaseName {
			need = 2 * size // it is changed before it takes the place of the old one
		}
		if err := refuseFull("backup", home, need, room(home)); err != nil {
			return err
		}
		return unpackFile(root, name, content)
	})
	if err != nil {
		return nil, err
	}
	return u, u.verify(ctx)
}

// unpackFile writes one file of a backup.
func unpackFile(root *os.Root, name string, content io.Reader) (err error) {
	path := filepath.FromSlash(name)
	if err := root.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("unpack %s: %w", name, err)
	}
	f, err := root.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("unpack %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := io.Copy(f, content); err != nil {
		return writeFault(f.Name(), err)
	}
	if err := f.Sync(); err != nil {
		return writeFault(f.Name(), err)
	}
	return nil
}

// verify checks that the unpacked database is what the manifest says.
func (u *Unpacked) verify(ctx context.Context) error {
	got, err := sqlite.Verify(ctx, u.Database())
	if err != nil {
		return err
	}
	if want := &u.Manifest.Standing; !got.Equal(want) {
		return errDamaged("its database does not hold what its manifest says")
	}
	return nil
}

// Database is the file of the unpacked database.
func (u *Unpacked) Database() string { return filepath.Join(u.Dir, databaseName) }

// Close removes the directory, if it was not swapped. One of which a swap was begun and could not be
// completed is the data by now.
func (u *Unpacked) Close() error {
	if Interrupted(u.home) {
		return nil
	}
	return os.RemoveAll(u.Dir)
}

// isToldBy reports whether a ledger has the erasure of an entry that a database's table has made. The ledger tells more of it: whether
// whole words alone were forgotten.
func (e *Entry) isToldBy(other Entry) bool {
	return e.Kind == other.Kind && e.Store == other.Store && e.Hash == other.Hash && !other.At.Before(e.At)
}

// Entries are the ledgers that count for a restored home: of the home, of the directory of
// backups, and of the backup itself, and what the replaced database says, which may be nil.
func (u *Unpacked) Entries(dir string, replaced *sqlite.Replaced) ([]Entry, error) {
	out, err := ReadLedgers(u.home, dir, u.Dir)
	if err != nil || replaced == nil {
		return out, err
	}
	store := StoreOf(replaced.Key)
	for i := range replaced.Erasures {
		e := &replaced.Erasures[i]
		entry := Entry{
			Kind: kindThing, Store: store, Owner: e.Owner, Hash: hex.EncodeToString(e.Hash[:]), Words: e.Words, Plain: e.Plain, At: e.At, Done: true,
		}
		if !slices.ContainsFunc(out, entry.isToldBy) {
			out = append(out, entry)
		}
	}
	if replaced.Keys {
		out = append(out, Entry{Kind: kindMade, Store: store, Hash: madeHash(replaced.Key), Done: true})
	}
	for _, id := range replaced.Revoked {
		out = append(out, Entry{Kind: kindKey, Store: store, Hash: keyed(replaced.Key, kindKey, id), Done: true})
	}
	return out, nil
}

// KeepLedger appends the ledgers that counted for a restored home to the home's own.
func (u *Unpacked) KeepLedger(entries []Entry) error {
	mine, err := ReadLedger(u.home)
	if err != nil {
		return err
	}
	return AppendMissing(u.home, mine, entries)
}

// replaceable are the names in a home that a restoring replaces.
func replaceable() []string { return append([]string{databaseName}, directories()...) }

// beforeName is the end of the names that replaced things get: the time, or the next second for which nothing is
// kept yet.
func (u *Unpacked) beforeName(at time.Time) string {
	for ; ; at = at.Add(time.Second) {
		name, free := ".before-"+at.UTC().Format("20060102T150405Z"), true
		for _, of := range replaceable() {
			free = free && !exists(filepath.Join(u.home, of+name))
		}
		if free {
			return name
		}
	}
}

// errUnsettled says that an interrupted swap cannot be completed.
func errUnsettled(home string, err error) error {
	return fault.Wrap(fault.Unavailable, "restore_unfinished", fmt.Sprintf(
		"A restoring in %s was interrupted, and cannot be completed: %v. Correct that and start again.", home, err), err)
}
