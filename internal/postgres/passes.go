package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

const passColumns = `id, code, hash, via, stay, created_at, used_at, expires_at`

func scanPass(row scanner) (owner.Pass, error) {
	var p owner.Pass
	var created, used, expires int64
	err := row.Scan(&p.ID, &p.Code, &p.Hash, &p.Via, &p.Stay, &created, &used, &expires)
	if isNoRows(err) {
		return p, noPass()
	}
	if err != nil {
		return p, fmt.Errorf("read page token: %w", err)
	}
	p.CreatedAt, p.UsedAt, p.ExpiresAt = bound.FromMillis(created), bound.FromMillis(used), bound.FromMillis(expires)
	return p, nil
}

func noPass() error {
	return fault.New(fault.NotFound, "page_token_not_found", "No page token with this id.")
}

// InsertPass implements owner.PassStore.
func (db *DB) InsertPass(ctx context.Context, p owner.Pass) error {
	audit.From(ctx).Names(p.ID)
	return db.w.submit(ctx, owner.Owner{}, func(t *tx) error {
		if _, err := t.exec(`DELETE FROM passes WHERE expires_at <= ?`, millis(p.CreatedAt)); err != nil {
			return fmt.Errorf("delete expired page tokens: %w", err)
		}
		_, err := t.exec(`INSERT INTO passes (`+passColumns+`) VALUES (?,?,?,?,?,?,?,?)`,
			p.ID, p.Code, p.Hash, p.Via, p.Stay, millis(p.CreatedAt), millis(p.UsedAt), millis(p.ExpiresAt))
		if err != nil {
			return fmt.Errorf("insert page token: %w", err)
		}
		return nil
	})
}

// PassByID implements owner.PassStore.
func (db *DB) PassByID(ctx context.Context, id string) (owner.Pass, error) {
	return scanPass(db.row(ctx, `SELECT `+passColumns+` FROM passes WHERE id = ?`, id))
}

// PassesVia implements owner.PassStore.
func (db *DB) PassesVia(ctx context.Context, via string) ([]owner.Pass, error) {
	return rowsOf(ctx, db, func(rows *rows) (owner.Pass, error) { return scanPass(rows) },
		`SELECT `+passColumns+` FROM passes WHERE via = ? ORDER BY created_at DESC, id`, via)
}

// UsePass implements owner.PassStore.
func (db *DB) UsePass(ctx context.Context, id string, at time.Time) error {
	return db.w.submit(ctx, owner.Owner{}, func(t *tx) error {
		if _, err := t.exec(`UPDATE passes SET used_at = ? WHERE id = ?`, millis(at), id); err != nil {
			return fmt.Errorf("use page token: %w", err)
		}
		return nil
	})
}

// DeletePass implements owner.PassStore.
func (db *DB) DeletePass(ctx context.Context, id string) error {
	return db.w.submit(ctx, owner.Owner{}, func(t *tx) error {
		var deleted string
		err := t.row(`DELETE FROM passes WHERE id = ? RETURNING id`, id).Scan(&deleted)
		if isNoRows(err) {
			return noPass()
		}
		if err != nil {
			return fmt.Errorf("delete page token: %w", err)
		}
		t.announce(aboutKey + owner.TokenName(id))
		audit.From(ctx).Names(id)
		return nil
	})
}
