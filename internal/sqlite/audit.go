package sqlite

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
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
	return db.w.enqueue(ctx, func() {}, func(t *tx) error { return t.enter(o, e) })
}

// enter appends an entry and drops expired ones.
func (t *tx) enter(o owner.Owner, e audit.Entry) error {
	if err := errNoOwner(o); err != nil {
		return err
	}
	var before []byte
	err := t.row(`SELECT seq, hash FROM audit WHERE owner_id = ? ORDER BY seq DESC LIMIT 1`, o.ID()).Scan(&e.Seq, &before)
	if err != nil && !isNoRows(err) {
		return fmt.Errorf("read the end of the audit: %w", err)
	}
	if e.Kind == audit.Session && e.Target != "" {
		salt, err := t.auditSalt()
		if err != nil {
			return err
		}
		e.Target = hashedID(salt, o, e.Target)
	}
	e.Seq++
	if _, err := t.exec(`INSERT INTO audit (owner_id, seq, at, actor, action, kind, target, request_id, outcome, detail, hash) VALUES (?,?,?,?,?,?,?,?,?,?,?)`,
		o.ID(), e.Seq, bound.Millis(e.At), e.Actor, e.Action, e.Kind, e.Target, e.RequestID, e.Outcome, e.Detail, e.Sum(before)); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	if t.w.keep > 0 {
		if _, err := t.exec(`DELETE FROM audit WHERE owner_id = ? AND at < ? AND seq < ?`, o.ID(), bound.Millis(e.At.Add(-t.w.keep)), e.Seq); err != nil {
			return fmt.Errorf("drop old entries: %w", err)
		}
	}
	return nil
}

// saltName is the name of the key for the hashes of ids. Without the key, a guessed id
// could be tested against a copy of the table.
const saltName = "audit_salt"

// auditSalt reads the key, and creates it if absent.
func (t *tx) auditSalt() (string, error) {
	var salt string
	err := t.row(`SELECT value FROM meta WHERE name = ?`, saltName).Scan(&salt)
	if err == nil {
		return salt, nil
	}
	if !isNoRows(err) {
		return "", fmt.Errorf("read the audit's salt: %w", err)
	}
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	salt = hex.EncodeToString(b[:])
	if _, err := t.exec(`INSERT INTO meta (name, value) VALUES (?, ?)`, saltName, salt); err != nil {
		return "", fmt.Errorf("store the audit's salt: %w", err)
	}
	return salt, nil
}

// hashedID is the hash that replaces the id of an owner's session.
func hashedID(salt string, o owner.Owner, id string) string {
	h := hmac.New(sha256.New, []byte(salt))
	h.Write([]byte(o.ID() + "\x00" + id))
	return "s_" + hex.EncodeToString(h.Sum(nil)[:10])
}

// Audit implements audit.Store.
func (db *DB) Audit(ctx context.Context, o owner.Owner, f audit.Filter) ([]audit.Entry, error) {
	query, args, err := db.auditQuery(ctx, o, &f)
	if err != nil {
		return nil, err
	}
	rows, err := db.read.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read audit: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []audit.Entry
	for rows.Next() {
		var e audit.Entry
		var at int64
		if err := rows.Scan(&e.Seq, &at, &e.Actor, &e.Action, &e.Kind, &e.Target, &e.RequestID, &e.Outcome, &e.Detail, &e.Hash); err != nil {
			return nil, fmt.Errorf("read audit: %w", err)
		}
		e.At = bound.FromMillis(at)
		out = append(out, e)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read audit: %w", err)
	}
	return out, nil
}

// auditQuery is the statement for a filter.
func (db *DB) auditQuery(ctx context.Context, o owner.Owner, f *audit.Filter) (string, []any, error) {
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
		and("(action = ? OR substr(action, 1, length(?) + 1) = ? || '.')", f.Action, f.Action, f.Action)
	}
	if f.Actor != "" {
		and("actor = ?", f.Actor)
	}
	if f.Before > 0 {
		and("seq < ?", f.Before)
	}
	if f.Session != "" {
		var salt string
		err := db.read.QueryRowContext(ctx, `SELECT value FROM meta WHERE name = ?`, saltName).Scan(&salt)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return "", nil, fmt.Errorf("read the audit's salt: %w", err)
		}
		and("kind = ? AND target = ?", audit.Session, hashedID(salt, o, f.Session))
	}
	limit := f.Limit
	if limit <= 0 {
		limit = -1
	}
	return `SELECT seq, at, actor, action, kind, target, request_id, outcome, detail, hash FROM audit
		WHERE owner_id = ?` + where.String() + ` ORDER BY seq DESC LIMIT 0+?`, append(args, limit), nil
}
