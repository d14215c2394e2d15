package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

const keyColumns = `id, owner_id, name, hash, scopes, requests_per_minute, concurrent_turns, created_at, revoked_at, session_key`

func scanKey(row interface{ Scan(...any) error }) (owner.Key, error) {
	var k owner.Key
	var scopes string
	var created int64
	var revoked sql.NullInt64
	var memory sql.NullString
	err := row.Scan(&k.ID, &k.OwnerID, &k.Name, &k.Hash, &scopes, &k.Limits.RequestsPerMinute, &k.Limits.ConcurrentTurns,
		&created, &revoked, &memory)
	if isNoRows(err) {
		return k, fault.New(fault.NotFound, "key_not_found", "No key with this id.")
	}
	if err != nil {
		return k, fmt.Errorf("read key: %w", err)
	}
	for s := range strings.FieldsSeq(scopes) {
		k.Scopes = append(k.Scopes, owner.Scope(s))
	}
	k.CreatedAt, k.RevokedAt, k.Memory = bound.FromMillis(created), fromMillis(revoked), memory.String
	return k, nil
}

// InsertKey implements owner.KeyStore.
func (db *DB) InsertKey(ctx context.Context, k owner.Key) error {
	scopes := make([]string, len(k.Scopes))
	for i, s := range k.Scopes {
		scopes[i] = string(s)
	}
	audit.From(ctx).Names(k.ID)
	return db.w.submit(ctx, func(t *tx) error {
		if err := t.refuseOwner(&k); err != nil {
			return err
		}
		_, err := t.exec(`INSERT INTO api_keys (id, owner_id, name, hash, scopes, requests_per_minute, concurrent_turns, created_at, session_key)
			VALUES (?,?,?,?,?,?,?,?,?)`,
			k.ID, k.OwnerID, k.Name, k.Hash, strings.Join(scopes, " "), k.Limits.RequestsPerMinute, k.Limits.ConcurrentTurns, millis(k.CreatedAt),
			null(k.Memory))
		if err != nil {
			return fmt.Errorf("insert key: %w", err)
		}
		return nil
	})
}

// refuseOwner fails if a sole key is not the only one of its owner.
func (t *tx) refuseOwner(k *owner.Key) error {
	if !k.Sole {
		return nil
	}
	var there bool
	if err := t.row(`SELECT EXISTS (SELECT 1 FROM api_keys WHERE owner_id = ?)`, k.OwnerID).Scan(&there); err != nil {
		return fmt.Errorf("look for keys: %w", err)
	}
	if there {
		return owner.ErrExists(k.OwnerID)
	}
	return nil
}

// KeyByID implements owner.KeyStore.
func (db *DB) KeyByID(ctx context.Context, id string) (owner.Key, error) {
	st, err := db.read.stmt(ctx, `SELECT `+keyColumns+` FROM api_keys WHERE id = ?`)
	if err != nil {
		return owner.Key{}, err
	}
	return scanKey(st.QueryRowContext(ctx, id))
}

// Keys implements owner.KeyStore.
func (db *DB) Keys(ctx context.Context) ([]owner.Key, error) {
	st, err := db.read.stmt(ctx, `SELECT `+keyColumns+` FROM api_keys ORDER BY created_at, id`)
	if err != nil {
		return nil, err
	}
	rows, err := st.QueryContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []owner.Key
	for rows.Next() {
		k, err := scanKey(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	return out, nil
}

// RevokeKey implements owner.KeyStore.
func (db *DB) RevokeKey(ctx context.Context, id string, at time.Time) (owner.Key, error) {
	return db.changeKey(ctx, id, `UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?`, millis(at), id)
}

// LimitKey implements owner.KeyStore.
func (db *DB) LimitKey(ctx context.Context, id string, l owner.KeyLimits) (owner.Key, error) {
	return db.changeKey(ctx, id, `UPDATE api_keys SET requests_per_minute = ?, concurrent_turns = ? WHERE id = ?`,
		l.RequestsPerMinute, l.ConcurrentTurns, id)
}

// changeKey changes a key and returns it.
func (db *DB) changeKey(ctx context.Context, id, query string, args ...any) (owner.Key, error) {
	var out owner.Key
	err := db.w.submit(ctx, func(t *tx) error {
		if _, err := t.exec(query, args...); err != nil {
			return fmt.Errorf("change key: %w", err)
		}
		var err error
		out, err = scanKey(t.row(`SELECT `+keyColumns+` FROM api_keys WHERE id = ?`, id))
		if err == nil {
			audit.From(ctx).Names(out.ID)
		}
		return err
	})
	return out, err
}
