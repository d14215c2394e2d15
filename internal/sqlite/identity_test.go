package sqlite

import (
	"os"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// TestFileTakenAway deletes and replaces the files of an open database. What is
// written after that would be gone with the last descriptor, so it must not be
// acknowledged.
func TestFileTakenAway(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		take func(path string) error
	}{
		{"deleted", os.Remove},
		{"WAL deleted", func(path string) error { return os.Remove(path + "-wal") }},
		{"replaced by a copy", func(path string) error {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if err := os.WriteFile(path+".copy", text, 0o600); err != nil {
				return err
			}
			return os.Rename(path+".copy", path)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := tempFile(t)
			db := openAt(t, path)
			write(t, db, "s", 0, "kept")
			if err := c.take(path); err != nil {
				t.Fatal(err)
			}
			for i := range 2 { // the first is rolled forward into nowhere, the second is not tried
				err := db.AppendTurn(t.Context(), owner.Local(), stepOf(db, owner.Local(), "s", int64(i+1), "lost"))
				if fault.KindOf(err) != fault.Unavailable || fault.CodeOf(err) != "database_failed" {
					t.Errorf("write %d: got %v, want it refused", i, err)
				}
			}
			if db.Ready() == nil {
				t.Error("the database still says that it is ready")
			}
		})
	}
}
