package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/storage"
)

// Stats implements session.Catalog.
func (db *DB) Stats(ctx context.Context, o owner.Owner) (session.Stats, error) {
	const bySource = `SELECT source, count(*) FROM sessions WHERE owner_id = ? AND is_tip = 1 GROUP BY source ORDER BY count(*) DESC, source`
	const counted = `SELECT count(*), count(undone_at), (SELECT page_count FROM pragma_page_count()) * (SELECT page_size FROM pragma_page_size()) FROM messages WHERE owner_id = ?`
	var out session.Stats
	rows, err := db.read.QueryContext(ctx, bySource, o.ID())
	if err != nil {
		return out, fmt.Errorf("count sessions: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var c session.SourceCount
		if err := rows.Scan(&c.Source, &c.Sessions); err != nil {
			return out, fmt.Errorf("count sessions: %w", err)
		}
		out.Sources = append(out.Sources, c)
		out.Sessions += c.Sessions
	}
	if err := rows.Err(); err != nil {
		return out, fmt.Errorf("count sessions: %w", err)
	}
	if err := db.read.QueryRowContext(ctx, counted, o.ID()).Scan(&out.Messages, &out.Undone, &out.Bytes); err != nil {
		return out, fmt.Errorf("count messages: %w", err)
	}
	return out, nil
}

// rootBatch is about how many lineages one query reads.
const rootBatch = 100

// Previews implements session.Catalog.
func (db *DB) Previews(ctx context.Context, o owner.Owner, roots []session.ID) (map[session.ID]string, error) {
	out, err := ofRoots[string](ctx, db, o, roots, `coalesce(`+firstText+`, '')`)
	if err != nil {
		return nil, fmt.Errorf("read previews: %w", err)
	}
	maps.DeleteFunc(out, func(_ session.ID, text string) bool { return text == "" })
	return out, nil
}

// SpokenCounts implements session.Catalog.
func (db *DB) SpokenCounts(ctx context.Context, o owner.Owner, roots []session.ID) (map[session.ID]int, error) {
	out, err := ofRoots[int](ctx, db, o, roots, storage.SpokenCount)
	if err != nil {
		return nil, fmt.Errorf("count messages: %w", err)
	}
	return out, nil
}

// UndoneCounts implements session.Catalog.
func (db *DB) UndoneCounts(ctx context.Context, o owner.Owner, roots []session.ID) (map[session.ID]int, error) {
	out, err := ofRoots[int](ctx, db, o, roots, storage.UndoneCount)
	if err != nil {
		return nil, fmt.Errorf("count undone messages: %w", err)
	}
	return out, nil
}

// RootsOfKey implements session.Catalog.
func (db *DB) RootsOfKey(ctx context.Context, o owner.Owner, key session.Key) ([]session.ID, error) {
	list, err := rowsOf(ctx, db, func(rows *sql.Rows) (root session.ID, err error) { return root, rows.Scan(&root) },
		`SELECT DISTINCT root_id FROM messages WHERE owner_id = ? AND session_key = ? ORDER BY root_id`, o.ID(), string(key))
	if err != nil {
		return nil, fmt.Errorf("list the lineages of a key: %w", err)
	}
	return list, nil
}

// ofRoots reads a value of each of some lineages. The value is an expression over the row t of
// its tip.
func ofRoots[V any](ctx context.Context, db *DB, o owner.Owner, roots []session.ID, value string) (map[session.ID]V, error) {
	out := make(map[session.ID]V, len(roots))
	for batch := range slices.Chunk(roots, rootBatch) {
		if err := appendOfRoots(ctx, db, o, batch, value, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func appendOfRoots[V any](ctx context.Context, db *DB, o owner.Owner, roots []session.ID, value string, out map[session.ID]V) error {
	args := []any{o.ID()}
	for _, root := range roots {
		args = append(args, string(root))
	}
	query := `SELECT t.root_id, ` + value + ` FROM sessions t WHERE t.owner_id = ? AND t.is_tip = 1
		AND t.root_id IN (?` + strings.Repeat(`,?`, len(roots)-1) + `)`
	rows, err := db.read.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var root session.ID
		var v V
		if err := rows.Scan(&root, &v); err != nil {
			return err
		}
		out[root] = v
	}
	return rows.Err()
}

const titleTaken = `SELECT count(*) FROM (SELECT 1 FROM sessions WHERE owner_id = ? AND title = ? AND id <> ? LIMIT 1)`

// FreeTitle implements session.Catalog.
func (db *DB) FreeTitle(ctx context.Context, o owner.Owner, title string) (string, error) {
	return session.NextTitle(title, func(title string) (bool, error) {
		st, err := db.read.stmt(ctx, titleTaken)
		if err != nil {
			return false, err
		}
		var n int
		if err := st.QueryRowContext(ctx, o.ID(), title, "").Scan(&n); err != nil {
			return false, fmt.Errorf("look for title: %w", err)
		}
		return n > 0, nil
	})
}

// freeTitle is FreeTitle within the caller's transaction.
func (t *tx) freeTitle(o owner.Owner, title string) (string, error) {
	return session.NextTitle(title, func(title string) (bool, error) { return t.titleTaken(o, title, "") })
}

// titleTaken reports whether another session has a title.
func (t *tx) titleTaken(o owner.Owner, title string, other session.ID) (bool, error) {
	var n int
	if err := t.row(titleTaken, o.ID(), title, string(other)).Scan(&n); err != nil {
		return false, fmt.Errorf("look for title: %w", err)
	}
	return n > 0, nil
}

// refuseTitle fails if a session other than id has the title.
func (t *tx) refuseTitle(o owner.Owner, title string, id session.ID) error {
	if title == "" {
		return nil
	}
	taken, err := t.titleTaken(o, title, id)
	if err != nil || !taken {
		return err
	}
	free, err := t.freeTitle(o, title)
	if err != nil {
		return err
	}
	return fault.New(fault.Conflict, "title_taken", fmt.Sprintf("Another session has the title %q. %q is free.", title, free)).At("title")
}

// nameSession gives a session a derived title, if it has none.
func (t *tx) nameSession(o owner.Owner, id session.ID, title string) error {
	if title == "" {
		return nil
	}
	free, err := t.freeTitle(o, title)
	if err != nil {
		return err
	}
	if _, err := t.exec(`UPDATE sessions SET title = ?, title_source = 'derived' WHERE owner_id = ? AND id = ? AND title IS NULL`, free, o.ID(), string(id)); err != nil {
		return fmt.Errorf("name session: %w", err)
	}
	t.transcriptChanged(o, id, false)
	return nil
}
