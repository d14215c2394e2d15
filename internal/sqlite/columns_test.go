package sqlite

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
)

// TestEveryTextHasARule: what becomes of a text when something is forgotten is
// decided for every column there is.
func TestEveryTextHasARule(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	wrong, err := checkColumns(t.Context(), db.read)
	if err != nil || len(wrong) > 0 {
		t.Errorf("add a rule to storage.Tables for each of these: %v %v", wrong, err)
	}
	closeDB(t, db)
	must(t, raw(t, path),
		`ALTER TABLE sessions ADD COLUMN nickname TEXT`,
		`CREATE TABLE letters (owner_id TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (owner_id, text)) STRICT, WITHOUT ROWID`,
		`ALTER TABLE messages ADD COLUMN picture BLOB`, // no text
	)
	db = openAt(t, path)
	wrong, err = checkColumns(t.Context(), db.read)
	if got, want := strings.Join(wrong, ", "), "letters.text has no rule, sessions.nickname has no rule"; got != want || err != nil {
		t.Errorf("with new columns: got %q, %v, want %q", got, err, want)
	}
}

// TestNewTextIsSearched: a column without a rule is not passed over by a
// certificate, and a table that is not ours is named.
func TestNewTextIsSearched(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	write(t, db, "s", 0, "hello")
	closeDB(t, db)
	must(t, raw(t, path), `ALTER TABLE sessions ADD COLUMN nickname TEXT`, `UPDATE sessions SET nickname = 'the Zebra'`, `CREATE TABLE letters (text TEXT)`)
	db = openAt(t, path)
	traces, err := db.Mentions(t.Context(), owner.Local(), mention.Of("zebra"))
	if err != nil {
		t.Fatal(err)
	}
	hits := make(map[string]int)
	for _, tr := range traces {
		hits[tr.File] = tr.Hits
	}
	if hits["rows of sessions"] != 1 {
		t.Errorf("got %v, want a hit in sessions", hits)
	}
	if _, named := hits["rows of letters (not a table of hermes, not searched)"]; !named {
		t.Errorf("got %v, want letters named", hits)
	}
}
