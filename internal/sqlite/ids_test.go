package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// say stores a message of an owner, and returns its id.
func say(t *testing.T, db *DB, o owner.Owner, root session.ID, seq int64, text string) int64 {
	t.Helper()
	step := stepOf(db, o, root, seq, text)
	if err := db.AppendTurn(t.Context(), o, step); err != nil {
		t.Fatal(err)
	}
	return step.Messages[0].ID
}

// TestIDsGoOn: every owner's ids go on where they were when the file is opened again,
// also when the newest were erased, and what a crash left out of the index is found in
// every owner's range.
func TestIDsGoOn(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	owners := []owner.Owner{owner.Local(), owner.Stored("ada"), owner.Stored("ben")}
	newest := make(map[string]int64)
	for n := range int64(4) {
		for _, o := range owners {
			newest[o.ID()] = say(t, db, o, "s", n, "a number of "+o.ID())
		}
	}
	newest["ada"] = say(t, db, owner.Stored("ada"), "gone", 0, "a number that goes")
	checkIndex(t, db)
	if err := db.DeleteLineage(t.Context(), owner.Stored("ada"), "gone"); err != nil {
		t.Fatal(err)
	}
	if err := db.Clean(t.Context()); err != nil {
		t.Fatal(err)
	}
	closeDB(t, db)
	other := raw(t, path)
	must(t, other, `INSERT INTO messages_fts(messages_fts, rowid, content, scope)
		SELECT 'delete', t.id, t.content, t.scope FROM messages_text t JOIN messages m ON m.id = t.id WHERE m.seq >= 2`)
	must(t, other, `UPDATE id_ranges SET whole = (SELECT min(id) FROM messages m WHERE m.id >= range_id << 33)`)
	closeDB(t, openAt(t, path))
	db = openAt(t, path)
	checkIndex(t, db)
	if got := matches(t, db, "number"); got != 12 {
		t.Errorf("got %d matches after a crash, want 12", got)
	}
	for _, o := range owners {
		if got := say(t, db, o, "s", 4, "one more"); got != newest[o.ID()]+1 {
			t.Errorf("%s: got the id %d after %d, want the next", o.ID(), got, newest[o.ID()])
		}
	}
}

// TestIDsOfVersion1: in a file in which all owners shared one counter, the local owner
// goes on with it, and another owner's ids rise.
func TestIDsOfVersion1(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile(filepath.Join("testdata", "version1.sql"))
	if err != nil {
		t.Fatal(err)
	}
	for name, far := range map[string]int64{"as it is": 0, "with ids that an import brought": 1 << 40} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := tempFile(t)
			must(t, raw(t, path), string(script))
			const copied = `INSERT INTO messages (id, owner_id, root_id, seq, session_id, role, content, said_at, recorded_at, hash)
				VALUES (%d, '%s', 'old', 0, 'old', 'user', 'the word olduvai', 1, 1, x'00')`
			must(t, raw(t, path), fmt.Sprintf(copied, 1000+far, "ada"))
			must(t, raw(t, path), fmt.Sprintf(copied, 900+far, owner.LocalID))
			db := openAt(t, path)
			if err := db.indexer.wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := matches(t, db, "olduvai"); got != 2 {
				t.Errorf("got %d matches, want 2", got)
			}
			local, ada := say(t, db, owner.Local(), "new", 0, "hello"), say(t, db, owner.Stored("ada"), "new", 0, "hello")
			if local <= 900+far || ada <= 1000+far {
				t.Errorf("got the ids %d and %d, want them above those before", local, ada)
			}
			if far == 0 && local != 1001 {
				t.Errorf("got the local owner's id %d, want the next of the counter, 1001", local)
			}
			checkIndex(t, db)
			// Ids of before the ranges, and of another store, keep their order.
			got, err := db.AdoptMessageIDs(t.Context(), owner.Stored("ada"), []int64{ada + 5, ada + 1<<counterBits + 6})
			if err != nil || len(got) != 2 || !slices.IsSorted(got) {
				t.Errorf("adopt ids of two ranges: got %v, %v", got, err)
			}
		})
	}
}
