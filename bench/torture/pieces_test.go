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
		"there are no pieces":          `DELETE FROM pieces; DELETE FROM piece_blocks`,
		"1 pieces that are not live":   `UPDATE pieces SET state = 'dead' WHERE id = 2`,
		"1 blocks without a piece":     `INSERT INTO piece_blocks VALUES (9 << 16, x'00')`,
		"1 pieces without a scope":     `UPDATE pieces SET scope_id = 8 WHERE id = 2`,
		"1 scopes without a message":   `INSERT INTO scopes VALUES (2, 'o', '', 'gone'), (3, 'o', 'key', '')`,
		"1 pieces that lack blocks":    `DELETE FROM piece_blocks WHERE id = (2 << 16)`,
		"1 pieces that cover the same": `UPDATE pieces SET first_id = 10 WHERE id = 2`,
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			path := pieceFile(t)
			runOn(t, path, harm)
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

// TestRot sees one bit of one block changed, and the block mended by its old bytes or by other pieces.
func TestRot(t *testing.T) {
	t.Parallel()
	for how, mend := range map[string]string{
		"as it was":    `UPDATE piece_blocks SET data = x'00'`,
		"another made": `DELETE FROM piece_blocks; DELETE FROM pieces WHERE id < 3`,
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			path := pieceFile(t)
			hurt, err := rot(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if mended, err := hurt.mended(t.Context(), path); mended || err != nil {
				t.Errorf("damaged: got %t, %v", mended, err)
			}
			runOn(t, path, mend)
			if mended, err := hurt.mended(t.Context(), path); !mended || err != nil {
				t.Errorf("mended: got %t, %v", mended, err)
			}
		})
	}
}

// pieceFile makes a file with two pieces of messages and one of facts.
func pieceFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	runOn(t, path,
		`CREATE TABLE messages (owner_id TEXT, session_key TEXT, root_id TEXT)`, `INSERT INTO messages VALUES ('o', NULL, 'r'), ('o', 'key', 'r')`,
		`CREATE TABLE scopes (id INTEGER, owner_id TEXT, session_key TEXT, root_id TEXT)`, `INSERT INTO scopes VALUES (1, 'o', '', 'r')`,
		`CREATE TABLE pieces (id INTEGER, scope_id INTEGER, kind TEXT, state TEXT, first_id INTEGER, last_id INTEGER, blocks INTEGER)`,
		`INSERT INTO pieces VALUES (1, 1, 'messages', 'live', 1, 10, 1), (2, 1, 'messages', 'live', 11, 20, 2), (3, 1, 'facts', 'live', 1, 20, 0)`,
		`CREATE TABLE piece_blocks (id INTEGER, data BLOB)`,
		`INSERT INTO piece_blocks VALUES (1 << 16, x'00'), (2 << 16, x'00'), ((2 << 16) + 1, x'00')`)
	return path
}

func runOn(t *testing.T, path string, lines ...string) {
	t.Helper()
	db, err := openFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, line := range lines {
		if _, err := db.ExecContext(t.Context(), line); err != nil {
			t.Fatal(err)
		}
	}
}
