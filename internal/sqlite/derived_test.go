package sqlite

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// losses are what another program may do to the text index.
func losses() map[string]string {
	out := map[string]string{
		"the index is gone":                 `DROP TABLE messages_fts`,
		"its view is gone":                  `DROP VIEW messages_text`,
		"index and view are gone":           `DROP TABLE messages_fts; DROP VIEW messages_text`,
		"its lists are overwritten":         `UPDATE messages_fts_data SET block = x'00ff00ff00ff' WHERE id >= 10`,
		"its lists are emptied":             `DELETE FROM messages_fts_data`,
		"half of its messages are lost":     `DELETE FROM messages_fts_docsize WHERE id % 2 = 0`,
		"its settings are emptied":          `DELETE FROM messages_fts_config`,
		"an ordinary table is in its place": `DROP TABLE messages_fts; CREATE TABLE messages_fts (content, scope)`,
	}
	for _, part := range []string{"data", "idx", "docsize", "config"} {
		out["its part "+part+" is gone"] = `DROP TABLE messages_fts_` + part
	}
	return out
}

// TestLostIndexWhileStopped takes the index away between two runs: the next start
// notices, says so, and fills a new one.
func TestLostIndexWhileStopped(t *testing.T) {
	t.Parallel()
	for name, loss := range losses() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := tempFile(t)
			db := openAt(t, path)
			write(t, db, "s", 0, numbered(40)...)
			checkIndex(t, db)
			closeDB(t, db)
			must(t, raw(t, path), loss)
			var log bytes.Buffer
			db, err := Open(t.Context(), Options{Path: path, Log: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			defer closeDB(t, db)
			write(t, db, "s", 40, "number forty")
			soundAgain(t, db, 41)
			toldAgain(t, db)
			closeDB(t, db)
			if !strings.Contains(log.String(), "text index") {
				t.Errorf("the log does not say that the index was lost: %s", &log)
			}
		})
	}
}

// TestEarlierIndex: an index in which SQLite folded the words is made again at the start, and words
// that it took for others are found.
func TestEarlierIndex(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	write(t, db, "s", 0, "Die Straße ist lang.", "DIE STRASSE IST LANG.")
	closeDB(t, db)
	objects, err := schemaObjects()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(objects, func(o object) bool { return o.name == textIndex })
	must(t, raw(t, path), `DROP TABLE messages_fts`, objects[i].sql,
		`INSERT INTO messages_fts (rowid, content, scope) SELECT id, content, scope FROM messages_text`)
	db = openAt(t, path)
	eventually(t, "both forms to be found by each other", func() bool {
		for _, query := range []string{"strasse", "Straße", "straße*"} {
			if found, err := find(t, db, query); err != nil || len(found.Hits) != 1 || found.Hits[0].MatchCount != 2 {
				return false
			}
		}
		return true
	})
	toldAgain(t, db)
}

// TestLostIndexWhileRunning takes the index away under a running program: turns
// and erasures go on, and a search or a check brings a new one about.
func TestLostIndexWhileRunning(t *testing.T) {
	t.Parallel()
	for name, loss := range losses() {
		for _, first := range []string{"search", "check", "write", "erase"} {
			t.Run(name+", noticed by a "+first, func(t *testing.T) {
				t.Parallel()
				path := tempFile(t)
				db := openAt(t, path)
				write(t, db, "gone", 0, numbered(3)...)
				write(t, db, "s", 0, numbered(40)...)
				checkIndex(t, db)
				must(t, raw(t, path), loss)
				switch first {
				case "search":
					_, _ = find(t, db, "number") // it may be told to try again
				case "write":
					write(t, db, "s", 40, "nothing to be counted")
				case "erase":
					if err := db.DeleteLineage(t.Context(), owner.Local(), "gone"); err != nil {
						t.Errorf("erase: %v", err)
					}
				}
				if _, err := db.Check(t.Context(), true); err != nil {
					t.Fatalf("check: %v", err)
				}
				left := 43
				if first == "erase" {
					left = 40
				}
				soundAgain(t, db, left)
				if name != "its settings are emptied" || first != "erase" { // SQLite writes the version again when it erases
					toldAgain(t, db)
				}
			})
		}
	}
}

