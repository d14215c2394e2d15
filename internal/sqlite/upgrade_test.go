package sqlite

import (
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
)

// releases are the files of the schema versions that were released, as their programs left them.
// None is ever changed or removed.
func releases(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "schema*.db.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of releases: %v", err)
	}
	return files
}

// unzip puts the file of a release into its place.
func unzip(t *testing.T, file, path string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	in, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// atVersion makes a file of a schema version out of one of version 1.
func atVersion(t *testing.T, path string, version int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "version1.sql"))
	if err != nil {
		t.Fatal(err)
	}
	must(t, raw(t, path), string(text))
	scripts, err := migrationScripts()
	if err != nil {
		t.Fatal(err)
	}
	file := raw(t, path)
	for i := 1; i < version; i++ {
		must(t, file, scripts[i])
	}
	must(t, file, fmt.Sprintf(`PRAGMA user_version = %d`, version))
	if version > 1 {
		must(t, file, markSchema(scripts[:version]))
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestEveryVersion: a file of every schema version opens, with its messages, and is kept as it
// was.
func TestEveryVersion(t *testing.T) {
	t.Parallel()
	newest := len(migrations(t))
	for version := 1; version < newest; version++ {
		t.Run(strconv.Itoa(version), func(t *testing.T) {
			t.Parallel()
			path := tempFile(t)
			atVersion(t, path, version)
			for _, old := range []string{".v0", ".vx", ".v" + strconv.Itoa(version) + ".part"} {
				writeFile(t, path+old, "an earlier copy")
			}
			before, err := StandingOf(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			db := openAt(t, path)
			if n := ask[int64](t, db.read.DB, `SELECT count(*) FROM messages`); n != before.Counts["messages"] || n == 0 {
				t.Errorf("got %d messages, want %d", n, before.Counts["messages"])
			}
			kept, err := Verify(t.Context(), copyName(path, version))
			if err != nil || !kept.Equal(&before) {
				t.Errorf("the copy: got %+v, %v, want %+v", kept, err, before)
			}
			if info, err := os.Stat(copyName(path, version)); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the mode of the copy: got %v, %v", info, err)
			}
			left, err := filepath.Glob(path + ".v*")
			if err != nil || !slices.Equal(left, []string{copyName(path, version), path + ".vx"}) {
				t.Errorf("got the copies %v, %v", left, err)
			}
		})
	}
}

// TestInterruptedFirstStart: of a database without data no copy is kept. One row of any kind is data.
func TestInterruptedFirstStart(t *testing.T) {
	t.Parallel()
	scripts, err := migrationScripts()
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []int{1, 8, len(scripts) - 1} {
		for _, row := range []string{"", `INSERT INTO erasures (owner_id, hash, words, erased_at) VALUES ('o', x'00', 1, 0)`} {
			path := tempFile(t)
			file := raw(t, path)
			for _, script := range scripts[:version] {
				must(t, file, script)
			}
			must(t, file, fmt.Sprintf("%s\nPRAGMA application_id = %d;\nPRAGMA user_version = %d;\n%s",
				markSchema(scripts[:version]), applicationID, version, row))
			if err := file.Close(); err != nil {
				t.Fatal(err)
			}
			openAt(t, path)
			if _, err := os.Stat(copyName(path, version)); (err == nil) != (row != "") {
				t.Errorf("version %d with the row %q: got %v for its copy", version, row, err)
			}
		}
	}
}

// TestReleases: the file of every release opens.
func TestReleases(t *testing.T) {
	t.Parallel()
	for _, file := range releases(t) {
		path := tempFile(t)
		unzip(t, file, path)
		db := openAt(t, path)
		if n := ask[int](t, db.read.DB, `SELECT count(*) FROM messages`); n == 0 {
			t.Errorf("%s: got no messages", file)
		}
		if found, err := db.Check(t.Context(), true); err != nil || len(found) > 0 {
			t.Errorf("%s: got %v, %v", file, found, err)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "schema"), ".db.gz")
		version, err := strconv.Atoi(name)
		if err != nil || version > len(migrations(t)) {
			t.Errorf("%s is of no known version", file)
		}
		if _, err := os.Stat(copyName(path, version)); version < len(migrations(t)) && err != nil {
			t.Errorf("%s: no copy was kept: %v", file, err)
		}
	}
}

