package backup_test

import (
	"bytes"
	"database/sql"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/hermes-memory/hermes/internal/backup"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/sqlite"
)

// TestBackup: a backup holds the home, without what is about this process or may hold keys.
func TestBackup(t *testing.T) {
	t.Parallel()
	h := full(t)
	text := h.backup(t)
	got := make(map[string]string)
	m, err := backup.Read(bytes.NewReader(text), func(name string, size int64, in io.Reader) error {
		content, err := io.ReadAll(in)
		if int64(len(content)) != size {
			t.Errorf("%s: got %d bytes, want %d", name, len(content), size)
		}
		got[name] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || got["skills/tea/SKILL.md"] != "How to make tea" || got["files/ab/abcd"] != "picture" {
		t.Errorf("got the files %v", got)
	}
	if m.Counts["messages"] != 20 || m.Counts["sessions"] != 4 || m.Newest == 0 || m.Place != "here" || !m.CreatedAt.Equal(h.clock.Now()) {
		t.Errorf("got the manifest %+v", m)
	}
	file := filepath.Join(t.TempDir(), "state.db")
	if err := os.WriteFile(file, []byte(got["state.db"]), 0o600); err != nil {
		t.Fatal(err)
	}
	standing, err := sqlite.Verify(t.Context(), file)
	if err != nil || standing.Lineages != m.Lineages {
		t.Errorf("the database of the backup: got %+v, %v", standing, err)
	}
	if left, _ := filepath.Glob(filepath.Join(h.home, ".backup-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestDamagedBackup: no byte of a backup can be changed or lacks without being noticed.
func TestDamagedBackup(t *testing.T) {
	t.Parallel()
	h := full(t)
	text := h.backup(t)
	step := len(text)/211 + 1
	for at := 0; at < len(text); at += step {
		flipped := slices.Clone(text)
		flipped[at] ^= 0x10
		m, err := backup.Read(bytes.NewReader(flipped), nil)
		if err == nil && m.Size() > 0 && !padding(text, at) {
			t.Errorf("byte %d of %d was changed: got no error", at, len(text))
		}
		if err != nil && fault.KindOf(err) != fault.Invalid {
			t.Errorf("byte %d was changed: got %v", at, err)
		}
		cut := text[:at]
		if _, err := backup.Read(bytes.NewReader(cut), nil); fault.KindOf(err) != fault.Invalid {
			t.Errorf("cut off after %d bytes: got %v", at, err)
		}
	}
}

// padding reports whether a byte of a tar fills a block up, or ends the tar: such bytes hold
// nothing.
func padding(text []byte, at int) bool {
	block := text[at-at%512 : at-at%512+512]
	return !bytes.ContainsFunc(block[at%512:], func(r rune) bool { return r != 0 })
}

// TestSave: a file is whole or as it was.
func TestSave(t *testing.T) {
	t.Parallel()
	h := full(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "b.tar")
	first, second := h.backup(t), h.backup(t)
	writes := func(text []byte, then error) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := w.Write(text)
			return errors.Join(err, then)
		}
	}
	if _, err := backup.Save(file, writes(first, nil)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		write func(io.Writer) error
		code  string
	}{
		"full disk": {writes(second[:len(second)/2], syscall.ENOSPC), "disk_full"},
		"cut":       {writes(second[:len(second)/2], nil), "damaged_backup"},
		"nothing":   {writes(nil, nil), "not_a_backup"},
	} {
		if _, err := backup.Save(file, c.write); fault.CodeOf(err) != c.code {
			t.Errorf("%s: got %v, want %s", name, err, c.code)
		}
		if text, err := os.ReadFile(file); err != nil || !bytes.Equal(text, first) {
			t.Errorf("%s: the earlier backup was changed: %v", name, err)
		}
	}
	if _, err := backup.Save(file, writes(second, nil)); err != nil {
		t.Errorf("replace: %v", err)
	}
	other := filepath.Join(dir, "diary.txt")
	if err := os.WriteFile(other, []byte("Dear diary"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Save(other, writes(first, nil)); fault.CodeOf(err) != "not_a_backup" {
		t.Errorf("over another file: got %v", err)
	}
	for _, at := range []string{filepath.Join(dir, "absent", "x.tar"), filepath.Join(other, "x.tar")} {
		_, err := backup.Save(at, writes(first, nil))
		if says := fault.MessageOf(err); fault.CodeOf(err) != "backup_unwritable" || !strings.HasPrefix(says, "Cannot write to "+filepath.Dir(at)+": ") ||
			!strings.HasSuffix(says, "hoose another place.") {
			t.Errorf("%s: got %v", at, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode of a backup: got %v, %v", info.Mode(), err)
	}
}

// TestTooLittleSpace: a backup that does not fit is refused with both numbers.
func TestTooLittleSpace(t *testing.T) {
	t.Parallel()
	h := full(t)
	h.source.Room = func(string) sqlite.Room { return sqlite.Room{Free: 100_000, Total: 1 << 30, Known: true} }
	_, err := h.source.Make(t.Context(), false)
	if fault.CodeOf(err) != "too_little_space" || !strings.Contains(err.Error(), "0.1 MB are free") || !strings.Contains(err.Error(), "needs 1.") {
		t.Errorf("got %v", err)
	}
	h.source.Room = nil
	h.backup(t) // the refused one holds nothing up
}

// TestDamagedHome: no backup is made of a database that is damaged, and what to do is said.
func TestDamagedHome(t *testing.T) {
	t.Parallel()
	h := full(t)
	file := filepath.Join(h.home, "state.db")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var page, size int64
	const messages = `SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema WHERE name = 'messages'`
	err = errors.Join(db.QueryRowContext(t.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`).Err(),
		db.QueryRowContext(t.Context(), messages).Scan(&page, &size))
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err == nil {
		_, err = f.WriteAt(bytes.Repeat([]byte{7}, 64), (page-1)*size)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	_, err = h.source.Make(t.Context(), false)
	if fault.CodeOf(err) != "database_damaged" || !strings.Contains(fault.MessageOf(err), "hermes doctor --deep") {
		t.Errorf("got %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(h.home, ".backup-*")); err != nil || len(left) != 0 {
		t.Errorf("left %v (%v)", left, err)
	}
}

// TestOneAtATime: a second backup is refused while one is being made.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	h := full(t)
	made, err := h.source.Make(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.source.Make(t.Context(), true); fault.CodeOf(err) != "backup_running" {
		t.Errorf("got %v", err)
	}
	if err := made.Close(); err != nil {
		t.Fatal(err)
	}
	h.backup(t)
}

// TestStrangeFiles: links in the home are not followed.
func TestStrangeFiles(t *testing.T) {
	t.Parallel()
	h := full(t)
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("plum pudding"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(h.home, "skills", "link")); err != nil {
		t.Skip("no links here")
	}
	if text := h.backup(t); bytes.Contains(text, []byte("plum pudding")) {
		t.Error("the backup holds a file outside of the home")
	}
}
