package sqlite

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/owner"
)

// skipIDs reserves ids that stay unused.
func skipIDs(t *testing.T, db *DB, n int) {
	t.Helper()
	if _, err := db.ReserveMessageIDs(t.Context(), owner.Local(), n); err != nil {
		t.Fatal(err)
	}
}

func counterOf(t *testing.T, db *DB) *counter {
	t.Helper()
	c, err := db.counter(t.Context(), owner.Local())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func lastID(t *testing.T, db *DB) int64 { return counterOf(t, db).last }

// matches is how many messages the text index finds for a word.
func matches(t *testing.T, db *DB, word string) int {
	t.Helper()
	return ask[int](t, db.read.DB, `SELECT count(*) FROM messages_fts WHERE messages_fts MATCH ?`, word)
}

// checkIndex compares the text index with the messages.
func checkIndex(t *testing.T, db *DB) {
	t.Helper()
	if err := db.indexer.wait(t.Context()); err != nil {
		t.Fatalf("wait for the index: %v", err)
	}
	err := db.w.submit(t.Context(), func(tx *tx) error {
		_, err := tx.exec(`INSERT INTO messages_fts(messages_fts, rank) VALUES ('integrity-check', 1)`)
		return err
	})
	if err != nil {
		t.Errorf("the index does not agree with the messages: %v", err)
	}
}

func TestIndexerCatchesUp(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	checkIndex(t, db)
	texts := numbered(3*indexBatch/2 + 7)
	texts[3] = "" // a tool call has no text
	write(t, db, "s", 0, texts...)
	checkIndex(t, db)
	if got, want := matches(t, db, "number"), len(texts)-1; got != want {
		t.Errorf("got %d matches, want %d", got, want)
	}
	if got := matches(t, db, "messages"); got == 0 { // stemmed
		t.Error("got no match for another form of the word")
	}
	for range 3 {
		write(t, db, "late", 0, "xylophone")
		checkIndex(t, db)
		if got := matches(t, db, "xylophone"); got != 1 {
			t.Errorf("got %d matches, want 1", got)
		}
		if err := db.DeleteLineage(t.Context(), owner.Local(), "late"); err != nil {
			t.Fatal(err)
		}
	}
	checkIndex(t, db)
}

// TestIndexerRecovers finds messages that a crash left out of the index.
func TestIndexerRecovers(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	write(t, db, "s", 0, numbered(40)...)
	checkIndex(t, db)
	closeDB(t, db)
	other := raw(t, path)
	must(t, other, `INSERT INTO messages_fts(messages_fts, rowid, content, scope)
		SELECT 'delete', t.id, t.content, t.scope FROM messages_text t JOIN messages m ON m.id = t.id WHERE m.seq % 3 = 0 OR m.seq > 30`)
	must(t, other, `UPDATE id_ranges SET whole = 0`) // as an earlier version left it
	if _, err := other.ExecContext(t.Context(), `INSERT INTO messages_fts(messages_fts, rank) VALUES ('integrity-check', 1)`); err == nil {
		t.Fatal("the test itself: rows are missing, and the integrity check sees nothing")
	}
	db = openAt(t, path)
	checkIndex(t, db)
	if got := matches(t, db, "number"); got != 40 {
		t.Errorf("got %d matches, want 40", got)
	}
}

// TestIndexerRecoversWhatIsOld leaves messages out of the index whose numbers lie
// far below others that are in it: a start finds them all the same.
func TestIndexerRecoversWhatIsOld(t *testing.T) {
	t.Parallel()
	const far = 100_000
	for name, leave := range map[string]func(*testing.T, *DB){
		"the newest was indexed first": func(t *testing.T, db *DB) {
			write(t, db, "s", 0, numbered(3)...)
			skipIDs(t, db, far)
			write(t, db, "s", 3, "number four")
			if err := db.indexer.index(t.Context(), []int64{lastID(t, db)}); err != nil {
				t.Fatal(err)
			}
		},
		"old numbers came out of an archive": func(t *testing.T, db *DB) {
			skipIDs(t, db, 10)
			write(t, db, "s", 0, "number one")
			skipIDs(t, db, far)
			write(t, db, "s", 1, "number two", "number three")
			checkIndex(t, db)
			counterOf(t, db).last = 2 // as if the first ten had never been given out
			write(t, db, "s", 3, "number four")
		},
		"emptied, and begun again with the newest": func(t *testing.T, db *DB) {
			write(t, db, "s", 0, numbered(3)...)
			skipIDs(t, db, far)
			checkIndex(t, db)
			if err := db.w.submit(t.Context(), func(tx *tx) error { return tx.remakeIndex("the test said so") }); err != nil {
				t.Fatal(err)
			}
			write(t, db, "s", 3, "number four")
			if err := db.indexer.wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := tempFile(t)
			db := openAt(t, path)
			if err := db.indexer.wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			select {
			case <-db.indexer.hurry: // what is left must have the pause to be left in
			default:
			}
			leave(t, db)
			closeDB(t, db)
			db = openAt(t, path)
			checkIndex(t, db)
			if got := matches(t, db, "number"); got != 4 {
				t.Errorf("got %d matches, want 4", got)
			}
		})
	}
}

