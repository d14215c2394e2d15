package sqlite

import (
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/search"
)

func mustParse(t *testing.T, query string) search.Query {
	t.Helper()
	q, err := search.Parse(query)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// find searches everything of the local owner.
func find(t *testing.T, db *DB, query string) (search.Found, error) {
	t.Helper()
	return db.Search(t.Context(), owner.Local(), search.Request{Query: mustParse(t, query), Scope: search.Scope{All: true}})
}

// TestSearchOutOfTime: what cannot be answered in time is refused, not endured.
func TestSearchOutOfTime(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	write(t, db, "s", 0, numbered(50)...)
	checkIndex(t, db)
	closeDB(t, db)
	db, err := Open(t.Context(), Options{Path: path, Log: quiet(), SearchTime: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeDB(t, db) })
	if _, err := find(t, db, "number"); fault.KindOf(err) != fault.Invalid || fault.CodeOf(err) != "invalid_query" {
		t.Errorf("got %v, want invalid_query", err)
	}
}

// TestSearchBeforeIndex: a search does not wait for ever for an index that is
// behind, and says that it may have missed something.
func TestSearchBeforeIndex(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), Options{Path: tempFile(t), Log: quiet(), IndexPatience: time.Millisecond, SearchTime: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeDB(t, db) })
	write(t, db, "s", 0, "the first heron")
	checkIndex(t, db)

	holding, release := make(chan struct{}), make(chan struct{})
	held := make(chan error, 1)
	go func() {
		held <- db.w.submit(t.Context(), func(*tx) error {
			close(holding)
			<-release
			return nil
		})
	}()
	<-holding // from here on nothing is indexed
	db.indexer.add([]int64{1})
	found, err := find(t, db, "heron")
	if err != nil || len(found.Hits) != 1 || !found.Partial {
		t.Errorf("got %d hits, partial %v, %v, want one hit and partial", len(found.Hits), found.Partial, err)
	}
	close(release)
	if err := <-held; err != nil {
		t.Fatal(err)
	}
	checkIndex(t, db)
	if found, err := find(t, db, "heron"); err != nil || found.Partial {
		t.Errorf("got partial %v, %v, want all of it", found.Partial, err)
	}
}

// TestSearchHeals: a search that meets a damaged index waits a moment for a new one,
// and says so if that takes longer.
func TestSearchHeals(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	write(t, db, "s", 0, numbered(300)...)
	checkIndex(t, db)
	must(t, raw(t, path), `UPDATE messages_fts_data SET block = x'00ff00ff00ff' WHERE id >= 10`)
	if _, err := find(t, db, "number"); err != nil && fault.CodeOf(err) != "search_index_damaged" {
		t.Fatalf("got %v, want an answer, or that it is damaged", err)
	}
	eventually(t, "the index to heal", func() bool {
		found, err := find(t, db, "number")
		return err == nil && len(found.Hits) == 1
	})
	checkIndex(t, db)
	if err := db.Ready(); err != nil {
		t.Errorf("got %v, want ready", err)
	}
}

// TestBlindIndex: damage that makes the index find nothing, without an error, is noticed
// by a search that finds nothing, by a check and at a start, and a query for what was
// never said does not pass for it.
func TestBlindIndex(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]string{
		"no parts":     `UPDATE messages_fts_data SET block = x'00000000000000' WHERE id = 10`,
		"wrong places": `UPDATE messages_fts_idx SET pgno = pgno + 2`,
	} {
		for by, look := range map[string]func(*testing.T, *DB, string) *DB{
			"a search": func(_ *testing.T, db *DB, _ string) *DB { return db },
			"a check": func(t *testing.T, db *DB, _ string) *DB {
				if _, err := db.Check(t.Context(), false); err != nil {
					t.Error(err)
				}
				return db
			},
			"a start": func(t *testing.T, db *DB, path string) *DB {
				closeDB(t, db)
				return openAt(t, path)
			},
		} {
			t.Run(name+", noticed by "+by, func(t *testing.T) {
				t.Parallel()
				path := tempFile(t)
				db := openAt(t, path)
				write(t, db, "s", 0, numbered(300)...)
				write(t, db, "other", 0, "A heron.")
				checkIndex(t, db)
				if _, err := find(t, db, "ostrich"); err != nil {
					t.Fatal(err)
				}
				if state, err := db.Index(t.Context()); err != nil || !state.RemadeAt.IsZero() {
					t.Errorf("got %+v, %v: a search for what was never said made the index again", state, err)
				}
				must(t, raw(t, path), damage)
				db = look(t, db, path)
				eventually(t, "the index to heal", func() bool {
					found, err := find(t, db, "heron")
					return err == nil && len(found.Hits) == 1
				})
				checkIndex(t, db)
				if state, err := db.Index(t.Context()); err != nil || state.RemadeAt.IsZero() || state.Why == "" {
					t.Errorf("got %+v, %v, want it to say why it was made again", state, err)
				}
			})
		}
	}
}

// TestEraseLeavesNoPairs looks for an erased text in a writing without spaces,
// which the index holds in pairs, and for the names it was stored under.
func TestEraseLeavesNoPairs(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	write(t, db, "kept", 0, append(numbered(100), "分散システム")...)
	write(t, db, "zanzibar", 0, strings.Repeat("禁断の言葉 ", 20), "禁断docker", "部")
	if err := db.indexer.wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	traces := []string{"禁断", "断の", "7a616e7a69626172", "zanzibar"}
	for _, text := range traces {
		if left(t, path, text) == 0 {
			t.Fatalf("the test itself: finds no %q", text)
		}
	}
	if err := db.DeleteLineage(t.Context(), owner.Local(), "zanzibar"); err != nil {
		t.Fatal(err)
	}
	for _, text := range traces {
		if n := left(t, path, text); n != 0 {
			t.Errorf("got %d traces of %q, want 0", n, text)
		}
	}
	err := db.w.submit(t.Context(), func(tx *tx) error {
		_, err := tx.exec(`INSERT INTO messages_fts(messages_fts) VALUES ('integrity-check')`)
		return err
	})
	if err != nil {
		t.Errorf("the index contradicts itself: %v", err)
	}
	for query, want := range map[string]int{"禁断": 0, "部": 0, "分散": 1, "number": 1} {
		if found, err := find(t, db, query); err != nil || len(found.Hits) != want {
			t.Errorf("%s: got %d hits, %v, want %d", query, len(found.Hits), err, want)
		}
	}
}
