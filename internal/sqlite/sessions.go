package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// sessionColumns are the columns of a session in the order of scanSession.
const sessionColumns = `t.id, t.root_id, t.parent_session_id, t.generation, t.session_key, t.source, t.user_id,
	t.model, t.system_prompt, t.title, t.title_source, t.summary, t.started_at, t.ended_at, t.end_reason, t.last_active,
	t.message_count, t.tool_call_count, t.input_tokens, t.output_tokens, t.next_seq, t.tail_from, t.lineage_tokens, t.metadata`

const (
	selectTip = `SELECT ` + sessionColumns + ` FROM sessions s
		JOIN sessions t ON t.owner_id = s.owner_id AND t.root_id = s.root_id
		WHERE s.owner_id = ? AND s.id = ? ORDER BY t.generation DESC LIMIT 1`
	selectSession = `SELECT ` + sessionColumns + ` FROM sessions t WHERE t.owner_id = ? AND t.id = ?`
	insertSession = `INSERT INTO sessions (owner_id, id, root_id, parent_session_id, generation, is_tip, session_key, source,
		user_id, model, system_prompt, title, title_source, summary, started_at, ended_at, end_reason, last_active, message_count,
		tool_call_count, input_tokens, output_tokens, next_seq, tail_from, lineage_tokens, metadata)
		VALUES (?,?,?,?,?,1,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`
	endSession    = `UPDATE sessions SET ended_at = ?, end_reason = ?, is_tip = ? WHERE owner_id = ? AND id = ?`
	updateCounter = `UPDATE sessions SET session_key = ?, model = ?, ended_at = ?, end_reason = ?, last_active = ?,
		message_count = ?, tool_call_count = ?, input_tokens = ?, output_tokens = ?, next_seq = ?, tail_from = ?,
		lineage_tokens = ? WHERE owner_id = ? AND id = ?`
	patchSession = `UPDATE sessions SET title = nullif(coalesce(?1, title), ''),
		title_source = CASE WHEN ?1 IS NULL THEN title_source WHEN ?1 = '' THEN NULL ELSE 'person' END,
		system_prompt = coalesce(?2, system_prompt), end_reason = coalesce(?3, end_reason), ended_at = coalesce(?4, ended_at),
		metadata = nullif(coalesce(?7, metadata), '') WHERE owner_id = ?5 AND id = ?6`
)

// errNoSession is the fault for absent ids and for ids of other owners.
func errNoSession() error {
	return fault.New(fault.NotFound, "session_not_found", "No session with this id.")
}

func scanSession(row interface{ Scan(...any) error }) (session.Session, error) {
	var s session.Session
	var parent, key, user, model, prompt, title, titled, summary, reason, metadata sql.NullString
	var started, active int64
	var ended sql.NullInt64
	err := row.Scan(&s.ID, &s.RootID, &parent, &s.Generation, &key, &s.Source, &user, &model, &prompt, &title, &titled, &summary,
		&started, &ended, &reason, &active, &s.MessageCount, &s.ToolCallCount, &s.InputTokens, &s.OutputTokens,
		&s.NextSeq, &s.TailFrom, &s.LineageTokens, &metadata)
	if errors.Is(err, sql.ErrNoRows) {
		return s, errNoSession()
	}
	if err != nil {
		return s, fmt.Errorf("read session: %w", err)
	}
	s.ParentID, s.Key, s.UserID, s.Model = session.ID(parent.String), session.Key(key.String), user.String, model.String
	s.SystemPrompt, s.Title, s.Summary, s.EndReason = prompt.String, title.String, summary.String, session.EndReason(reason.String)
	s.TitleSource, s.Metadata = session.TitleSource(titled.String), metadata.String
	s.StartedAt, s.LastActive = bound.FromMillis(started), bound.FromMillis(active)
	s.EndedAt = fromMillis(ended)
	bounded(&s)
	return s, nil
}

// bounded moves the numbers of a damaged row into their valid ranges. A tail that
// begins after the lineage's end would hide all later messages, so it becomes the whole
// lineage.
func bounded(s *session.Session) {
	for _, n := range []*int64{&s.InputTokens, &s.OutputTokens, &s.LineageTokens, &s.NextSeq} {
		*n = bound.Count(*n)
	}
	s.MessageCount, s.ToolCallCount = max(s.MessageCount, 0), max(s.ToolCallCount, 0)
	if s.TailFrom < 0 || s.TailFrom > s.NextSeq {
		s.TailFrom = 0
	}
}

// Tip implements session.Store.
func (db *DB) Tip(ctx context.Context, o owner.Owner, id session.ID) (session.Session, error) {
	st, err := db.read.stmt(ctx, selectTip)
	if err != nil {
		return session.Session{}, err
	}
	return scanSession(st.QueryRowContext(ctx, o.ID(), string(id)))
}

