package postgres

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// importColumns are the columns of an import.
const importColumns = `system, foreign_id, coalesce(root_id, ''), next_seq, marks, texts, changed_at`

// Origin implements curate.Store.
func (db *DB) Origin(ctx context.Context, o owner.Owner, system, id string) (lineage.Origin, error) {
	return db.oneOrigin(ctx, `SELECT `+importColumns+` FROM imports WHERE owner_id = ? AND system = ? AND foreign_id = ?`, o.ID(), system, id)
}

// OriginOf implements curate.Store.
func (db *DB) OriginOf(ctx context.Context, o owner.Owner, root session.ID) (lineage.Origin, error) {
	const query = `SELECT ` + importColumns + ` FROM imports WHERE owner_id = ? AND root_id = ? ORDER BY system, foreign_id LIMIT 1`
	return db.oneOrigin(ctx, query, o.ID(), string(root))
}

// oneOrigin reads an import.
func (db *DB) oneOrigin(ctx context.Context, query string, args ...any) (lineage.Origin, error) {
	scan := func(rows *rows) (got lineage.Origin, err error) {
		var changed sql.NullInt64
		err = rows.Scan(&got.System, &got.ID, &got.Root, &got.NextSeq, &got.Marks, &got.Texts, &changed)
		got.ChangedAt = fromMillis(changed)
		return got, err
	}
	list, err := rowsOf(ctx, db, scan, query, args...)
	if err != nil {
		return lineage.Origin{}, fmt.Errorf("read an import: %w", err)
	}
	if len(list) == 0 {
		return lineage.Origin{}, fault.New(fault.NotFound, "origin_not_found", "This conversation was not imported.")
	}
	return list[0], nil
}

// noteOrigin stores how far a conversation of another program was imported.
func (t *tx) noteOrigin(o owner.Owner, g *lineage.Origin) {
	if g == nil {
		return
	}
	t.send("note an import", `INSERT INTO imports (owner_id, system, foreign_id, root_id, next_seq, marks, texts, changed_at) VALUES (?,?,?,?,?,?,?,?)
		ON CONFLICT (owner_id, system, foreign_id) DO UPDATE SET root_id = excluded.root_id, next_seq = excluded.next_seq, marks = excluded.marks,
			texts = excluded.texts, changed_at = excluded.changed_at`,
		o.ID(), g.System, g.ID, string(g.Root), g.NextSeq, append([]byte{}, g.Marks...), bytes.Clone(g.Texts), millis(g.ChangedAt))
}

// leaveOrigin notes that the lineage of an import is deleted. An import that was not
// complete leaves nothing.
func (t *tx) leaveOrigin(o owner.Owner, root session.ID) {
	t.send("drop an import", `DELETE FROM imports WHERE owner_id = ?1 AND root_id = ?2
		AND EXISTS (SELECT 1 FROM sessions WHERE owner_id = ?1 AND root_id = ?2 AND end_reason = 'incomplete')`, o.ID(), string(root))
	t.send("note a deleted import", `UPDATE imports SET root_id = NULL, marks = '', texts = NULL, changed_at = NULL
		WHERE owner_id = ?1 AND root_id = ?2`, o.ID(), string(root))
}
