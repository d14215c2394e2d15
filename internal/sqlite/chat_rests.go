package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/owner"
)

// PutRest implements gateway.Rests.
func (db *DB) PutRest(ctx context.Context, host owner.Owner, r gateway.Rest) error {
	if err := errNoOwner(host); err != nil {
		return err
	}
	return db.w.submit(ctx, func(t *tx) error {
		_, err := t.exec(`INSERT INTO chat_rests (owner_id, platform, account, chat_id, until_at) VALUES (?,?,?,?,?)
			ON CONFLICT (owner_id, platform, account, chat_id) DO UPDATE SET until_at = excluded.until_at`,
			host.ID(), string(r.Place.Platform), r.Place.Account, r.Place.Chat, millis(r.Until))
		if err != nil {
			return fmt.Errorf("store a rest: %w", err)
		}
		return nil
	})
}

func scanRest(rows *sql.Rows) (gateway.Rest, error) {
	var r gateway.Rest
	var until int64
	if err := rows.Scan(&r.Place.Platform, &r.Place.Account, &r.Place.Chat, &until); err != nil {
		return r, fmt.Errorf("read a rest: %w", err)
	}
	r.Until = bound.FromMillis(until)
	return r, nil
}

// RestsOf implements gateway.Rests.
func (db *DB) RestsOf(ctx context.Context, host owner.Owner, p gateway.Platform, account string, after time.Time) ([]gateway.Rest, error) {
	return rowsOf(ctx, db, scanRest, `SELECT platform, account, chat_id, until_at FROM chat_rests
		WHERE owner_id = ? AND platform = ? AND account = ? AND until_at > ? ORDER BY chat_id`, host.ID(), string(p), account, millis(after))
}
