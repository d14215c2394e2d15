package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// selectMemories reads the rows of a page first, so that facts are counted for them alone.
const selectMemories = `SELECT s.session_key, s.root_id, coalesce(s.title, ''), s.newest,
	(SELECT count(*) FROM facts f WHERE f.owner_id = ?1 AND f.scope_id = s.id),
	CASE s.session_key WHEN '' THEN 1 ELSE
		(SELECT count(*) FROM sessions k WHERE k.owner_id = ?1 AND k.is_tip AND k.session_key = s.session_key) END,
	(SELECT m.said_at FROM messages m WHERE m.id = s.newest AND m.owner_id = ?1)
	FROM (SELECT c.id, c.session_key, c.root_id, c.newest, t.title FROM scopes c
		LEFT JOIN sessions t ON c.root_id <> '' AND t.owner_id = c.owner_id AND t.root_id = c.root_id AND t.is_tip
		WHERE c.owner_id = ?1 AND c.newest < ?2::bigint
			AND (?3::text = '' OR strpos(lower(c.session_key || ' ' || c.root_id || ' ' || coalesce(t.title, '')), lower(?3 COLLATE "C")) > 0)
		ORDER BY c.newest DESC LIMIT ?4::bigint) s ORDER BY s.newest DESC`

// Memories implements session.Catalog.
func (db *DB) Memories(ctx context.Context, o owner.Owner, f session.MemoryFilter) ([]session.MemoryRow, error) {
	before := f.Before
	if before == 0 {
		before = math.MaxInt64
	}
	list, err := rowsOf(ctx, db, func(rows *rows) (session.MemoryRow, error) {
		var r session.MemoryRow
		var said sql.NullInt64
		err := rows.Scan(&r.Key, &r.Root, &r.Title, &r.Newest, &r.Facts, &r.Sessions, &said)
		r.SaidAt = fromMillis(said)
		return r, err
	}, selectMemories, o.ID(), before, f.Query, f.Limit)
	if err != nil {
		return nil, fmt.Errorf("list scopes: %w", err)
	}
	return list, nil
}
