package sqlite

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestIndexStaysReadable: after messages were deleted and rewritten the text index
// has nothing of them, and is in the format that SQLite before 3.42 reads.
func TestIndexStaysReadable(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	write(t, db, "kept", 0, numbered(700)...)
	write(t, db, "gone", 0, "The password is Quetzalcoatl.")
	write(t, db, "changed", 0, "Say Quetzalcoatl again. And number them.")
	if err := db.indexer.wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.DeleteLineage(t.Context(), owner.Local(), "gone"); err != nil {
		t.Fatal(err)
	}
	m := stepOf(db, owner.Local(), "changed", 0, "And number them.").Messages[0]
	if err := db.Rewrite(t.Context(), owner.Local(), curate.Rewrite{Messages: []session.Message{m}}); err != nil {
		t.Fatal(err)
	}
	if err := db.Clean(t.Context()); err != nil {
		t.Fatal(err)
	}
	terms := raw(t, path)
	must(t, terms, `CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, messages_fts, 'row')`)
	if n := ask[int](t, terms, `SELECT count(*) FROM temp.terms WHERE term LIKE 'quetzal%'`); n > 0 {
		t.Errorf("the index still has the word")
	}
	traces, err := db.Traces(t.Context(), mention.Of("quetzalco"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range traces {
		if tr.Hits > 0 {
			t.Errorf("%s: got %d traces, want none", tr.File, tr.Hits)
		}
	}
	stockReads(t, path, "number", "701")
	closeDB(t, db)
	stockReads(t, path, "number", "701")
}

// stockReads sees that the text index is in the format of older versions, and lets a
// stock sqlite3 read it where there is one; compat/run has one in every run.
func stockReads(t *testing.T, path, word, want string) {
	t.Helper()
	const newest = `SELECT coalesce(max(CASE k WHEN 'version' THEN v END), 0) * 10 + coalesce(max(CASE k WHEN 'secure-delete' THEN v END), 0) FROM messages_fts_config`
	if got := ask[int](t, raw(t, path), newest); got != 40 {
		t.Errorf("format of the index and secure deletion: got %d, want 40", got)
	}
	stock, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Log("there is no stock sqlite3 here; compat/run has one")
		return
	}
	out, err := exec.CommandContext(t.Context(), stock, path,
		"INSERT INTO messages_fts(messages_fts) VALUES ('integrity-check')").CombinedOutput()
	if err == nil {
		out, err = exec.CommandContext(t.Context(), stock, path, "SELECT count(*) FROM messages_fts WHERE messages_fts MATCH '"+word+"'").CombinedOutput()
	}
	if got := strings.TrimSpace(string(out)); got != want || err != nil {
		t.Errorf("stock sqlite3: got %q, %v, want %s", got, err, want)
	}
}

// TestDirtyIndexIsCleaned: what a process has left in the index when it ended is
// merged away by the next.
func TestDirtyIndexIsCleaned(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	write(t, db, "s", 0, "The password is Quetzalcoatl.")
	if err := db.indexer.wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	closeDB(t, db)
	must(t, raw(t, path), `PRAGMA secure_delete = ON`, // as a process that ends between a deletion and the merging
		`INSERT INTO messages_fts(messages_fts, rowid, content, scope) SELECT 'delete', id, content, scope FROM messages_text`,
		`DELETE FROM messages`, `DELETE FROM sessions`, `INSERT INTO meta VALUES ('fts_dead', '1')`)
	db = openAt(t, path)
	if err := db.Clean(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := ask[int](t, db.read.DB, `SELECT count(*) FROM meta WHERE name = 'fts_dead'`); n != 0 {
		t.Error("the index is not marked as clean")
	}
	traces, err := db.Traces(t.Context(), mention.Of("quetzalco"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range traces {
		if tr.Hits > 0 {
			t.Errorf("%s: got %d traces, want none", tr.File, tr.Hits)
		}
	}
}

// TestDeletionsWhileMerging: what is deleted while the index is being merged is merged
// away as well, before the index counts as clean.
func TestDeletionsWhileMerging(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	write(t, db, "kept", 0, numbered(3000)...) // more than one step merges
	const rounds, each = 30, 6
	gone := func(i int) session.ID { return session.ID(fmt.Sprintf("gone%d", i)) }
	for i := range rounds * each {
		write(t, db, gone(i), 0, fmt.Sprintf("The password is Quetzalcoatl%d.", i))
	}
	if err := db.indexer.wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	erase := func(i int) { // as DeleteLineage, but without its wait
		t.Helper()
		if err := db.w.submit(t.Context(), func(t *tx) error { return t.eraseLineage(owner.Local(), gone(i)) }); err != nil {
			t.Fatal(err)
		}
	}
	file := raw(t, path)
	for i := range rounds {
		for k := range 1 + i%each { // the last one meets the merging at another step each time
			erase(i*each + k)
			nudge(db.indexer.hurry) // the merging begins
		}
		if err := db.Clean(t.Context()); err != nil {
			t.Fatal(err)
		}
		// A part of the index that a deletion has written holds the words it deletes.
		if n := ask[int](t, file, `SELECT count(DISTINCT segid) FROM messages_fts_idx`); n > 1 {
			t.Fatalf("round %d: the index has %d parts, want all merged into one", i, n)
		}
	}
}

// TestVersion1 opens a database of the first schema: all of it is there, the index
// can be read by every SQLite, and what was forgotten stays recognised.
func TestVersion1(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile(filepath.Join("testdata", "version1.sql"))
	if err != nil {
		t.Fatal(err)
	}
	path := tempFile(t)
	must(t, raw(t, path), string(script))
	db := openAt(t, path)
	if got := count(t, db, "one"); got != 4 {
		t.Errorf("got %d messages, want 4", got)
	}
	if err := db.indexer.wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := find(t, db, "Oslo")
	if err != nil || len(got.Hits) != 1 {
		t.Errorf("search: got %+v, %v, want one hit", got, err)
	}
	erasures, err := db.Erasures(t.Context(), owner.Local())
	if err != nil || len(erasures) != 1 {
		t.Fatalf("got %d erasures, %v, want 1", len(erasures), err)
	}
	for text, want := range map[string]int{"The ORCHID-7781 is late.": 1, "The ORCHID-7782 is late.": 0} {
		if _, n := memory.RedactErased(owner.Local(), text, erasures); n != want {
			t.Errorf("%q: got %d sentences left out, want %d", text, n, want)
		}
	}
	if n := ask[int](t, db.read.DB, `SELECT count(*) FROM erasures WHERE form = 0`); n != 0 {
		t.Error("an erasure is still without a key")
	}
	write(t, db, "new", 0, "goes on with Oslo")
	if err := db.indexer.wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	closeDB(t, db)
	stockReads(t, path, "oslo", "2")
	db = openAt(t, path) // finds nothing to do
	if again, err := db.Erasures(t.Context(), owner.Local()); err != nil || again[0].Hash != erasures[0].Hash {
		t.Errorf("opened again: got %v, %v", again, err)
	}
}

// TestErasuresAreKeyed: the words of an erasure cannot be guessed from the tables
// without their key.
func TestErasuresAreKeyed(t *testing.T) {
	t.Parallel()
	one, two := openAt(t, tempFile(t)), openAt(t, tempFile(t)) // a copy of the template would have its key
	e := memory.NewErasure(owner.Local(), mention.Of("Orchid-7781"), time.Now())
	stored := make(map[string]bool)
	for _, db := range []*DB{one, two} {
		if err := db.Rewrite(t.Context(), owner.Local(), curate.Rewrite{Erased: &e}); err != nil {
			t.Fatal(err)
		}
		stored[ask[string](t, db.read.DB, `SELECT hex(hash) FROM erasures`)] = true
	}
	if len(stored) != 2 || stored[fmt.Sprintf("%X", e.Hash)] {
		t.Errorf("got %v, want a hash of its own in each store, and none that only follows from the words", stored)
	}
}
