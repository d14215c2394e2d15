package backup

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/sqlite"
)

// Source is a home that backups are made of. This process owns its database.
type Source struct {
	Home    string
	Program string // the version of this program
	Place   string // see [Manifest]
	Now     func() time.Time
	// Room is the free space of a directory's disk; nil asks the system.
	Room func(dir string) sqlite.Room

	making sync.Mutex
}

// scratchPrefix begins the directories of a home in which copies are made.
const scratchPrefix = ".backup-"

// Tidy removes what interrupted backups and restorings have left in a home. The caller holds the
// lock of the home, so that none is under way.
func Tidy(home string) error {
	if Interrupted(home) { // after the caller looked: the directory that is left is the data
		return fault.New(fault.Conflict, "database_in_use",
			"A restoring in "+home+" was interrupted just now. Try again: the next start completes it.")
	}
	unfinished := filepath.Join(home, journalName+partSuffix) // by a restoring that ended just before its swap
	if err := os.Remove(unfinished); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(fault.Unavailable, "leftover_stays", fmt.Sprintf(
			"An interrupted restoring has left %s, which cannot be removed: %v. Remove it, and try again.", unfinished, err), err)
	}
	return removeScratch(home, scratchPrefix, restorePrefix)
}

// removeScratch removes the directories of a home whose names have one of some prefixes.
func removeScratch(home string, prefixes ...string) error {
	entries, err := os.ReadDir(home)
	if err != nil {
		return fmt.Errorf("list the home: %w", err)
	}
	for _, e := range entries {
		if !slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(e.Name(), prefix) }) {
			continue
		}
		dir := filepath.Join(home, e.Name())
		if err := os.RemoveAll(dir); err != nil {
			return fault.Wrap(fault.Unavailable, "leftover_stays", fmt.Sprintf(
				"An interrupted backup or restoring has left %s, which holds texts in the clear and cannot be removed: %v. Remove it, and try again.",
				dir, err), err)
		}
	}
	return nil
}

func (s *Source) database() string { return filepath.Join(s.Home, databaseName) }

func (s *Source) room(dir string) sqlite.Room {
	if s.Room != nil {
		return s.Room(dir)
	}
	return sqlite.RoomOf(dir)
}

// Made is a verified copy of a home, which is written as a backup once.
type Made struct {
	Manifest Manifest
	dir      string // the scratch directory
	home     string
	rest     []string // of the home, besides the database
	release  func()
}

// makePatience is how long a backup waits for another one, such as the one of a server that has
// just started. Backups of little data are made within that time.
const makePatience = 5 * time.Second

// lock takes the lock on making backups. It fails if ctx ends first.
func (s *Source) lock(ctx context.Context) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !s.making.TryLock() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Make copies the database of a home, and verifies the copy. Conflict if another backup is
// being made for long. The caller closes the copy.
func (s *Source) Make(ctx context.Context, withConfig bool) (_ *Made, err error) {
	patient, cancel := context.WithTimeout(ctx, makePatience)
	defer cancel()
	if s.lock(patient) != nil {
		return nil, fault.New(fault.Conflict, "backup_running", "Another backup is being made. Try again when it is complete.")
	}
	m := &Made{home: s.Home, release: s.making.Unlock}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.Close())
		}
	}()
	if err := s.checkRoom(); err != nil {
		return nil, err
	}
	if m.dir, err = os.MkdirTemp(s.Home, scratchPrefix); err != nil {
		return nil, fmt.Errorf("make a directory for the copy: %w", err)
	}
	m.Manifest = Manifest{Format: format, Program: s.Program, SQLite: sqlite.Version, CreatedAt: s.Now().UTC(), Place: s.Place}
	if err := sqlite.Snapshot(ctx, s.database(), m.database()); err != nil {
		return nil, err
	}
	if m.Manifest.Standing, err = sqlite.Verify(ctx, m.database()); err != nil {
		return nil, homeFault(err)
	}
	m.rest, m.Manifest.LeftOut, err = restOf(s.Home, withConfig)
	return m, err
}

// homeFault says that the database is damaged if its copy is. The copy has the same pages.
func homeFault(err error) error {
	if fault.CodeOf(err) != sqlite.CodeDamagedCopy {
		return err
	}
	return fault.Wrap(fault.Unavailable, "database_damaged",
		fault.MessageOf(err)+". There is no backup of it as it is now. See: hermes doctor --deep", err)
}

