package postgres

import (
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
		VALUES (?,?,?,?,?,true,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`
	endSession    = `UPDATE sessions SET ended_at = ?, end_reason = ?, is_tip = ? WHERE owner_id = ? AND id = ?`
	updateCounter = `UPDATE sessions SET session_key = ?, model = ?, ended_at = ?, end_reason = ?, last_active = ?,
		message_count = ?, tool_call_count = ?, input_tokens = ?, output_tokens = ?, next_seq = ?, tail_from = ?,
		lineage_tokens = ? WHERE owner_id = ? AND id = ?`
	patchSession = `UPDATE sessions t SET title = nullif(coalesce(?1::text, title), ''),
		title_source = CASE WHEN ?1::text IS NULL THEN title_source WHEN ?1::text = '' THEN NULL ELSE 'person' END,
		system_prompt = coalesce(?2, system_prompt), end_reason = coalesce(?3, end_reason), ended_at = coalesce(?4, ended_at),
		metadata = nullif(coalesce(?7::text, metadata), '') WHERE owner_id = ?5 AND id = ?6 RETURNING ` + sessionColumns
)

// errNoSession is the fault for absent ids and for ids of other owners.
func errNoSession() error {
	return fault.New(fault.NotFound, "session_not_found", "No session with this id.")
}

func scanSession(row scanner) (session.Session, error) {
	var s session.Session
	var parent, key, user, model, prompt, title, titled, summary, reason, metadata sql.NullString
	var started, active int64
	var ended sql.NullInt64
	err := row.Scan(&s.ID, &s.RootID, &parent, &s.Generation, &key, &s.Source, &user, &model, &prompt, &title, &titled, &summary,
		&started, &ended, &reason, &active, &s.MessageCount, &s.ToolCallCount, &s.InputTokens, &s.OutputTokens,
		&s.NextSeq, &s.TailFrom, &s.LineageTokens, &metadata)
	if isNoRows(err) {
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
	return scanSession(db.row(ctx, selectTip, o.ID(), string(id)))
}

// Session implements session.Store.
func (db *DB) Session(ctx context.Context, o owner.Owner, id session.ID) (session.Session, error) {
	return scanSession(db.row(ctx, selectSession, o.ID(), string(id)))
}

// Sessions implements session.Store.
func (db *DB) Sessions(ctx context.Context, o owner.Owner, f session.Filter) ([]session.Session, error) {
	if f.Lineage != "" {
		return db.listSessions(ctx, `t.owner_id = ? AND t.root_id = ? ORDER BY t.generation`, o.ID(), string(f.Lineage))
	}
	where, args := listFilter(o, &f)
	if !f.Before.LastActive.IsZero() {
		where.WriteString(` AND (t.last_active, t.root_id) < (?::bigint, ?::text)`)
		args = append(args, bound.Millis(f.Before.LastActive), string(f.Before.ID))
	}
	limit := f.Limit
	if limit <= 0 {
		limit = 50
	}
	where.WriteString(` ORDER BY t.last_active DESC, t.root_id DESC LIMIT ?`)
	return db.listSessions(ctx, where.String(), append(args, limit)...)
}

// firstText is the first text of the lineage of t.
const firstText = `(SELECT substr(m.content, 1, 400) FROM messages m WHERE m.owner_id = t.owner_id AND m.root_id = t.root_id
	AND m.role = 'user' AND m.undone_at IS NULL AND m.content <> '' ORDER BY m.seq LIMIT 1)`

// listFilter is the SQL condition of a filter, and its arguments.
func listFilter(o owner.Owner, f *session.Filter) (*strings.Builder, []any) {
	where, args := new(strings.Builder), []any{o.ID()}
	where.WriteString(`t.owner_id = ? AND t.is_tip`)
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
		and(`t.root_id IN (SELECT root_id FROM sessions WHERE owner_id = ? AND starts_with(id, ?))`, o.ID(), f.Prefix)
	}
	if f.Title != "" {
		and(`t.root_id IN (SELECT root_id FROM sessions WHERE owner_id = ? AND title = ?)`, o.ID(), f.Title)
	}
	if f.Query != "" {
		and(`(strpos(lower(coalesce(t.title, '')), lower(? COLLATE "C")) > 0
			OR t.root_id IN (SELECT root_id FROM sessions WHERE owner_id = ? AND strpos(lower(id), lower(? COLLATE "C")) > 0)
			OR strpos(lower(`+firstText+`), lower(? COLLATE "C")) > 0)`, f.Query, o.ID(), f.Query, f.Query)
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
	list, err := rowsOf(ctx, db, func(rows *rows) (session.Session, error) { return scanSession(rows) },
		`SELECT `+sessionColumns+` FROM sessions t WHERE `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return list, nil
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
	return db.w.submit(ctx, o, func(t *tx) error {
		var there bool
		if err := t.row(`SELECT EXISTS (SELECT 1 FROM sessions WHERE owner_id = ? AND id = ?)`, o.ID(), string(s.ID)).Scan(&there); err != nil {
			return fmt.Errorf("look for session: %w", err)
		}
		if there {
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
	t.send("insert a session", insertSession, o.ID(), string(s.ID), string(s.RootID), null(s.ParentID), s.Generation, null(s.Key),
		string(s.Source), null(s.UserID), null(s.Model), null(s.SystemPrompt), null(title), titleSource(title, s.TitleSource), null(s.Summary),
		millis(s.StartedAt), millis(s.EndedAt), null(s.EndReason), millis(s.LastActive), s.MessageCount, s.ToolCallCount,
		s.InputTokens, s.OutputTokens, s.NextSeq, s.TailFrom, s.LineageTokens, null(s.Metadata))
	return nil
}

// titleSource is the stored source of a title; null without a title.
func titleSource(title string, source session.TitleSource) any {
	if title == "" {
		return nil
	}
	return null(source)
}

// updateCounted divides by zero if there is no such session.
const updateCounted = `WITH u AS (` + updateCounter + ` RETURNING 1) SELECT 1 / count(*) FROM u`

// countSession stores a session's counters after a step.
func (t *tx) countSession(o owner.Owner, s *session.Session) {
	t.must("update a session", errNoSession(), updateCounted,
		null(s.Key), null(s.Model), millis(s.EndedAt), null(s.EndReason), millis(s.LastActive),
		s.MessageCount, s.ToolCallCount, s.InputTokens, s.OutputTokens, s.NextSeq, s.TailFrom, s.LineageTokens, o.ID(), string(s.ID))
}

// UpdateSession implements session.Store.
func (db *DB) UpdateSession(ctx context.Context, o owner.Owner, id session.ID, p session.Patch) (session.Session, error) {
	var out session.Session
	err := db.w.submit(ctx, o, func(t *tx) error {
		var reason, ended any
		if p.EndReason != nil {
			reason, ended = string(*p.EndReason), bound.Millis(p.At)
		}
		if p.Title != nil {
			if err := t.refuseTitle(o, *p.Title, id); err != nil {
				return err
			}
		}
		var err error
		out, err = scanSession(t.row(patchSession, p.Title, p.SystemPrompt, reason, ended, o.ID(), string(id), p.Metadata))
		if err == nil && p.Title != nil && *p.Title == "" {
			t.untitled(o, id)
		}
		return err
	})
	return out, err
}

// DeleteLineage implements session.Store.
func (db *DB) DeleteLineage(ctx context.Context, o owner.Owner, root session.ID) error {
	err := db.w.submit(ctx, o, func(t *tx) error { return t.eraseLineage(o, root) })
	if err == nil {
		db.pieces.erased(ctx)
	}
	return err
}

func (t *tx) eraseLineage(o owner.Owner, root session.ID) error {
	if err := t.restoreFacts(o, root); err != nil {
		return err
	}
	t.unlinkFacts(o, root)
	scopes, err := t.scopesOfLineage(o, root)
	if err != nil {
		return err
	}
	t.eraseRuns(o, root)
	t.dropTexts(o, root)
	t.leaveOrigin(o, root)
	t.owe(o, root, 0, math.MaxInt64)
	for _, query := range []string{
		`UPDATE job_runs SET output = NULL, error = NULL WHERE owner_id = ?1 AND session_id IN (SELECT id FROM sessions WHERE owner_id = ?1 AND root_id = ?2)`,
		`DELETE FROM facts WHERE owner_id = ? AND root_id = ?`,
		`DELETE FROM vectors WHERE owner_id = ? AND root_id = ?`,
		`DELETE FROM files WHERE owner_id = ? AND root_id = ?`,
		`DELETE FROM studies WHERE owner_id = ? AND root_id = ?`,
		`DELETE FROM work WHERE owner_id = ? AND root_id = ?`,
		`DELETE FROM provider_lineages WHERE owner_id = ? AND root_id = ?`,
		`DELETE FROM provider_marks WHERE owner_id = ? AND root_id = ?`,
		`DELETE FROM provider_skips WHERE owner_id = ? AND root_id = ?`,
		`DELETE FROM requests WHERE owner_id = ? AND root_id = ?`,
		`DELETE FROM messages WHERE owner_id = ? AND root_id = ?`,
	} {
		t.send("delete a session", query, o.ID(), string(root))
	}
	t.eraseFromScopes(o, scopes)
	t.expect("delete a session", func(n int64) error {
		if n == 0 {
			return errNoSession()
		}
		return nil
	}, `DELETE FROM sessions WHERE owner_id = ? AND root_id = ?`, o.ID(), string(root))
	return t.flush()
}
