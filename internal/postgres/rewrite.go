package postgres

import (
	"context"
	"fmt"
	"math"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Rewrite implements curate.Store.
func (db *DB) Rewrite(ctx context.Context, o owner.Owner, w curate.Rewrite) error {
	if err := errNoOwner(o); err != nil {
		return err
	}
	err := db.w.submit(ctx, o, func(t *tx) error {
		told, err := t.toldFacts(o, &w)
		if err != nil {
			return err
		}
		scopes := make(touched)
		for _, change := range []func(owner.Owner, *curate.Rewrite, touched) error{
			t.undo, t.relink, t.rewriteMessages, t.replaceAllFacts,
		} {
			if err := change(o, &w, scopes); err != nil {
				return err
			}
		}
		if err := each(o, w.Sessions, t.rewriteSession); err != nil {
			return err
		}
		t.touch(o, scopes)
		if err := t.dropRepeats(o, &w, told); err != nil {
			return err
		}
		t.keepErasure(o, w.Erased)
		if w.Step != nil {
			_, err = t.appendStep(o, w.Step, nil, nil, false)
		}
		return err
	})
	if w.Step != nil && isConstraint(err) {
		return errPlaceTaken(err)
	}
	return err
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
	t.send("rewrite a session", update,
		null(s.Title), titleSource(s.Title, s.TitleSource), null(s.SystemPrompt), null(s.Summary), null(s.UserID), s.TailFrom, s.LineageTokens,
		null(s.ParentID), string(s.Source), null(s.Model), null(s.EndReason), null(s.Metadata), o.ID(), string(s.ID))
	if s.Title == "" {
		t.untitled(o, s.ID)
	}
	return nil
}

// undo marks messages as undone and removes their facts.
func (t *tx) undo(o owner.Owner, w *curate.Rewrite, scopes touched) error {
	for _, u := range w.Undone {
		to := u.To
		if to == 0 {
			to = math.MaxInt64
		}
		if err := t.withdraw(o, u.Root, u.From, to, scopes); err != nil {
			return err
		}
		t.owe(o, u.Root, u.From, to)
		t.send("mark messages", `UPDATE messages SET undone_at = ? WHERE owner_id = ? AND root_id = ? AND seq >= ? AND seq < ? AND undone_at IS NULL`,
			millis(u.At), o.ID(), string(u.Root), u.From, to)
		t.send("delete facts", `DELETE FROM facts WHERE owner_id = ? AND root_id = ? AND seq >= ? AND seq < ?`, o.ID(), string(u.Root), u.From, to)
		t.dropVectors(o, u.Root, u.From, to)
	}
	return nil
}

// relink gives facts other links, another supersession, and other marks.
func (t *tx) relink(o owner.Owner, w *curate.Rewrite, scopes touched) error {
	const relink = `UPDATE facts SET superseded_by = ?, superseded_at = ?, links = ?
		WHERE owner_id = ? AND root_id = ? AND seq = ? AND id = ? RETURNING scope_id`
	for i := range w.Relinked {
		f := &w.Relinked[i]
		links, err := linksOf(f)
		if err != nil {
			return err
		}
		var scope int64
		err = t.row(relink, null(f.SupersededBy), millis(f.SupersededAt), links, o.ID(), string(f.Source.Root), f.Source.Seq,
			string(f.ID)).Scan(&scope)
		if isNoRows(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("relink fact: %w", err)
		}
		scopes.add(scope, false)
	}
	return t.markFacts(o, w.Marks, marksByNumber(w.Marks), scopes)
}

// rewriteMessages replaces the texts of messages, also in the text index, and erases the
// pieces that hold them.
func (t *tx) rewriteMessages(o owner.Owner, w *curate.Rewrite, scopes touched) error {
	const find = `SELECT m.id, s.id FROM messages m` + scopesOfMessages + `WHERE m.owner_id = ? AND m.root_id = ? AND m.seq = ?`
	for i := range w.Messages {
		m := &w.Messages[i]
		var id, scope int64
		err := t.row(find, o.ID(), string(m.RootID), m.Seq).Scan(&id, &scope)
		if isNoRows(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("look for message: %w", err)
		}
		t.owe(o, m.RootID, m.Seq, m.Seq+1)
		if err := t.rewriteMessage(o, id, m); err != nil {
			return err
		}
		scopes.add(scope, true)
		t.losePieces(o, scope, erasedPiece, everyKind, memory.Span{First: id, Last: id})
		t.eraseOthers(o, scope)
	}
	return nil
}

func (t *tx) rewriteMessage(o owner.Owner, id int64, m *session.Message) error {
	const update = `UPDATE messages SET content = ?3, tool_calls = ?4, wire = ?5, name = ?6, tool_call_id = ?7, tool_name = ?8, note = ?9,
		finish_reason = ?10, model = ?11, receipt = coalesce(?12::text, receipt),
		receipt_id = CASE WHEN ?12::text IS NULL THEN receipt_id ELSE ?13::text END,
		figures = CASE WHEN ?12::text IS NULL THEN figures ELSE ?14::bigint[] END, terms = array_to_tsvector(?15::text[]) WHERE owner_id = ?1 AND id = ?2`
	terms, err := t.w.db.termsOf(t.ctx, o, m.Content)
	if err != nil {
		return err
	}
	t.send("rewrite a message", update, o.ID(), id, m.Content, nullBytes(m.ToolCalls), nullBytes(m.Wire), null(m.Name), null(m.ToolCallID),
		null(m.ToolName), null(m.Note), null(m.FinishReason), null(m.Model), nullBytes(m.Receipt), null(m.ReceiptID), figuresOf(m.Receipt), terms)
	t.dropVector(o, m)
	t.eraseFiles(o, m)
	return nil
}

// errRetold is the fault for facts that were learnt from messages which have changed.
func errRetold() error {
	return fault.New(fault.Conflict, "memory_changed", "Messages were added or deleted meanwhile. Try again.")
}

// newestOfKey is the newest message under a session key.
var newestOfKey = `SELECT id FROM messages WHERE ` + messagesAbove(`0`) + ` AND undone_at IS NULL ORDER BY session_key DESC, id DESC LIMIT 1`

// stillNewest fails if a scope has newer messages than those its facts were learnt
// from.
func (t *tx) stillNewest(o owner.Owner, s *curate.ScopeFacts) error {
	if s.Newest == 0 {
		return nil
	}
	query, arg := `SELECT id FROM messages WHERE owner_id = ? AND root_id = ? AND session_key IS NULL AND undone_at IS NULL
		ORDER BY seq DESC LIMIT 1`, string(s.Scope.Root)
	if s.Scope.Key != "" {
		query, arg = newestOfKey, string(s.Scope.Key)
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

// replaceAllFacts replaces the facts of scopes.
func (t *tx) replaceAllFacts(o owner.Owner, w *curate.Rewrite, scopes touched) error {
	for i := range w.Scopes {
		id, err := t.replaceFacts(o, &w.Scopes[i])
		if err != nil {
			return err
		}
		if id != 0 {
			scopes.add(id, true)
		}
	}
	return nil
}

// replaceFacts replaces the facts of a scope and returns its id; 0 if it has no messages.
func (t *tx) replaceFacts(o owner.Owner, s *curate.ScopeFacts) (int64, error) {
	if err := t.stillNewest(o, s); err != nil {
		return 0, err
	}
	name, _ := nameOf(memory.Scope{Key: s.Scope.Key, Root: s.Scope.Root})
	id, version, err := t.findScope(o, name)
	if err != nil {
		return 0, err
	}
	if s.Version != 0 && s.Version != version {
		return 0, errRetold()
	}
	if id != 0 {
		t.send("replace facts", `UPDATE scopes SET stale = false WHERE owner_id = ? AND id = ?`, o.ID(), id)
		t.send("delete facts", `DELETE FROM facts WHERE owner_id = ? AND scope_id = ?`, o.ID(), id)
		t.losePieces(o, id, erasedPiece, memory.FactPiece, memory.Span{Last: math.MaxInt64})
		t.eraseOthers(o, id)
	}
	numbers, marks := make(numbering), marksByNumber(s.Marks)
	for i := range s.Facts {
		f := &s.Facts[i]
		from, err := t.sourceOf(o, f)
		if err != nil {
			return 0, err
		}
		if from.scope != id {
			continue // a message belongs to one scope: that of its key, or of its lineage if it has none
		}
		if err := t.insertFact(o, from, f, numbers, marks); err != nil {
			return 0, err
		}
	}
	return id, nil
}

// sourceOf is the message of a fact. It fails with Conflict if the message does not stand.
func (t *tx) sourceOf(o owner.Owner, f *memory.Fact) (factSource, error) {
	const find = `SELECT m.id, s.id, m.recorded_at FROM messages m` + scopesOfMessages +
		`WHERE m.owner_id = ? AND m.root_id = ? AND m.seq = ? AND m.undone_at IS NULL`
	var from factSource
	var recorded int64
	err := t.row(find, o.ID(), string(f.Source.Root), f.Source.Seq).Scan(&from.id, &from.scope, &recorded)
	if isNoRows(err) {
		return from, errRetold()
	}
	if err != nil {
		return from, fmt.Errorf("find a fact's message: %w", err)
	}
	from.recorded = bound.FromMillis(recorded)
	return from, nil
}
