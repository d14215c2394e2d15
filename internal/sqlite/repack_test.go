package sqlite

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
)

// TestRepack: what page splits copied and deletions left behind is gone after a
// repack, and the store reads and writes as before, also while it is under way.
func TestRepack(t *testing.T) {
	t.Parallel()
	db := openAt(t, tempFile(t))
	write(t, db, "kept", 0, numbered(300)...)
	for table := range 20 {
		leaveCopies(t, db, table)
	}
	left := func() int {
		t.Helper()
		if err := db.Clean(t.Context()); err != nil {
			t.Fatal(err)
		}
		traces, err := db.Traces(t.Context(), mention.Of("quetzalcoatl"))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for i := range traces {
			n += traces[i].Hits
		}
		return n
	}
	before := left()
	if before == 0 {
		t.Fatal("the test itself: deleting left no copy")
	}
	var busy sync.WaitGroup
	busy.Go(func() { write(t, db, "meanwhile", 0, numbered(50)...) })
	if err := db.Repack(t.Context()); err != nil {
		t.Fatal(err)
	}
	busy.Wait()
	if n := left(); n != 0 {
		t.Errorf("got %d copies after a repack, and %d before, want 0", n, before)
	}
	write(t, db, "after", 0, "Written after the repack.")
	if err := db.indexer.wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Session(t.Context(), owner.Local(), "after"); err != nil {
		t.Error(err)
	}
}

// leaveCopies fills a table with rows that change, move and go, and deletes those that
// name the thing. SQLite leaves copies of some of them in one table of three.
func leaveCopies(t *testing.T, db *DB, table int) {
	t.Helper()
	chance := rand.New(rand.NewPCG(uint64(table), 0)) // the same in every run
	name := fmt.Sprintf("probe_%d", table)
	err := db.w.submit(t.Context(), func(x *tx) error {
		if _, err := x.exec(`CREATE TABLE ` + name + ` (k TEXT PRIMARY KEY, v TEXT NOT NULL)`); err != nil {
			return err
		}
		for range 600 {
			k, filler := fmt.Sprintf("%03d", chance.IntN(300)), strings.Repeat("x", chance.IntN(60))
			steps := []struct {
				query string
				args  []any
			}{
				{`INSERT OR REPLACE INTO ` + name + ` VALUES (?, ?)`, []any{k, "quetzalcoatl " + filler}},
				{`INSERT OR REPLACE INTO ` + name + ` VALUES (?, ?)`, []any{k, "stays " + filler}},
				{`UPDATE ` + name + ` SET v = substr(v || v, 1, ?) WHERE k = ?`, []any{chance.IntN(60), k}},
				{`DELETE FROM ` + name + ` WHERE k = ?`, []any{k}},
			}
			step := steps[chance.IntN(len(steps))]
			if _, err := x.exec(step.query, step.args...); err != nil {
				return err
			}
		}
		_, err := x.exec(`DELETE FROM ` + name + ` WHERE v LIKE '%quetzal%'`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
