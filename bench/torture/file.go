package main

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"time"

	_ "modernc.org/sqlite" // to count in the file itself
)

// stored is a message in the file.
type stored struct {
	root, role, text, finish string
	seq                      int64
}

// openFile opens a database as any program would. For reading only, it may be in use.
func openFile(path string, readOnly bool) (*sql.DB, error) {
	u := url.URL{Scheme: "file", Path: path}
	if readOnly {
		u.RawQuery = "mode=ro"
	}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// messagesOf are all stored messages, lineage by lineage.
func messagesOf(ctx context.Context, db *sql.DB) ([]stored, error) {
	rows, err := db.QueryContext(ctx, `SELECT root_id, seq, role, content, coalesce(finish_reason, '') FROM messages ORDER BY root_id, seq`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []stored
	for rows.Next() {
		var m stored
		if err := rows.Scan(&m.root, &m.seq, &m.role, &m.text, &m.finish); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, rows.Err()
}

// checkFile adds what is wrong with a file that no process uses, and returns its messages.
func checkFile(ctx context.Context, path string, t *tally) ([]stored, error) {
	db, err := openFile(path, false)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	var answer string
	if err := db.QueryRowContext(ctx, `PRAGMA integrity_check`).Scan(&answer); err != nil || answer != "ok" {
		t.miss("integrity check: %s %v", answer, err)
	}
	for what, query := range map[string]string{
		"lineages with a gap": `SELECT count(*) FROM (SELECT 1 FROM messages GROUP BY owner_id, root_id HAVING min(seq) <> 0 OR max(seq) <> count(*) - 1)`,
		"lineages whose tip counts otherwise": `SELECT count(*) FROM sessions s WHERE is_tip = 1 AND next_seq <>
			(SELECT count(*) FROM messages m WHERE m.owner_id = s.owner_id AND m.root_id = s.root_id)`,
		"messages without a session": `SELECT count(*) FROM messages m WHERE NOT EXISTS
			(SELECT 1 FROM sessions s WHERE s.owner_id = m.owner_id AND s.id = m.session_id AND s.root_id = m.root_id)`,
	} {
		var n int
		if err := db.QueryRowContext(ctx, query).Scan(&n); err != nil {
			return nil, err
		}
		if n > 0 {
			t.miss("%d %s", n, what)
		}
	}
	if _, err := db.ExecContext(ctx, `INSERT INTO messages_fts(messages_fts, rank) VALUES ('integrity-check', 1)`); err != nil {
		t.miss("text index: %v", err)
	}
	return messagesOf(ctx, db)
}

// settle starts a server on its file once more, lets it finish what a crash has
// left, and stops it.
func (s *subject) settle(ctx context.Context, t *tally) error {
	if err := s.start(ctx); err != nil {
		return err
	}
	for end := time.Now().Add(2 * time.Minute); ; pause(ctx, 20*time.Millisecond) {
		all, err := indexed(ctx, s.file())
		if err != nil {
			s.kill()
			return err
		}
		if all {
			break
		}
		if time.Now().After(end) {
			t.miss("the text index did not catch up")
			break
		}
	}
	if code := s.stop(); code != 0 {
		t.miss("a stop ended with %d: %s", code, s.log.String())
	}
	return nil
}

// indexed reports whether the text index has all messages.
func indexed(ctx context.Context, path string) (bool, error) {
	db, err := openFile(path, true)
	if err != nil {
		return false, err
	}
	defer func() { _ = db.Close() }()
	var all bool
	err = db.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM messages_fts_docsize) = (SELECT count(*) FROM messages)`).Scan(&all)
	if err != nil {
		return false, fmt.Errorf("look at the index: %w", err)
	}
	return all, nil
}
