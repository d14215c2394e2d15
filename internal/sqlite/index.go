package sqlite

import (
	"database/sql"
	"fmt"
	"slices"

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

// The marks of the index. Every stored message up to fts_whole is indexed: a start
// looks for what is missing above it. fts_upto is the newest number that was ever
// indexed, and is not given out again.
const (
	markWhole = `INSERT INTO meta (name, value) VALUES ('fts_whole', ?1) ON CONFLICT (name) DO UPDATE SET value = ?1`
	markUpto  = `INSERT INTO meta (name, value) VALUES ('fts_upto', ?)
		ON CONFLICT (name) DO UPDATE SET value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))`
)

// markIndexed says that messages up to newest were indexed, but for those from
// oldest on that wait; 0 is none.
func (t *tx) markIndexed(newest, oldest int64) error {
	if _, err := t.exec(markUpto, newest); err != nil {
		return fmt.Errorf("mark index: %w", err)
	}
	if oldest > 0 {
		newest = min(newest, oldest-1)
	}
	return t.setWhole(max(newest, t.whole))
}

// lowerMark keeps the mark below what this transaction has stored: numbers are
// given out before that, and some come back out of an archive.
func (t *tx) lowerMark() error {
	if len(t.stored) == 0 {
		return nil
	}
	return t.setWhole(min(t.whole, slices.Min(t.stored)-1))
}

func (t *tx) setWhole(whole int64) error {
	if whole == t.whole {
		return nil
	}
	if _, err := t.exec(markWhole, whole); err != nil {
		return fmt.Errorf("mark index: %w", err)
	}
	t.whole = whole
	return nil
}

// emptyIndex empties the index and its marks, so that recovery finds everything
// missing.
func (t *tx) emptyIndex() error {
	t.w.index.forget()
	for _, query := range []string{
		`INSERT INTO messages_fts(messages_fts) VALUES ('delete-all')`,
		`DELETE FROM meta WHERE name IN ('fts_upto', 'fts_whole')`,
	} {
		if _, err := t.exec(query); err != nil {
			return fmt.Errorf("empty the index: %w", err)
		}
	}
	t.whole = 0
	return nil
}