// Session implements session.Store.
func (db *DB) Session(ctx context.Context, o owner.Owner, id session.ID) (session.Session, error) {
	st, err := db.read.stmt(ctx, selectSession)
	if err != nil {
		return session.Session{}, err
	}
	return scanSession(st.QueryRowContext(ctx, o.ID(), string(id)))
}

// Sessions implements session.Store.
func (db *DB) Sessions(ctx context.Context, o owner.Owner, f session.Filter) ([]session.Session, error) {
	if f.Lineage != "" {
		return db.listSessions(ctx, `t.owner_id = ? AND t.root_id = ? ORDER BY t.generation`, o.ID(), string(f.Lineage))
	}
	where, args := listFilter(o, &f)
	if !f.Before.LastActive.IsZero() {
		where.WriteString(` AND (t.last_active, t.root_id) < (?, ?)`)
		args = append(args, bound.Millis(f.Before.LastActive), string(f.Before.ID))
	}
	limit := f.Limit
	if limit <= 0 {
		limit = 50
	}
	where.WriteString(` ORDER BY t.last_active DESC, t.root_id DESC LIMIT 0+?`)
	return db.listSessions(ctx, where.String(), append(args, limit)...)
}

// firstText is the first text of the lineage of t.
const firstText = `(SELECT substr(m.content, 1, 400) FROM messages m WHERE m.owner_id = t.owner_id AND m.root_id = t.root_id
	AND m.role = 'user' AND m.undone_at IS NULL AND m.content <> '' ORDER BY m.seq LIMIT 1)`

// listFilter is the SQL condition of a filter, and its arguments.
func listFilter(o owner.Owner, f *session.Filter) (*strings.Builder, []any) {
	where, args := new(strings.Builder), []any{o.ID()}
	where.WriteString(`t.owner_id = ? AND t.is_tip = 1`)
	and := func(condition string, values ...any) {
		where.WriteString(` AND ` + condition)
		args = append(args, values...)
	}
	if f.Source != "" {
		and(`t.source = ?`, string(f.Source))
	}
	if f.Key != "" {
		and(`t.session_key = ?`, string(f.Key))
	}
	if f.Prefix != "" {
		and(`t.root_id IN (SELECT root_id FROM sessions WHERE owner_id = ? AND substr(id, 1, length(?)) = ?)`, o.ID(), f.Prefix, f.Prefix)
	}
	if f.Title != "" {
		and(`t.root_id IN (SELECT root_id FROM sessions WHERE owner_id = ? AND title = ?)`, o.ID(), f.Title)
	}
	if f.Query != "" {
		and(`(instr(lower(coalesce(t.title, '')), lower(?)) > 0
			OR t.root_id IN (SELECT root_id FROM sessions WHERE owner_id = ? AND instr(lower(id), lower(?)) > 0)
			OR instr(lower(`+firstText+`), lower(?)) > 0)`, f.Query, o.ID(), f.Query, f.Query)
	}
	switch f.State {
	case session.Active:
		and(`t.ended_at IS NULL`)
	case session.Ended:
		and(`t.ended_at IS NOT NULL`)
	}
	return where, args
}

