package cli_test

import (
	"database/sql"
	"net/url"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite" // the driver
)

// row is a stored message, as any SQLite program sees it.
type row struct {
	root, role, text, finish string
	seq                      int64
}

// database opens a home's file with the driver alone.
func database(t *testing.T, home string) *sql.DB {
	t.Helper()
	u := url.URL{Scheme: "file", Path: filepath.Join(home, "state.db")}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close database: %v", err)
		}
	})
	return db
}

// rows are all stored messages, lineage by lineage.
func rows(t *testing.T, db *sql.DB) []row {
	t.Helper()
	found, err := db.QueryContext(t.Context(), `SELECT root_id, seq, role, content, coalesce(finish_reason, '') FROM messages ORDER BY root_id, seq`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = found.Close() }()
	var out []row
	for found.Next() {
		var r row
		if err := found.Scan(&r.root, &r.seq, &r.role, &r.text, &r.finish); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// ask runs a query that gives one value.
func ask[T any](t *testing.T, db *sql.DB, query string, args ...any) T {
	t.Helper()
	var v T
	if err := db.QueryRowContext(t.Context(), query, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

// checkFile runs the checks that hold for every file of ours.
func checkFile(t *testing.T, db *sql.DB) {
	t.Helper()
	if got := ask[string](t, db, `PRAGMA integrity_check`); got != "ok" {
		t.Errorf("integrity check: got %q", got)
	}
	for name, query := range map[string]string{
		"messages whose session is not there": `SELECT count(*) FROM messages m WHERE NOT EXISTS
			(SELECT 1 FROM sessions s WHERE s.owner_id = m.owner_id AND s.id = m.session_id AND s.root_id = m.root_id)`,
		"lineages with a gap in their places": `SELECT count(*) FROM
			(SELECT 1 FROM messages GROUP BY owner_id, root_id HAVING min(seq) <> 0 OR max(seq) <> count(*) - 1)`,
		"lineages whose tip counts otherwise": `SELECT count(*) FROM sessions s WHERE is_tip = 1 AND next_seq <>
			(SELECT count(*) FROM messages m WHERE m.owner_id = s.owner_id AND m.root_id = s.root_id)`,
		"sessions that count otherwise": `SELECT count(*) FROM sessions s WHERE message_count <>
			(SELECT count(*) FROM messages m WHERE m.owner_id = s.owner_id AND m.session_id = s.id)`,
		"lineages without exactly one tip": `SELECT count(*) FROM
			(SELECT 1 FROM sessions GROUP BY owner_id, root_id HAVING sum(is_tip) <> 1)`,
		"facts that quote nothing": `SELECT count(*) FROM facts f WHERE NOT EXISTS
			(SELECT 1 FROM messages m WHERE m.id = f.number >> 10 AND instr(m.content, f.quote) > 0)`,
		"answers without a receipt": `SELECT count(*) FROM messages m WHERE role = 'assistant' AND receipt_id IS NULL AND NOT EXISTS
			(SELECT 1 FROM messages r WHERE r.root_id = m.root_id AND r.seq = m.seq + 1 AND r.role = 'tool' AND r.finish_reason IS NOT NULL)`,
	} {
		if got := ask[int](t, db, query); got != 0 {
			t.Errorf("%s: got %d, want none", name, got)
		}
	}
}

// checkIndex compares the text index with the messages.
func checkIndex(t *testing.T, db *sql.DB) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), `INSERT INTO messages_fts(messages_fts, rank) VALUES ('integrity-check', 1)`); err != nil {
		t.Errorf("text index: %v", err)
	}
}
