package sqlite

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
)

// The forms of an erasure's hash.
const (
	bareErasure   = 0 // without a key, as in earlier versions; converted at start
	plainErasure  = 1 // of words in lower case
	foldedErasure = 2
)

// erasureKey is the name of the key for the hashes. Without the key, guesses cannot be
// tested against a copy of the tables.
const erasureKey = "erasure_key"

// drawStoreKey stores a value of the whole store, random bytes as hexadecimal digits, unless there is one.
func drawStoreKey(ctx context.Context, conn *sql.Conn, name string, size int) error {
	b := make([]byte, size)
	_, _ = rand.Read(b) // never fails since Go 1.24
	if _, err := conn.ExecContext(ctx, `INSERT OR IGNORE INTO meta (name, value) VALUES (?, ?)`, name, hex.EncodeToString(b)); err != nil {
		return fmt.Errorf("store %s: %w", name, err)
	}
	return nil
}

// keyErasures creates the key of a new file, keys the hashes of an earlier version, and
// returns the key.
func keyErasures(ctx context.Context, conn *sql.Conn) ([]byte, error) {
	if err := drawStoreKey(ctx, conn, erasureKey, 32); err != nil {
		return nil, err
	}
	key, err := readErasureKey(ctx, conn)
	if err != nil {
		return nil, err
	}
	bare, err := bareErasures(ctx, conn)
	if err != nil {
		return nil, err
	}
	for _, e := range bare {
		keyed := memory.Keyed(key, [sha256.Size]byte(e.hash))
		if _, err := conn.ExecContext(ctx, `UPDATE erasures SET hash = ?, form = ? WHERE owner_id = ? AND hash = ? AND form = ?`,
			keyed[:], plainErasure, e.owner, e.hash, bareErasure); err != nil {
			return nil, fmt.Errorf("put an erasure under the key: %w", err)
		}
	}
	if len(bare) > 0 { // the WAL must not keep the unkeyed hashes
		if _, err := conn.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
			return nil, fmt.Errorf("empty the log: %w", err)
		}
	}
	return key, nil
}

// querier runs queries.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func readErasureKey(ctx context.Context, in querier) ([]byte, error) {
	var text string
	if err := in.QueryRowContext(ctx, `SELECT value FROM meta WHERE name = ?`, erasureKey).Scan(&text); err != nil {
		return nil, fmt.Errorf("read the key of erasures: %w", err)
	}
	key, err := hex.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("read the key of erasures: %w", err)
	}
	return key, nil
}

type bareRow struct {
	owner string
	hash  []byte
}

func bareErasures(ctx context.Context, conn *sql.Conn) ([]bareRow, error) {
	rows, err := conn.QueryContext(ctx, `SELECT owner_id, hash FROM erasures WHERE form = ? AND length(hash) = ?`, bareErasure, sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("list erasures: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []bareRow
	for rows.Next() {
		var r bareRow
		if err := rows.Scan(&r.owner, &r.hash); err != nil {
			return nil, fmt.Errorf("list erasures: %w", err)
		}
		out = append(out, r)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list erasures: %w", err)
	}
	return out, nil
}

// keepErasure stores the hash of a forgotten thing under the key.
func (t *tx) keepErasure(o owner.Owner, e *memory.Erasure) error {
	if e == nil {
		return nil
	}
	key, err := readErasureKey(t.ctx, t.w.conn)
	if err != nil {
		return err
	}
	hash, form := memory.Keyed(key, e.Hash), foldedErasure
	if e.Plain {
		form = plainErasure
	}
	if _, err := t.exec(`INSERT OR REPLACE INTO erasures (owner_id, hash, words, erased_at, form) VALUES (?,?,?,?,?)`,
		o.ID(), hash[:], e.Words, millis(e.At), form); err != nil {
		return fmt.Errorf("keep erasure: %w", err)
	}
	return nil
}

// HashKey is the key of the hashes of what was forgotten.
func (db *DB) HashKey() []byte { return db.hashKey }

// Erasures implements memory.Store.
func (db *DB) Erasures(ctx context.Context, o owner.Owner) ([]memory.Erasure, error) {
	key, err := readErasureKey(ctx, db.read)
	if err != nil {
		return nil, err
	}
	return rowsOf(ctx, db, func(rows *sql.Rows) (memory.Erasure, error) {
		e := memory.Erasure{Key: key}
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
}