// listSessions runs a query for sessions t. where is SQL of this package.
func (db *DB) listSessions(ctx context.Context, where string, args ...any) ([]session.Session, error) {
	rows, err := db.read.QueryContext(ctx, `SELECT `+sessionColumns+` FROM sessions t WHERE `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []session.Session
	for rows.Next() {
		s, err := scanSession(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return out, nil
}

// errNoOwner reports a defect of the caller: every row has an owner.
func errNoOwner(o owner.Owner) error {
	if o.ID() == "" {
		return errors.New("store for the zero owner")
	}
	return nil
}

// CreateSession implements session.Store.
func (db *DB) CreateSession(ctx context.Context, o owner.Owner, s session.Session) error {
	if err := errNoOwner(o); err != nil {
		return err
	}
	return db.w.submit(ctx, func(t *tx) error {
		var n int
		if err := t.row(`SELECT count(*) FROM sessions WHERE owner_id = ? AND id = ?`, o.ID(), string(s.ID)).Scan(&n); err != nil {
			return fmt.Errorf("look for session: %w", err)
		}
		if n > 0 {
			return fault.New(fault.Conflict, "session_exists", "A session with this id exists already.").At("id")
		}
		if err := t.refuseTitle(o, s.Title, ""); err != nil {
			return err
		}
		return t.openSession(o, &s)
	})
}

// openSession inserts a session. A taken title gets the next free number.
func (t *tx) openSession(o owner.Owner, s *session.Session) error {
	title, err := t.freeTitle(o, s.Title)
	if err != nil {
		return err
	}
	_, err = t.exec(insertSession, o.ID(), string(s.ID), string(s.RootID), null(s.ParentID), s.Generation, null(s.Key),
		string(s.Source), null(s.UserID), null(s.Model), null(s.SystemPrompt), null(title), titleSource(title, s.TitleSource), null(s.Summary),
		millis(s.StartedAt), millis(s.EndedAt), null(s.EndReason), millis(s.LastActive), s.MessageCount, s.ToolCallCount,
		s.InputTokens, s.OutputTokens, s.NextSeq, s.TailFrom, s.LineageTokens, null(s.Metadata))
	if err != nil {
		return fmt.Errorf("insert session: %w", err)
	}
	t.transcriptChanged(o, s.ID, false)
	return nil
}

// titleSource is the stored source of a title; null without a title.
func titleSource(title string, source session.TitleSource) any {
	if title == "" {
		return nil
	}
	return null(source)
}

// countSession stores a session's counters after a step.
func (t *tx) countSession(o owner.Owner, s *session.Session) error {
	res, err := t.exec(updateCounter, null(s.Key), null(s.Model), millis(s.EndedAt), null(s.EndReason), millis(s.LastActive),
		s.MessageCount, s.ToolCallCount, s.InputTokens, s.OutputTokens, s.NextSeq, s.TailFrom, s.LineageTokens, o.ID(), string(s.ID))
	if err != nil {
		return fmt.Errorf("update session: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return errNoSession()
	}
	t.transcriptChanged(o, s.ID, false)
	return nil
}

// UpdateSession implements session.Store.
func (db *DB) UpdateSession(ctx context.Context, o owner.Owner, id session.ID, p session.Patch) (session.Session, error) {
	var out session.Session
	err := db.w.submit(ctx, func(t *tx) error {
		var reason, ended any
		if p.EndReason != nil {
			reason, ended = string(*p.EndReason), bound.Millis(p.At)
		}
		if p.Title != nil {
			if err := t.refuseTitle(o, *p.Title, id); err != nil {
				return err
			}
		}
		if _, err := t.exec(patchSession, p.Title, p.SystemPrompt, reason, ended, o.ID(), string(id), p.Metadata); err != nil {
			return fmt.Errorf("update session: %w", err)
		}
		t.transcriptChanged(o, id, false)
		if p.Title != nil && *p.Title == "" {
			if err := t.untitled(o, id); err != nil {
				return err
			}
		}
		var err error
		out, err = scanSession(t.row(selectSession, o.ID(), string(id)))
		return err
	})
	return out, err
}

// DeleteLineage implements session.Store.
func (db *DB) DeleteLineage(ctx context.Context, o owner.Owner, root session.ID) error {
	defer db.known.empty()
	before := db.indexer.dirty()
	err := db.healing(ctx, func(t *tx) error { return t.eraseLineage(o, root) })
	if err == nil {
		db.awaitScour(ctx, before)
	}
	return err
}

func (t *tx) eraseLineage(o owner.Owner, root session.ID) error {
	if err := t.unindexLineage(o, root); err != nil {
		return err
	}
	if err := errors.Join(t.restoreFacts(o, root), t.unlinkFacts(o, root)); err != nil {
		return err
	}
	scopes, err := t.scopesOfLineage(o, root)
	if err != nil {
		return err
	}
	if err := errors.Join(t.eraseRuns(o, root), t.dropTexts(o, root), t.lineageChanged(o, root), t.leaveOrigin(o, root),
		t.owe(o, root, 0, math.MaxInt64)); err != nil {
		return err
	}
	for _, query := range []string{
		retireIDs,
		`UPDATE job_runs SET output = NULL, error = NULL WHERE owner_id = ?1 AND session_id IN (SELECT id FROM sessions WHERE owner_id = ?1 AND root_id = ?2)`,
		`DELETE FROM facts WHERE owner_id = ? AND root_id = ?`,
		`DELETE FROM vectors WHERE owner_id = ? AND root_id = ?`,
		`DELETE FROM studies WHERE owner_id = ? AND root_id = ?`,
		`DELETE FROM work WHERE owner_id = ? AND root_id = ?`,
		`DELETE FROM provider_lineages WHERE owner_id = ? AND root_id = ?`,
		`DELETE FROM provider_marks WHERE owner_id = ? AND root_id = ?`,
		`DELETE FROM provider_skips WHERE owner_id = ? AND root_id = ?`,
		`DELETE FROM requests WHERE owner_id = ? AND coalesce(json_extract(outcome, '$.lineage_root_id'), root_id) = ?`,
		`DELETE FROM files WHERE owner_id = ? AND root_id = ?`,
		`DELETE FROM messages WHERE owner_id = ? AND root_id = ?`,
	} {
		if _, err := t.exec(query, o.ID(), string(root)); err != nil {
			return fmt.Errorf("delete session: %w", err)
		}
	}
	if err := t.eraseFromScopes(scopes); err != nil {
		return err
	}
	if n, err := t.changes(`DELETE FROM sessions WHERE owner_id = ? AND root_id = ?`, o.ID(), string(root)); err != nil || n == 0 {
		return cmp.Or(err, errNoSession())
	}
	t.erases = true
	return nil
}
