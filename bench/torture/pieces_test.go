package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestOrphans plants each kind of orphan in a sound file, and sees it noticed.
func TestOrphans(t *testing.T) {
	t.Parallel()
	for want, harm := range map[string]string{
		"":                             `SELECT 1`,
		"there are no pieces":          `DELETE FROM pieces`,
		"1 pieces that are not live":   `UPDATE pieces SET state = 'dead' WHERE id = 2`,
		"1 blocks without a piece":     `INSERT INTO piece_blocks VALUES (9 << 16, x'00')`,
		"1 pieces without a scope":     `UPDATE pieces SET scope_id = 8 WHERE id = 2`,
		"1 scopes without a message":   `INSERT INTO scopes VALUES (2, 'o', 50)`,
		"1 pieces that lack blocks":    `DELETE FROM piece_blocks WHERE id = (2 << 16)`,
		"1 pieces that cover the same": `UPDATE pieces SET first_id = 10 WHERE id = 2`,
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "state.db")
			db, err := openFile(path, false)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range []string{
				`CREATE TABLE messages (id INTEGER, owner_id TEXT)`, `INSERT INTO messages VALUES (20, 'o')`,
				`CREATE TABLE scopes (id INTEGER, owner_id TEXT, newest INTEGER)`, `INSERT INTO scopes VALUES (1, 'o', 20)`,
				`CREATE TABLE pieces (id INTEGER, scope_id INTEGER, kind TEXT, state TEXT, first_id INTEGER, last_id INTEGER, blocks INTEGER)`,
				`INSERT INTO pieces VALUES (1, 1, 'messages', 'live', 1, 10, 1), (2, 1, 'messages', 'live', 11, 20, 2), (3, 1, 'facts', 'live', 1, 20, 0)`,
				`CREATE TABLE piece_blocks (id INTEGER, data BLOB)`,
				`INSERT INTO piece_blocks VALUES (1 << 16, x'00'), (2 << 16, x'00'), ((2 << 16) + 1, x'00')`,
				harm,
			} {
				if _, err := db.ExecContext(t.Context(), line); err != nil {
					t.Fatal(err)
				}
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			var got tally
			if _, err := checkPieces(t.Context(), path, &got); err != nil {
				t.Fatal(err)
			}
			if misses := strings.Join(got.misses, "; "); misses != want {
				t.Errorf("got %q, want %q", misses, want)
			}
		})
	}
}
