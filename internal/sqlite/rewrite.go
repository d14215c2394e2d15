package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Scopes implements memory.Store.
func (db *DB) Scopes(ctx context.Context, o owner.Owner) ([]memory.Scope, error) {
	const query = `SELECT DISTINCT '', session_key FROM messages WHERE owner_id = ? AND session_key IS NOT NULL
		UNION ALL SELECT DISTINCT root_id, '' FROM messages WHERE owner_id = ? AND session_key IS NULL ORDER BY 2, 1`
	rows, err := db.read.QueryContext(ctx, query, o.ID(), o.ID())
	if err != nil {
		return nil, fmt.Errorf("list scopes: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []memory.Scope
	for rows.Next() {
		var s memory.Scope
		if err := rows.Scan(&s.Root, &s.Key); err != nil {
			return nil, fmt.Errorf("list scopes: %w", err)
		}
		out = append(out, s)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list scopes: %w", err)
	}
	return out, nil
}

// Rewrite implements curate.Store.
func (db *DB) Rewrite(ctx context.Context, o owner.Owner, w curate.Rewrite) error {
	if err := errNoOwner(o); err != nil {
		return err
	}
	return db.healing(ctx, func(t *tx) error {
		if len(w.Undone) == 0 { // what was taken back stays in the archive
			t.erases = true
		}
		told, err := t.toldFacts(o, &w)
		if err != nil {
			return err
		}
		if err := t.undo(o, &w); err != nil {
			return err
		}
		if err := each(o, w.Messages, t.rewriteMessage); err != nil {
			return err
		}
		if err := each(o, w.Sessions, t.rewriteSession); err != nil {
			return err
		}
		if err := each(o, w.Scopes, t.replaceFacts); err != nil {
			return err
		}
		if err := t.dropRepeats(o, &w, told); err != nil {
			return err
		}
		return t.keepErasure(o, w.Erased)
	})
}

// each changes rows of an owner up to the first error.
func each[T any](o owner.Owner, rows []T, change func(owner.Owner, *T) error) error {
	for i := range rows {
		if err := change(o, &rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// rewriteSession gives a session other texts and another end.
func (t *tx) rewriteSession(o owner.Owner, s *session.Session) error {
	const update = `UPDATE sessions SET title = ?, title_source = ?, system_prompt = ?, summary = ?, user_id = ?, tail_from = ?, lineage_tokens = ?,
		parent_session_id = ?, source = ?, model = ?, end_reason = ?, metadata = ? WHERE owner_id = ? AND id = ?`
	if _, err := t.exec(update,
		null(s.Title), titleSource(s.Title, s.TitleSource), null(s.SystemPrompt), null(s.Summary), null(s.UserID), s.TailFrom, s.LineageTokens,
		null(s.ParentID), string(s.Source), null(s.Model), null(s.EndReason), null(s.Metadata), o.ID(), string(s.ID)); err != nil {
		return fmt.Errorf("rewrite session: %w", err)
	}
	if s.Title != "" {
		return nil
	}
	return t.untitled(o, s.ID)
}

// undo marks messages as undone and removes their facts.
func (t *tx) undo(o owner.Owner, w *curate.Rewrite) error {
	for _, u := range w.Undone {
		to := u.To
		if to == 0 {
			to = math.MaxInt64
		}
		if _, err := t.exec(`UPDATE messages SET undone_at = ? WHERE owner_id = ? AND root_id = ? AND seq >= ? AND seq < ? AND undone_at IS NULL`,
			millis(u.At), o.ID(), string(u.Root), u.From, to); err != nil {
			return fmt.Errorf("mark messages: %w", err)
		}
		if _, err := t.exec(`DELETE FROM facts WHERE owner_id = ? AND root_id = ? AND seq >= ? AND seq < ?`, o.ID(), string(u.Root), u.From, to); err != nil {
			return fmt.Errorf("delete facts: %w", err)
		}
		if err := t.dropVectors(o, u.Root, u.From, to); err != nil {
			return err
		}
	}
	const relink = `UPDATE facts SET superseded_by = ?, superseded_at = ?, links = ? WHERE owner_id = ? AND root_id = ? AND seq = ? AND id = ?`
	for i := range w.Relinked {
		f := &w.Relinked[i]
		links, err := linksOf(f)
		if err != nil {
			return err
		}
		if _, err := t.exec(relink, null(f.SupersededBy), millis(f.SupersededAt), links, o.ID(), string(f.Source.Root), f.Source.Seq,
			string(f.ID)); err != nil {
			return fmt.Errorf("relink fact: %w", err)
		}
	}
	return nil
}

// rewriteMessage replaces the text of a message, also in the text index.
func (t *tx) rewriteMessage(o owner.Owner, m *session.Message) error {
	const update = `UPDATE messages SET content = ?, tool_calls = ?, wire = ?, name = ?, tool_call_id = ?, tool_name = ?, note = ?, finish_reason = ?, model = ?,
		receipt_id = CASE WHEN ?10 IS NULL THEN receipt_id ELSE ?11 END, receipt = coalesce(?10, receipt) WHERE owner_id = ?12 AND root_id = ?13 AND seq = ?14`
	var id int64
	err := t.row(`SELECT id FROM messages WHERE owner_id = ? AND root_id = ? AND seq = ?`, o.ID(), string(m.RootID), m.Seq).Scan(&id)
	if isNoRows(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for message: %w", err)
	}
	if err := t.unindex(id); err != nil {
		return err
	}
	if _, err := t.exec(update, m.Content, nullBytes(m.ToolCalls), nullBytes(m.Wire), null(m.Name), null(m.ToolCallID), null(m.ToolName),
		null(m.Note),
		null(m.FinishReason), null(m.Model), nullBytes(m.Receipt), null(m.ReceiptID), o.ID(), string(m.RootID), m.Seq); err != nil {
		return fmt.Errorf("rewrite message: %w", err)
	}
	if err := t.dropVector(o, m); err != nil {
		return err
	}
	return t.index(id)
}

// errRetold is the fault for facts that were learnt from messages which have changed.
func errRetold() error {
	return fault.New(fault.Conflict, "memory_changed", "Messages were added or deleted meanwhile. Try again.")
}

// stillNewest fails if a scope has newer messages than those its facts were learnt
// from.
func (t *tx) stillNewest(o owner.Owner, s *curate.ScopeFacts) error {
	if s.Newest == 0 {
		return nil
	}
	query, arg := `SELECT id FROM messages WHERE owner_id = ? AND root_id = ? AND session_key IS NULL AND undone_at IS NULL
		ORDER BY seq DESC LIMIT 1`, string(s.Scope.Root)
	if s.Scope.Key != "" {
		query, arg = `SELECT id FROM messages WHERE owner_id = ? AND session_key = ? AND undone_at IS NULL ORDER BY id DESC LIMIT 1`, string(s.Scope.Key)
	}
	var newest int64
	err := t.row(query, o.ID(), arg).Scan(&newest)
	if err != nil && !isNoRows(err) {
		return fmt.Errorf("look for the newest message: %w", err)
	}
	if newest != s.Newest {
		return errRetold()
	}
	return nil
}

// replaceFacts replaces the facts of a scope.
func (t *tx) replaceFacts(o owner.Owner, s *curate.ScopeFacts) error {
	if err := t.stillNewest(o, s); err != nil {
		return err
	}
	query, arg := `DELETE FROM facts WHERE owner_id = ? AND root_id = ? AND session_key IS NULL`, string(s.Scope.Root)
	if s.Scope.Key != "" {
		query, arg = `DELETE FROM facts WHERE owner_id = ? AND session_key = ?`, string(s.Scope.Key)
	}
	if _, err := t.exec(query, o.ID(), arg); err != nil {
		return fmt.Errorf("delete facts: %w", err)
	}
	for i := range s.Facts {
		f := &s.Facts[i]
		var key sql.NullString
		var recorded int64
		err := t.row(`SELECT session_key, recorded_at FROM messages WHERE owner_id = ? AND root_id = ? AND seq = ? AND undone_at IS NULL`,
			o.ID(), string(f.Source.Root), f.Source.Seq).Scan(&key, &recorded)
		if isNoRows(err) {
			return errRetold()
		}
		if err != nil {
			return fmt.Errorf("find a fact's message: %w", err)
		}
		if key.String != string(s.Scope.Key) {
			continue // a message belongs to one scope: that of its key, or of its lineage if it has none
		}
		from := session.Message{Key: s.Scope.Key, RecordedAt: bound.FromMillis(recorded)}
		if err := t.insertFact(o, &from, f); err != nil {
			return err
		}
	}
	return nil
}
