package postgres

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/owner"
)

// withNote is an operation that also stores the audit note of its context.
func withNote(n *audit.Note, do func(*tx) error) func(*tx) error {
	return func(t *tx) error {
		if err := do(t); err != nil {
			return err
		}
		o, e, open := n.Open()
		if !open {
			return nil
		}
		return t.enter(o, e)
	}
}

// Enter implements audit.Store.
func (db *DB) Enter(ctx context.Context, o owner.Owner, e audit.Entry) error {
	if err := errNoOwner(o); err != nil {
		return err
	}
	return db.w.enqueue(ctx, o, func() {}, func(t *tx) error { return t.enter(o, e) })
}

// enter appends an entry and drops expired ones. It locks the owner's row, because the
// entry continues the owner's chain of hashes.
func (t *tx) enter(o owner.Owner, e audit.Entry) error {
	if err := errNoOwner(o); err != nil {
		return err
	}
	if err := t.lock(o.ID()); err != nil {
		return err
	}
	var before []byte
	err := t.row(`SELECT seq, hash FROM audit WHERE owner_id = ? ORDER BY seq DESC LIMIT 1`, o.ID()).Scan(&e.Seq, &before)
	if err != nil && !isNoRows(err) {
		return fmt.Errorf("read the end of the audit: %w", err)
	}
	if e.Kind == audit.Session && e.Target != "" {
		e.Target = hashedID(t.w.db.auditSalt, o, e.Target)
	}
	e.Seq++
	t.send("record", `INSERT INTO audit (owner_id, seq, at, actor, action, kind, target, request_id, outcome, detail, hash) VALUES (?,?,?,?,?,?,?,?,?,?,?)`,
		o.ID(), e.Seq, bound.Millis(e.At), e.Actor, e.Action, e.Kind, e.Target, e.RequestID, e.Outcome, e.Detail, e.Sum(before))
	if t.w.keep > 0 {
		t.send("drop old entries", `DELETE FROM audit WHERE owner_id = ? AND at < ? AND seq < ?`, o.ID(), bound.Millis(e.At.Add(-t.w.keep)), e.Seq)
	}
	return nil
}

// hashedID is the hash that replaces the id of an owner's session.
func hashedID(salt string, o owner.Owner, id string) string {
	h := hmac.New(sha256.New, []byte(salt))
	h.Write([]byte(o.ID() + "\x00" + id))
	return "s_" + hex.EncodeToString(h.Sum(nil)[:10])
}

// Audit implements audit.Store.
func (db *DB) Audit(ctx context.Context, o owner.Owner, f audit.Filter) ([]audit.Entry, error) {
	query, args := db.auditQuery(o, &f)
	return rowsOf(ctx, db, func(rows *rows) (audit.Entry, error) {
		var e audit.Entry
		var at int64
		err := rows.Scan(&e.Seq, &at, &e.Actor, &e.Action, &e.Kind, &e.Target, &e.RequestID, &e.Outcome, &e.Detail, &e.Hash)
		e.At = bound.FromMillis(at)
		return e, err
	}, query, args...)
}

// auditQuery is the statement for a filter.
func (db *DB) auditQuery(o owner.Owner, f *audit.Filter) (string, []any) {
	var where strings.Builder
	args := []any{o.ID()}
	and := func(condition string, values ...any) {
		where.WriteString(" AND " + condition)
		args = append(args, values...)
	}
	if !f.Since.IsZero() {
		and("at >= ?", bound.Millis(f.Since))
	}
	if !f.Until.IsZero() {
		and("at < ?", bound.Millis(f.Until))
	}
	if f.Action != "" {
		and("(action = ? OR starts_with(action, ?))", f.Action, f.Action+".")
	}
	if f.Actor != "" {
		and("actor = ?", f.Actor)
	}
	if f.Before > 0 {
		and("seq < ?", f.Before)
	}
	if f.Session != "" {
		and("kind = ? AND target = ?", audit.Session, hashedID(db.auditSalt, o, f.Session))
	}
	return `SELECT seq, at, actor, action, kind, target, request_id, outcome, detail, hash FROM audit
		WHERE owner_id = ?` + where.String() + ` ORDER BY seq DESC LIMIT ?`, append(args, atMost(f.Limit))
}
