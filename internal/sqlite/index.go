package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/session"
)

// index adds a message to the text index. It skips erased messages and messages that
// are indexed already.
func (t *tx) index(id int64) error {
	const missing = `SELECT content, scope FROM messages_text
		WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM messages_fts_docsize WHERE id = ?1)`
	const insert = `INSERT INTO messages_fts(rowid, content, scope) VALUES (?,?,?)`
	_, err := t.eachIndexed(missing, insert, "index message", id)
	return err
}

// unindex removes a message from the text index. FTS5 must be given the text that was
// indexed, and only for messages that are indexed.
func (t *tx) unindex(id int64) error {
	const present = `SELECT content, scope FROM messages_text
		WHERE id = ?1 AND EXISTS (SELECT 1 FROM messages_fts_docsize WHERE id = ?1)`
	const remove = `INSERT INTO messages_fts(messages_fts, rowid, content, scope) VALUES ('delete',?,?,?)`
	removed, err := t.eachIndexed(present, remove, "take message out of the index", id)
	if err != nil || !removed {
		return err
	}
	t.soils = true
	if _, err := t.exec(markDead); err != nil {
		return fmt.Errorf("mark index: %w", err)
	}
	return nil
}

// searchable is a message's text in the form for the index. A text that cannot be
// processed is indexed as empty, so that later messages do not wait for it.
func (t *tx) searchable(id int64, content string) string {
	text := ""
	err := recovery.Do(func() error {
		text = search.IndexText(content)
		return nil
	})
	recovery.Log(t.ctx, t.w.log, "the text of a message", err, "message_id", id)
	return text
}

// eachIndexed passes the text that selectText finds for a message to change, and
// reports whether there was one.
func (t *tx) eachIndexed(selectText, change, what string, id int64) (bool, error) {
	var content, scope string
	err := t.row(selectText, id).Scan(&content, &scope)
	if isNoRows(err) {
		return false, nil
	}
	if err != nil {
		if codeOf(err)&0xff == sqliteError { // a table of the index is missing
			err = indexError{err}
		}
		return false, fmt.Errorf("%s: %w", what, err)
	}
	t.indexes = true
	if _, err = t.exec(change, id, t.searchable(id, content), scope); err != nil {
		return false, fmt.Errorf("%s: %w", what, ofIndex(err))
	}
	return true, nil
}

// indexError is the failure of a statement on the text index alone: the index is
// damaged, not the file.
type indexError struct{ error }

// Unwrap returns SQLite's error.
func (e indexError) Unwrap() error { return e.error }

// SQLite's codes for a missing or damaged part of the index.
const (
	sqliteError   = 1
	sqliteCorrupt = 11
	// damagedIndex is the code of a virtual table, such as the text index, that
	// contradicts itself.
	damagedIndex = 267
)

// ofIndex marks an error as an error of the index.
func ofIndex(err error) error {
	if code := codeOf(err); code&0xff == sqliteError || code&0xff == sqliteCorrupt {
		return indexError{err}
	}
	return err
}

// blame marks an error of a transaction that changes the index as an error of the
// index: SQLite writes the index with a later statement, or with the commit.
func (t *tx) blame(err error) error {
	if t.indexes {
		return ofIndex(err)
	}
	return err
}

// harmedIndex reports whether an error requires a rebuild of the text index.
func harmedIndex(err error) bool {
	if _, ok := errors.AsType[indexError](err); ok {
		return true
	}
	return codeOf(err) == damagedIndex
}

// unindexLineage removes a lineage's messages from the index.
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

// markIndexed says for each range of ids that messages up to the newest of those in the
// batch were indexed, but for those that wait: waiting is the oldest of a range. A nil
// map says that not all that wait are known.
func (t *tx) markIndexed(batch []int64, waiting map[int64]int64) error {
	const mark = `UPDATE id_ranges SET newest = max(newest, ?2) WHERE range_id = ?1`
	newest := make(map[int64]int64)
	for _, id := range batch {
		newest[rangeOf(id)] = max(newest[rangeOf(id)], id)
	}
	for r, id := range newest {
		if _, err := t.exec(mark, r, id); err != nil {
			return fmt.Errorf("mark index: %w", err)
		}
		if waiting == nil {
			continue
		}
		if oldest, waits := waiting[r]; waits {
			id = min(id, oldest-1)
		}
		if err := t.setWhole(r, max(id, t.whole(r))); err != nil {
			return err
		}
	}
	return nil
}

// lowerMarks keeps the marks below what this transaction has stored: ids are given out
// before that, and some come back out of an archive.
func (t *tx) lowerMarks() error {
	for _, id := range t.stored {
		if r := rangeOf(id); id <= t.whole(r) {
			if err := t.setWhole(r, id-1); err != nil {
				return err
			}
		}
	}
	return nil
}

// whole is the id up to which every message of a range is indexed.
func (t *tx) whole(r int64) int64 {
	if whole, changed := t.marks[r]; changed {
		return whole
	}
	return t.w.marks[r]
}

func (t *tx) setWhole(r, whole int64) error {
	if whole == t.whole(r) {
		return nil
	}
	if _, err := t.exec(`UPDATE id_ranges SET whole = ?2 WHERE range_id = ?1`, r, whole); err != nil {
		return fmt.Errorf("mark index: %w", err)
	}
	if t.marks == nil {
		t.marks = make(map[int64]int64)
	}
	t.marks[r] = whole
	return nil
}

// remakeIndex replaces the index by an empty one and resets its marks, so that recovery
// finds all messages missing. It stores the reason.
func (t *tx) remakeIndex(why string) error {
	t.w.index.forget()
	if err := t.dropIndex(); err != nil {
		return err
	}
	statements, err := textStatements()
	if err != nil {
		return err
	}
	for _, query := range append(statements, `DELETE FROM meta WHERE name = 'fts_dead'`, `UPDATE id_ranges SET whole = 0`) {
		if err := t.rawExec(query); err != nil {
			return fmt.Errorf("make the index again: %w", err)
		}
	}
	if _, err := t.exec(`INSERT OR REPLACE INTO meta (name, value) VALUES ('fts_remade', ?)`, remade(time.Now(), why)); err != nil {
		return fmt.Errorf("note why the index was made again: %w", err)
	}
	t.marks = make(map[int64]int64, len(t.w.marks))
	for r := range t.w.marks {
		t.marks[r] = 0
	}
	return nil
}

// healing runs an operation that changes the index. A damaged index prevents no write:
// it is emptied first, and filled again afterwards.
func (db *DB) healing(ctx context.Context, do func(*tx) error) error {
	err := db.w.submit(ctx, do)
	if !harmedIndex(err) {
		return err
	}
	db.log.WarnContext(ctx, "text index is damaged; it is made again", "err", err)
	why := whyOf(err)
	err = db.w.submit(ctx, func(t *tx) error {
		if err := t.remakeIndex(why); err != nil {
			return err
		}
		return do(t)
	})
	db.indexer.refill(ctx)
	return err
}
