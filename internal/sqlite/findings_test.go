package sqlite

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
)

// version5 makes a database of the last schema with findings, from these files in
// testdata.
func version5(t *testing.T, files ...string) string {
	t.Helper()
	path := tempFile(t)
	statements := func(name string) string {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	must(t, raw(t, path), statements(files[0])) // on a connection of its own, for it writes the schema directly
	scripts, err := migrationScripts()
	if err != nil {
		t.Fatal(err)
	}
	file := raw(t, path)
	for i := 1; i < 5; i++ {
		must(t, file, scripts[i])
	}
	must(t, file, markSchema(scripts[:5]), `PRAGMA user_version = 5`)
	for _, name := range files[1:] {
		must(t, file, statements(name))
	}
	return path
}

// TestFindingsGo opens a database with facts that a model found: all facts are left to
// be distilled again, until it is said that they were. The other marks of studies stay.
func TestFindingsGo(t *testing.T) {
	t.Parallel()
	path := version5(t, "version1.sql", "findings.sql")
	for range 2 { // the second opens it as after a crash
		db := openAt(t, path)
		if got := db.Lost(); !slices.Equal(got, []string{"facts"}) {
			t.Errorf("got %q lost, want the facts", got)
		}
		if n := ask[int](t, db.read.DB, `SELECT count(*) FROM facts`); n != 0 {
			t.Errorf("got %d facts, want none", n)
		}
		m, err := db.Marks(t.Context(), owner.Local(), "one")
		if want := (curate.Marks{Summarized: 2, Titled: true, VectorsTo: 3, VectorsBy: "m"}); err != nil || m != want {
			t.Errorf("got marks %+v, %v, want %+v", m, err, want)
		}
		const left = `SELECT count(*) FROM sqlite_schema
			WHERE name LIKE 'findings%' OR name = 'facts_before' OR sql LIKE '%proposed_by%' OR sql LIKE '%facts_to%'`
		if n := ask[int](t, db.read.DB, left); n != 0 {
			t.Errorf("got %d objects of findings, want none", n)
		}
		closeDB(t, db)
	}
	db := openAt(t, path)
	if err := db.Filled(t.Context()); err != nil {
		t.Fatal(err)
	}
	closeDB(t, db)
	db = openAt(t, path)
	if got := db.Lost(); len(got) > 0 {
		t.Errorf("got %q lost, want nothing", got)
	}
}

// TestOlderFactsAreDistilledAgain opens a database of a version whose facts were not the
// words of the messages: they are to be distilled again, until that is done.
func TestOlderFactsAreDistilledAgain(t *testing.T) {
	t.Parallel()
	path := version5(t, "version1.sql")
	db := openAt(t, path)
	if got := db.Lost(); !slices.Equal(got, []string{"facts"}) {
		t.Errorf("got %q lost, want the facts", got)
	}
	if facts, err := db.FactsSince(t.Context(), owner.Local(), memory.Scope{Key: "ada"}, 0, 10); err != nil || len(facts) > 0 {
		t.Errorf("got %+v, %v, want none before they are distilled", facts, err)
	}
}
