package postgres

import (
	"context"
	"fmt"
	"maps"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/storage"
)

// tablesSize is the size of the tables with their indexes.
const tablesSize = `(SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace)`

// Stats implements session.Catalog. The size is that of the tables of all owners.
func (db *DB) Stats(ctx context.Context, o owner.Owner) (session.Stats, error) {
	const bySource = `SELECT source, count(*) FROM sessions WHERE owner_id = ? AND is_tip GROUP BY source ORDER BY count(*) DESC, source`
	const counted = `SELECT count(*), count(undone_at), ` + tablesSize + ` FROM messages WHERE owner_id = ?`
	var out session.Stats
	var err error
	out.Sources, err = rowsOf(ctx, db, func(rows *rows) (c session.SourceCount, err error) {
		err = rows.Scan(&c.Source, &c.Sessions)
		out.Sessions += c.Sessions
		return c, err
	}, bySource, o.ID())
	if err != nil {
		return session.Stats{}, fmt.Errorf("count sessions: %w", err)
	}
	if err := db.row(ctx, counted, o.ID()).Scan(&out.Messages, &out.Undone, &out.Bytes); err != nil {
		return out, fmt.Errorf("count messages: %w", err)
	}
	return out, nil
}

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
	list, err := rowsOf(ctx, db, func(rows *rows) (root session.ID, err error) { return root, rows.Scan(&root) },
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
	_, err := rowsOf(ctx, db, func(rows *rows) (root session.ID, err error) {
		var v V
		if err = rows.Scan(&root, &v); err == nil {
			out[root] = v
		}
		return root, err
	}, `SELECT t.root_id, `+value+` FROM sessions t WHERE t.owner_id = ? AND t.is_tip AND t.root_id = ANY(?)`, o.ID(), textsOf(roots))
	return out, err
}

// textsOf are texts of a named type as an argument.
func textsOf[S ~string](values []S) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

// atMost is the argument of LIMIT: a limit, or null for none.
func atMost(limit int) any {
	if limit <= 0 {
		return nil
	}
	return limit
}

const titleTaken = `SELECT EXISTS (SELECT 1 FROM sessions WHERE owner_id = ? AND title = ? AND id <> ?)`

// FreeTitle implements session.Catalog.
func (db *DB) FreeTitle(ctx context.Context, o owner.Owner, title string) (string, error) {
	return session.NextTitle(title, func(title string) (bool, error) {
		var taken bool
		if err := db.row(ctx, titleTaken, o.ID(), title, "").Scan(&taken); err != nil {
			return false, fmt.Errorf("look for title: %w", err)
		}
		return taken, nil
	})
}

// freeTitle is FreeTitle within the caller's transaction.
func (t *tx) freeTitle(o owner.Owner, title string) (string, error) {
	return session.NextTitle(title, func(title string) (bool, error) { return t.titleTaken(o, title, "") })
}

// titleTaken reports whether another session has a title.
func (t *tx) titleTaken(o owner.Owner, title string, other session.ID) (bool, error) {
	var taken bool
	if err := t.row(titleTaken, o.ID(), title, string(other)).Scan(&taken); err != nil {
		return false, fmt.Errorf("look for title: %w", err)
	}
	return taken, nil
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
	return nil
}
