package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/storage"
)

// TestProviderHome: two files have different names at a provider, and each keeps its own. A provider that an
// earlier version has told something goes on under the earlier names, and another one does not.
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
	path := filepath.Join(t.TempDir(), "state.db")
	db := openAt(t, path)
	first := home(db, "honcho@a")
	if other := home(openTest(t), "honcho@a"); other == first || other == "" {
		t.Errorf("got %q and %q for two files", first, other)
	}
	s := provider.SourceOf("key", "")
	if _, err := db.TakeProviderName(t.Context(), owner.Local(), "honcho@a", s, s.Candidates); err != nil {
		t.Fatal(err)
	}
	if _, err := db.TakeProviderName(t.Context(), owner.Local(), "mem0@a", s, s.Candidates); err != nil {
		t.Fatal(err)
	}
	reopen := func() {
		t.Helper()
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		db = openAt(t, path)
	}
	reopen()
	if got := home(db, "honcho@a"); got != first {
		t.Errorf("got %q after a restart, want %q", got, first)
	}
	submitted(t, db, erase(storage.ProviderHome), erase(storage.ProviderFormer)) // as an earlier version left it
	for range 2 {
		reopen()
		for id, former := range map[string]bool{"honcho@a": true, "mem0@a": true, "honcho@b": false} {
			if got := home(db, id); got == "" != former {
				t.Errorf("%s: got %q", id, got)
			}
		}
	}
}