// checkRoom refuses a backup for which the home's disk has too little space.
func (s *Source) checkRoom() error {
	need := sizeOf(s.database()) + sizeOf(s.database()+"-wal")
	return refuseFull("copy of the database", s.Home, need, s.room(s.Home))
}

// refuseFull refuses what does not fit on a disk.
func refuseFull(what, dir string, need int64, room sqlite.Room) error {
	if room.Holds(need) {
		return nil
	}
	return fault.New(fault.Unavailable, "too_little_space", fmt.Sprintf(
		"The %s needs %s in %s, and %s are free, of which a part is reserved for deletions. Free some space and try again.",
		what, megabytes(need), dir, megabytes(int64(room.Free)))) //nolint:gosec // no disk is that large
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

func sizeOf(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}

// restOf are the files of a home that a backup holds besides the database, and what lies among them and is no
// file.
func restOf(home string, withConfig bool) (out, leftOut []string, err error) {
	single := []string{LedgerName}
	if withConfig {
		single = append(single, configName)
	}
	for _, name := range single {
		if _, err := os.Stat(filepath.Join(home, name)); err == nil {
			out = append(out, name)
		}
	}
	for _, dir := range directories() {
		err := filepath.WalkDir(filepath.Join(home, dir), func(file string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || d.IsDir() {
				return err
			}
			name, err := filepath.Rel(home, file)
			switch name = filepath.ToSlash(name); {
			case !d.Type().IsRegular():
				leftOut = append(leftOut, name)
			case checkName(name) == nil:
				out = append(out, name)
			}
			return err
		})
		if err != nil {
			return nil, nil, fmt.Errorf("list %s: %w", dir, err)
		}
	}
	return out, leftOut, nil
}

func (m *Made) database() string { return filepath.Join(m.dir, databaseName) }

// Close removes the copy.
func (m *Made) Close() error {
	if m.release == nil {
		return nil
	}
	defer func() {
		m.release()
		m.release = nil
	}()
	if m.dir == "" {
		return nil
	}
	return os.RemoveAll(m.dir)
}

// Size is at least the size of the backup, in bytes.
func (m *Made) Size() int64 {
	const entry = 4 << 10 // headers, padding, its line in the manifest
	n := sizeOf(m.database()) + 2*entry
	for _, name := range m.rest {
		n += sizeOf(filepath.Join(m.home, filepath.FromSlash(name))) + entry
	}
	return n
}

// Write writes the backup.
func (m *Made) Write(w io.Writer) error {
	out := tar.NewWriter(w)
	if err := m.put(out, databaseName, m.database()); err != nil {
		return err
	}
	for _, name := range m.rest {
		err := m.put(out, name, filepath.Join(m.home, filepath.FromSlash(name)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // it was erased meanwhile
			return err
		}
	}
	text, err := json.MarshalIndent(m.Manifest, "", " ")
	if err != nil {
		return fmt.Errorf("encode the manifest: %w", err)
	}
	sum := sha256.Sum256(text)
	for _, end := range []struct {
		name string
		text []byte
	}{{manifestName, text}, {sumName, hex.AppendEncode(nil, sum[:])}} {
		if err := out.WriteHeader(m.header(end.name, int64(len(end.text)))); err != nil {
			return err
		}
		if _, err := out.Write(end.text); err != nil {
			return err
		}
	}
	return out.Close()
}

func (m *Made) header(name string, size int64) *tar.Header {
	return &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: m.Manifest.CreatedAt.Truncate(time.Second)}
}

// put writes one file, and lists it in the manifest.
func (m *Made) put(out *tar.Writer, name, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if err := out.WriteHeader(m.header(name, info.Size())); err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(out, sum), io.LimitReader(f, info.Size()))
	if err == nil && n < info.Size() {
		err = fault.New(fault.Conflict, "changed_meanwhile", "The file "+name+" was changed during the backup. Try again.")
	}
	m.Manifest.Files = append(m.Manifest.Files, File{Name: name, Size: n, SHA256: hex.EncodeToString(sum.Sum(nil))})
	return err
}