// TestNoRoomForCopy: if the copy does not fit beside the reserve, both numbers are told, and
// nothing is changed. With NoCopy the room does not matter.
func TestNoRoomForCopy(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	atVersion(t, path, 3)
	before, err := StandingOf(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	opt := Options{Path: path, Log: quiet(), Room: func(dir string) Room {
		if dir != filepath.Dir(path) {
			t.Errorf("asked for the room of %s", dir)
		}
		return Room{Free: 64<<20 + 1000, Total: 100 << 30, Known: true} // 64 MiB are the reserve
	}}
	_, err = Open(t.Context(), opt)
	if fault.CodeOf(err) != "no_room_for_copy" || !strings.Contains(err.Error(), "needs 1 MB, and 64 MB are free in "+filepath.Dir(path)) {
		t.Errorf("got %v", err)
	}
	if after, err := StandingOf(t.Context(), path); err != nil || after.Schema != 3 || !after.Equal(&before) {
		t.Errorf("the refusal changed the database: got %+v, %v, want %+v", after, err, before)
	}
	if left, err := filepath.Glob(path + ".v*"); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	opt.NoCopy = true
	db, err := Open(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	closeDB(t, db)
}

// TestNoCopy: where no copy can be written nothing is changed, and with NoCopy none is made.
func TestNoCopy(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	atVersion(t, path, 3)
	blocked := copyName(path, 3) + ".part"
	if err := os.MkdirAll(filepath.Join(blocked, "x"), 0o700); err != nil { // no file can be written there
		t.Fatal(err)
	}
	_, err := Open(t.Context(), Options{Path: path, Log: quiet()})
	if fault.KindOf(err) == "" {
		t.Errorf("got %v, want a refusal", err)
	}
	if s, err := StandingOf(t.Context(), path); err != nil || s.Schema != 3 {
		t.Errorf("after the refusal: got %+v, %v", s, err)
	}
	db, err := Open(t.Context(), Options{Path: path, Log: quiet(), NoCopy: true})
	if err != nil {
		t.Fatal(err)
	}
	closeDB(t, db)
	if _, err := os.Stat(copyName(path, 3)); err == nil {
		t.Error("a copy was made")
	}
}

// TestOlderProgram: a program that does not know the version refuses, and names the copy that it
// can open.
func TestOlderProgram(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	closeDB(t, openAt(t, path))
	newest := len(migrations(t))
	writeFile(t, copyName(path, newest), "what this program left")
	must(t, raw(t, path), fmt.Sprintf(`PRAGMA user_version = %d`, newest+1))
	_, err := Open(t.Context(), Options{Path: path, Log: quiet()})
	if fault.CodeOf(err) != "newer_database" || !strings.Contains(err.Error(), copyName(path, newest)) {
		t.Errorf("got %v", err)
	}
}

// TestKilledMigration: a process that is killed while it migrates leaves a file that opens, and
// never a copy that is not whole.
func TestKilledMigration(t *testing.T) {
	t.Parallel()
	seen := make(map[int]bool)
	for i := range 30 {
		path := tempFile(t)
		atVersion(t, path, 1)
		before, err := StandingOf(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		p := begin(t, roleOwner, path)
		wait := time.NewTimer(time.Duration(20+rand.IntN(20)+i*8) * time.Millisecond)
		<-wait.C
		p.kill()
		if kept, err := Verify(t.Context(), copyName(path, 1)); err == nil && !kept.Equal(&before) || err != nil && exists(copyName(path, 1)) {
			t.Errorf("kill %d: the copy: got %+v, %v", i, kept, err)
		}
		if s, err := StandingOf(t.Context(), path); err == nil {
			seen[s.Schema] = true
		}
		db := openAt(t, path)
		if n := ask[int64](t, db.read.DB, `SELECT count(*) FROM messages`); n != before.Counts["messages"] {
			t.Errorf("kill %d: got %d messages, want %d", i, n, before.Counts["messages"])
		}
		closeDB(t, db)
	}
	t.Logf("killed at the versions %v", seen)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
