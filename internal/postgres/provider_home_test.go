package postgres

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/storage"
)

// TestProviderHome: all servers of a database have its name at a provider. A provider that an earlier version
// has told something goes on under the earlier names, and another one does not.
func TestProviderHome(t *testing.T) {
	t.Parallel()
	home := func(db *DB, id string) string {
		t.Helper()
		got, err := db.ProviderHome(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	db := openTest(t)
	if first, second := home(db, "honcho@a"), home(openAt(t, db.opt.URL), "honcho@a"); first != second || first == "" {
		t.Errorf("got %q and %q for one database", first, second)
	}
	s := provider.SourceOf("key", "")
	for _, id := range []string{"honcho@a", "mem0@a"} {
		if _, err := db.TakeProviderName(t.Context(), owner.Local(), id, s, s.Candidates); err != nil {
			t.Fatal(err)
		}
	}
	// as an earlier version left it
	if _, err := db.pool.Exec(t.Context(), `DELETE FROM meta WHERE name IN ($1, $2)`, storage.ProviderHome, storage.ProviderFormer); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		db := openAt(t, db.opt.URL)
		for id, former := range map[string]bool{"honcho@a": true, "mem0@a": true, "honcho@b": false} {
			if got := home(db, id); got == "" != former {
				t.Errorf("%s: got %q", id, got)
			}
		}
	}
}
