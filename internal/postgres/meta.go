package postgres

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
)

// The names of the store's keys. Without the keys, guesses cannot be tested against a copy
// of the tables.
const (
	erasureKey = "erasure_key" // of the hashes of contents
	auditKey   = "audit_salt"  // of the hashes of ids in the audit
)

// readKeys reads the store's keys. The first process makes them.
func (db *DB) readKeys(ctx context.Context) error {
	erasures, err := db.storeKey(ctx, erasureKey, 32)
	if err != nil {
		return err
	}
	if db.hashKey, err = hex.DecodeString(erasures); err != nil {
		return fmt.Errorf("read the key of erasures: %w", err)
	}
	if db.auditSalt, err = db.storeKey(ctx, auditKey, 16); err != nil {
		return err
	}
	return db.drawProviderHome(ctx)
}

// storeKey is a key as hexadecimal digits. It is drawn if there is none.
func (db *DB) storeKey(ctx context.Context, name string, size int) (key string, err error) {
	drawn := make([]byte, size)
	_, _ = rand.Read(drawn) // never fails since Go 1.24
	if _, err := db.pool.Exec(ctx, `INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING`, name, hex.EncodeToString(drawn)); err != nil {
		return "", fmt.Errorf("store the key %s: %w", name, judge(err))
	}
	if err := db.row(ctx, `SELECT value FROM meta WHERE name = ?`, name).Scan(&key); err != nil {
		return "", fmt.Errorf("read the key %s: %w", name, err)
	}
	return key, nil
}
