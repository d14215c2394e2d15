package postgres

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/owner"
)

// reindexBatch is how many messages of an owner one transaction indexes.
const reindexBatch = 256

// Reindex implements search.Store. The messages of an owner are indexed in steps between
// which the owner's turns can write.
func (db *DB) Reindex(ctx context.Context) error {
	owners, err := rowsOf(ctx, db, func(rows *rows) (id string, err error) {
		err = rows.Scan(&id)
		return id, err
	}, `SELECT DISTINCT owner_id FROM messages`)
	if err != nil {
		return fmt.Errorf("list owners: %w", err)
	}
	for _, id := range owners {
		if err := db.reindexOwner(ctx, owner.Stored(id)); err != nil {
			return fmt.Errorf("index messages: %w", err)
		}
	}
	return nil
}

func (db *DB) reindexOwner(ctx context.Context, o owner.Owner) error {
	for after, more := int64(0), true; more; {
		err := db.w.submit(ctx, o, func(t *tx) error {
			last, n, err := t.reindex(o, after)
			if err != nil {
				return err
			}
			after, more = last, n == reindexBatch
			return t.flush()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// reindex indexes the messages behind one, and returns the last of them and their number.
func (t *tx) reindex(o owner.Owner, after int64) (last int64, n int, err error) {
	const next = `SELECT id, content FROM messages WHERE owner_id = ? AND id > ? ORDER BY id LIMIT ?`
	var terms [][]string
	var ids []int64
	err = t.rows(func(rows *rows) error {
		var text string
		if err := rows.Scan(&last, &text); err != nil {
			return err
		}
		of, err := t.w.db.termsOf(t.ctx, o, text)
		ids, terms = append(ids, last), append(terms, of)
		return err
	}, next, o.ID(), after, reindexBatch)
	for i, id := range ids {
		t.send("index a message", `UPDATE messages SET terms = array_to_tsvector(?::text[]) WHERE owner_id = ? AND id = ?`, terms[i], o.ID(), id)
	}
	return last, len(ids), err
}
