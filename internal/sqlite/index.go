package sqlite

import (
	"database/sql"
	"fmt"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/session"
)

// index puts a message into the text index. One that has been erased is passed
// over, and so is one that is there already.
func (t *tx) index(id int64) error {
	const missing = `SELECT content, scope FROM messages_text
		WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM messages_fts_docsize WHERE id = ?1)`
	const insert = `INSERT INTO messages_fts(rowid, content, scope) VALUES (?,?,?)`
	return t.eachIndexed(missing, insert, "index message", id)
}

// unindex takes a message out of the text index. The index must be given the
// text it was given before, and holds only what has been indexed: the rest must
// not be taken out of it.
func (t *tx) unindex(id int64) error {
	const present = `SELECT content, scope FROM messages_text
		WHERE id = ?1 AND EXISTS (SELECT 1 FROM messages_fts_docsize WHERE id = ?1)`
	const remove = `INSERT INTO messages_fts(messages_fts, rowid, content, scope) VALUES ('delete',?,?,?)`
	return t.eachIndexed(present, remove, "take message out of the index", id)
}

// eachIndexed hands the text that selectText finds for a message to change.
func (t *tx) eachIndexed(selectText, change, what string, id int64) error {
	var content, scope string
	err := t.row(selectText, id).Scan(&content, &scope)
	if isNoRows(err) {
		return nil
	}
	if err == nil {
		_, err = t.exec(change, id, search.IndexText(content), scope)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// unindexLineage takes a lineage's messages out of the index.
func (t *tx) unindexLineage(o owner.Owner, root session.ID) error {
	var from, to sql.NullInt64
	err := t.row(`SELECT min(seq), max(seq) FROM messages WHERE owner_id = ? AND root_id = ?`, o.ID(), string(root)).Scan(&from, &to)
	if err != nil {
		return fmt.Errorf("look for messages: %w", err)
	}
	for seq := from.Int64; from.Valid && seq <= to.Int64; seq++ {
		var id int64
		err := t.row(`SELECT id FROM messages WHERE owner_id = ? AND root_id = ? AND seq = ?`, o.ID(), string(root), seq).Scan(&id)
		if isNoRows(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("look for message: %w", err)
		}
		if err := t.unindex(id); err != nil {
			return err
		}
	}
	return nil
}