// soundAgain waits until all messages that speak of a number are found, and looks
// at what is said of the index.
func soundAgain(t *testing.T, db *DB, want int) {
	t.Helper()
	eventually(t, "the index to be whole", func() bool {
		if _, err := find(t, db, "number"); err != nil && fault.KindOf(err) != fault.Unavailable {
			t.Fatalf("search: %v", err)
		}
		var n int
		err := db.read.QueryRowContext(t.Context(), `SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'number'`).Scan(&n)
		return err == nil && n == want
	})
	checkIndex(t, db)
	if err := db.Ready(); err != nil {
		t.Errorf("got %v, want ready", err)
	}
	if damage, err := db.Check(t.Context(), true); err != nil || len(damage) > 0 {
		t.Errorf("check: got %q, %v", damage, err)
	}
}

// toldAgain looks whether it is said that the index was made again, and why.
func toldAgain(t *testing.T, db *DB) {
	t.Helper()
	index, err := db.Index(t.Context())
	if err != nil || index.RemadeAt.IsZero() || index.Why == "" || index.Waiting != 0 {
		t.Errorf("got %+v, %v, want it told that the index was made again, and why", index, err)
	}
}

// TestSoundIndexIsLeftAlone checks what is whole, and starts with it again.
func TestSoundIndexIsLeftAlone(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	write(t, db, "s", 0, numbered(40)...)
	checkIndex(t, db)
	for _, deep := range []bool{false, true} {
		if damage, err := db.Check(t.Context(), deep); err != nil || len(damage) > 0 {
			t.Errorf("check: got %q, %v", damage, err)
		}
	}
	closeDB(t, db)
	db = openAt(t, path)
	if index, err := db.Index(t.Context()); err != nil || !index.RemadeAt.IsZero() {
		t.Errorf("got %+v, %v, want an index that was never rebuilt", index, err)
	}
	if lost := db.Lost(); len(lost) > 0 {
		t.Errorf("got %q lost, want nothing", lost)
	}
}

// TestLostTables takes what else is derived away: the next start makes it again,
// empty, and says so.
func TestLostTables(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	write(t, db, "s", 0, numbered(4)...)
	closeDB(t, db)
	must(t, raw(t, path), `DROP TABLE facts`, `DROP TABLE vectors`, `DROP INDEX sessions_title`, `DROP INDEX messages_place`)
	var log bytes.Buffer
	db, err := Open(t.Context(), Options{Path: path, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB(t, db)
	if got := slices.Sorted(slices.Values(db.Lost())); !slices.Equal(got, []string{"facts", "vectors"}) {
		t.Errorf("got %q lost, want facts and vectors", got)
	}
	for _, name := range []string{"facts", "facts_shelf", "vectors_place", "sessions_title", "messages_place"} {
		if !strings.Contains(log.String(), name) {
			t.Errorf("the log does not name %s", name)
		}
		if got := ask[int](t, db.read.DB, `SELECT count(*) FROM sqlite_schema WHERE name = ?`, name); got != 1 {
			t.Errorf("%s: got %d, want 1", name, got)
		}
	}
	write(t, db, "s", 4, "one more")
}

// TestLostForGood takes away what nothing can bring back: the file is refused, and
// left as it is.
func TestLostForGood(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	write(t, db, "s", 0, numbered(4)...)
	closeDB(t, db)
	must(t, raw(t, path), `DROP TABLE sessions`)
	_, err := Open(t.Context(), Options{Path: path, Log: quiet()})
	if fault.CodeOf(err) != "incomplete_database" || !strings.Contains(fault.MessageOf(err), "sessions") {
		t.Errorf("got %v, want it refused by the name of the table", err)
	}
	if got := ask[int](t, raw(t, path), `SELECT count(*) FROM messages`); got != 4 {
		t.Errorf("got %d messages, want 4", got)
	}
}

// TestSchemaIsKnown holds what is read out of the migrations against a fresh file.
func TestSchemaIsKnown(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	known, err := schemaObjects()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range known {
		names = append(names, known[i].name)
	}
	slices.Sort(names)
	rows, err := db.read.QueryContext(t.Context(), `SELECT name FROM sqlite_schema
		WHERE name NOT LIKE 'sqlite_%' AND name NOT LIKE 'messages_fts_%' ORDER BY name`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var there []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		there = append(there, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(names, there) {
		t.Errorf("the migrations make\n%q\nand the file holds\n%q", names, there)
	}
}
