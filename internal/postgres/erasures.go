package postgres

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
)

// The forms of an erasure's hash.
const (
	plainErasure  = 1 // of words in lower case
	foldedErasure = 2
)

// keepErasure stores the hash of a forgotten thing under the store's key.
func (t *tx) keepErasure(o owner.Owner, e *memory.Erasure) {
	if e == nil {
		return
	}
	hash, form := memory.Keyed(t.w.db.hashKey, e.Hash), foldedErasure
	if e.Plain {
		form = plainErasure
	}
	t.send("keep an erasure", `INSERT INTO erasures (owner_id, hash, words, erased_at, form) VALUES (?,?,?,?,?)
		ON CONFLICT (owner_id, hash) DO UPDATE SET words = excluded.words, erased_at = excluded.erased_at, form = excluded.form`,
		o.ID(), hash[:], e.Words, millis(e.At), form)
}

// HashKey is the key of the hashes of what was forgotten.
func (db *DB) HashKey() []byte { return db.hashKey }

// Erasures implements memory.Store.
func (db *DB) Erasures(ctx context.Context, o owner.Owner) ([]memory.Erasure, error) {
	list, err := rowsOf(ctx, db, func(rows *rows) (memory.Erasure, error) {
		e := memory.Erasure{Key: db.hashKey}
		var hash []byte
		var at int64
		var form int
		if err := rows.Scan(&hash, &e.Words, &at, &form); err != nil {
			return e, err
		}
		copy(e.Hash[:], hash)
		e.Plain, e.At = form == plainErasure, bound.FromMillis(at)
		return e, nil
	}, `SELECT hash, words, erased_at, form FROM erasures WHERE owner_id = ? ORDER BY erased_at`, o.ID())
	if err != nil {
		return nil, fmt.Errorf("read erasures: %w", err)
	}
	return list, nil
}
