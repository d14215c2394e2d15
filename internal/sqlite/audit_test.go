package sqlite

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/owner"
)

// TestAuditAge: what is too old goes when something is added, the numbers go on,
// and what is left still follows one another.
func TestAuditAge(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), Options{
		Path: filepath.Join(t.TempDir(), "state.db"), Log: slog.New(slog.DiscardHandler), Synchronous: "OFF", AuditKeep: 48 * time.Hour,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	begin := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, day := range []int{0, 1, 2, 3, 100} {
		e := audit.Entry{At: begin.AddDate(0, 0, day), Action: "a", Outcome: audit.OK}
		if err := db.Enter(t.Context(), owner.Local(), e); err != nil {
			t.Fatal(err)
		}
		list, err := db.Audit(t.Context(), owner.Local(), audit.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		want := map[int]audit.Verdict{
			0: {Entries: 1, First: 1, Last: 1}, 1: {Entries: 2, First: 1, Last: 2}, 2: {Entries: 3, First: 1, Last: 3},
			3: {Entries: 3, First: 2, Last: 4}, 100: {Entries: 1, First: 5, Last: 5},
		}[day]
		got := audit.Verify(list)
		if got.Entries != want.Entries || got.First != want.First || got.Last != want.Last || got.Broken != 0 {
			t.Errorf("day %d: got %+v, want %+v", day, got, want)
		}
	}
}