// TestIndexerAfterKill kills a process right after its acknowledgements, before
// the index had time to follow.
func TestIndexerAfterKill(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	for round := range int64(3) {
		p := start(t, roleOwner, path)
		if got := p.do("write %d 30", round*30); got != "" {
			t.Fatalf("write: got %q, want success", got)
		}
		p.kill()
	}
	db := openAt(t, path)
	checkIndex(t, db)
	if got := matches(t, db, "number"); got != 90 {
		t.Errorf("got %d matches, want 90", got)
	}
	if got := ask[string](t, db.read.DB, `PRAGMA integrity_check`); got != "ok" {
		t.Errorf("integrity check: got %q", got)
	}
}

// TestIndexerHeals damages the index: no turn and no erasure fails, and the index is
// rebuilt.
func TestIndexerHeals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, damage string
		erase        bool
	}{
		{"damage that a turn meets", `UPDATE messages_fts_data SET block = x'00ff00ff00ff' WHERE id = 10`, false},
		{"damage that an erasure meets", `UPDATE messages_fts_data SET block = x'00ff00ff00ff' WHERE id > 10`, true},
		{"damage that both meet", `UPDATE messages_fts_data SET block = x'00ff00ff00ff' WHERE id >= 10`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := tempFile(t)
			db := openAt(t, path)
			write(t, db, "gone", 0, numbered(20)...)
			write(t, db, "s", 0, numbered(600)...)
			checkIndex(t, db)
			must(t, raw(t, path), c.damage)
			if c.erase {
				if err := db.DeleteLineage(t.Context(), owner.Local(), "gone"); err != nil {
					t.Errorf("erase: %v", err)
				}
			}
			write(t, db, "s", 600, "one more number")
			eventually(t, "the index to heal", func() bool {
				if err := db.indexer.wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				var n int
				err := db.read.QueryRowContext(t.Context(), `SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'number'`).Scan(&n)
				return err == nil && n >= 601
			})
			checkIndex(t, db)
			if err := db.Ready(); err != nil {
				t.Errorf("got %v, want ready", err)
			}
		})
	}
}

// TestIDsAreNotReused opens a database whose newest messages were erased: their
// ids named something, and the index looks for what is above its mark.
func TestIDsAreNotReused(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	write(t, db, "kept", 0, "one")
	write(t, db, "gone", 0, numbered(20)...)
	checkIndex(t, db)
	last := lastID(t, db)
	if err := db.DeleteLineage(t.Context(), owner.Local(), "gone"); err != nil {
		t.Fatal(err)
	}
	closeDB(t, db)
	db = openAt(t, path)
	if got, err := db.ReserveMessageIDs(t.Context(), owner.Local(), 1); err != nil || got <= last {
		t.Errorf("after a restart: got the id %d (%v), want one above %d", got, err, last)
	}
}

// TestEraseLeavesNoBytes looks for an erased text in every file.
func TestEraseLeavesNoBytes(t *testing.T) {
	t.Parallel()
	const canary = "Zanzibarquokka" // a word that stemming leaves alone
	path := tempFile(t)
	db := openAt(t, path)
	write(t, db, "kept", 0, numbered(200)...)
	var texts []string
	for i := range 30 {
		texts = append(texts, fmt.Sprintf("%s %d %s", canary, i, strings.Repeat("x", 100*i)))
	}
	write(t, db, "gone", 0, texts...)
	write(t, db, "kept", 200, numbered(200)...)
	checkIndex(t, db)
	if got := matches(t, db, canary); got != len(texts) {
		t.Fatalf("got %d matches, want %d", got, len(texts))
	}
	if left(t, path, canary) == 0 {
		t.Fatal("the test itself: finds no bytes of what is stored")
	}
	if err := db.DeleteLineage(t.Context(), owner.Local(), "gone"); err != nil {
		t.Fatal(err)
	}
	checkIndex(t, db)
	if got := matches(t, db, canary); got != 0 {
		t.Errorf("got %d matches, want 0", got)
	}
	if got := left(t, path, canary); got != 0 {
		t.Errorf("got %d traces in the files, want 0", got)
	}
	if got := count(t, db, "kept"); got != 400 {
		t.Errorf("got %d messages, want 400", got)
	}
	closeDB(t, db)
	if got := left(t, path, canary); got != 0 {
		t.Errorf("after a close: got %d traces in the files, want 0", got)
	}
}

// left counts a text in the database's files, whatever its case.
func left(t *testing.T, path, text string) int {
	t.Helper()
	n := 0
	for _, suffix := range []string{"", "-wal"} {
		all, err := os.ReadFile(path + suffix)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		n += bytes.Count(bytes.ToLower(all), bytes.ToLower([]byte(text)))
	}
	return n
}
