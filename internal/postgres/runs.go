package postgres

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// runColumns are the columns of a run, except its turn, in the order of scanRun.
const runColumns = `id, kind, session_id, root_id, session_key, model, state, on_restart, request, first_seq, end_seq, result, failure,
	approvals, client_key, client_hash, created_at, started_at, finished_at, attempts, fence, wake_at, events`

func errNoRun() error { return fault.New(fault.NotFound, "run_not_found", "No run with this id.") }

// jsonOf is a value in stored form; nil becomes null.
func jsonOf[T any](v *T) (any, error) {
	if v == nil {
		return nil, nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return string(text), nil
}

// fromJSON reads what jsonOf stored. It returns nil for null, and for a damaged column,
// which must not hide the other runs.
func fromJSON[T any](text []byte) *T {
	v := new(T)
	if text == nil || json.Unmarshal(text, v) != nil {
		return nil
	}
	return v
}

func scanRun(row scanner) (live.Run, error) {
	var r live.Run
	var root, key, model, client sql.NullString
	var request, result, failure, approvals []byte
	var created int64
	var started, finished, wake sql.NullInt64
	err := row.Scan(&r.ID, &r.Kind, &r.Session, &root, &key, &model, &r.State, &r.OnRestart, &request, &r.FirstSeq, &r.EndSeq, &result,
		&failure,
		&approvals, &client, &r.ClientHash, &created, &started, &finished, &r.Attempts, &r.Fence, &wake, &r.Events)
	if isNoRows(err) {
		return r, errNoRun()
	}
	if err != nil {
		return r, fmt.Errorf("read run: %w", err)
	}
	r.Root, r.Key, r.Model, r.ClientKey = session.ID(root.String), session.Key(key.String), model.String, client.String
	r.Request, r.CreatedAt = request, bound.FromMillis(created)
	r.StartedAt, r.FinishedAt, r.WakeAt = fromMillis(started), fromMillis(finished), fromMillis(wake)
	r.Result, r.Failure = fromJSON[run.Result](result), fromJSON[live.Failure](failure)
	if asks := fromJSON[[]live.Approval](approvals); asks != nil {
		r.Approvals = *asks
	}
	return r, nil
}

// withTurn scans a run with the additional column turn.
type withTurn struct {
	scanner
	turn *[]byte
}

// Scan reads the run's columns and the additional one.
func (w withTurn) Scan(dest ...any) error { return w.scanner.Scan(append(dest, w.turn)...) }

func scanWhole(row scanner) (live.Run, error) {
	var turn []byte
	r, err := scanRun(withTurn{row, &turn})
	r.Turn = turn
	return r, err
}

const selectRun = `SELECT ` + runColumns + `, turn FROM runs WHERE owner_id = ? AND id = ?`

// CreateRun implements live.Store.
func (db *DB) CreateRun(ctx context.Context, o owner.Owner, r live.Run, b live.Bounds) (live.Run, bool, error) {
	if err := errNoOwner(o); err != nil {
		return live.Run{}, false, err
	}
	const insert = `INSERT INTO runs (owner_id, id, kind, session_id, session_key, model, state, on_restart, request, turn, client_key, client_hash,
		created_at, started_at, attempts, fence, wake_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`
	got, made := r, false
	err := db.w.submit(ctx, o, func(t *tx) error {
		got, made = r, false
		earlier, err := t.sameRequest(o, &r, b.KeysSince)
		if err != nil {
			return err
		}
		if earlier != nil {
			got = *earlier
			return nil
		}
		if err := t.roomForRun(o, r.ID, b); err != nil {
			return err
		}
		if _, err := t.exec(insert, o.ID(), r.ID, string(r.Kind), string(r.Session), null(r.Key), null(r.Model), string(r.State),
			string(r.OnRestart),
			nullBytes(r.Request), nullBytes(r.Turn), null(r.ClientKey), r.ClientHash, millis(r.CreatedAt), millis(r.StartedAt), r.Attempts, r.Fence,
			millis(r.WakeAt)); err != nil {
			return fmt.Errorf("insert run: %w", err)
		}
		made = true
		return nil
	})
	return got, made && err == nil, err
}

// sameRequest returns the run of the same client key; nil for none. An expired key is
// free again.
func (t *tx) sameRequest(o owner.Owner, r *live.Run, since time.Time) (*live.Run, error) {
	if r.ClientKey == "" {
		return nil, nil
	}
	if _, err := t.exec(`UPDATE runs SET client_key = NULL WHERE owner_id = ? AND kind = ? AND client_key = ? AND created_at < ?`,
		o.ID(), string(r.Kind), r.ClientKey, millis(since)); err != nil {
		return nil, fmt.Errorf("release key: %w", err)
	}
	earlier, err := scanWhole(t.row(`SELECT `+runColumns+`, turn FROM runs WHERE owner_id = ? AND kind = ? AND client_key = ?`,
		o.ID(), string(r.Kind), r.ClientKey))
	if fault.KindOf(err) == fault.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(earlier.ClientHash, r.ClientHash) {
		return nil, fault.New(fault.Conflict, "idempotency_key_conflict",
			"This Idempotency-Key was used with another request. Use a new key for a new request.").At("Idempotency-Key")
	}
	return &earlier, nil
}

// roomForRun refuses a run over the limit, and an id that is taken.
func (t *tx) roomForRun(o owner.Owner, id string, b live.Bounds) error {
	var same, own, all int
	if err := t.row(`SELECT (SELECT count(*) FROM runs WHERE owner_id = ?1 AND id = ?2),
		(SELECT count(*) FROM runs WHERE owner_id = ?1 AND wake_at IS NOT NULL), (SELECT count(*) FROM runs WHERE wake_at IS NOT NULL)`,
		o.ID(), id).Scan(&same, &own, &all); err != nil {
		return fmt.Errorf("count runs: %w", err)
	}
	switch {
	case same > 0:
		return fault.New(fault.Conflict, "run_exists", "A run with this id exists already.")
	case own >= b.Each || all >= b.All:
		f := fault.New(fault.RateLimited, "too_many_runs", fmt.Sprintf("Too many runs are not over yet (%d of yours). Try again when one is over.", own))
		f.RetryAfter = 5 * time.Second
		return f
	}
	return nil
}

// Run implements live.Store.
func (db *DB) Run(ctx context.Context, o owner.Owner, id string) (live.Run, error) {
	return scanWhole(db.row(ctx, selectRun, o.ID(), id))
}

// Runs implements live.Store.
func (db *DB) Runs(ctx context.Context, o owner.Owner, f live.Filter) ([]live.Run, error) {
	var before any
	if !f.Before.CreatedAt.IsZero() {
		before = bound.Millis(f.Before.CreatedAt)
	}
	return rowsOf(ctx, db, func(rows *rows) (live.Run, error) { return scanRun(rows) }, `SELECT `+runColumns+` FROM runs
		WHERE owner_id = ?1 AND (?2::text = '' OR kind = ?2) AND (?3::bigint IS NULL OR (created_at, id) < (?3, ?4::text))
		AND (?6::text = '' OR state = ?6) AND (NOT ?7::boolean OR state NOT IN ('completed', 'failed', 'cancelled', 'interrupted'))
		AND (?8::text = '' OR session_id = ?8 OR root_id = ?8 OR coalesce(root_id, session_id) IN
			(SELECT l.id FROM sessions l JOIN sessions k ON k.owner_id = l.owner_id AND k.root_id = l.root_id WHERE k.owner_id = ?1 AND k.id = ?8))
		ORDER BY created_at DESC, id DESC LIMIT ?5`,
		o.ID(), string(f.Kind), before, f.Before.ID, f.Limit, string(f.State), f.Open, string(f.Session))
}

// Events implements live.Store. It reads the state first, because a finished run has
// all its events.
func (db *DB) Events(ctx context.Context, o owner.Owner, id string, after int64, limit int) ([]live.Event, live.State, error) {
	var state live.State
	err := db.row(ctx, `SELECT state FROM runs WHERE owner_id = ? AND id = ?`, o.ID(), id).Scan(&state)
	if isNoRows(err) {
		return nil, "", errNoRun()
	}
	if err != nil {
		return nil, "", fmt.Errorf("read run: %w", err)
	}
	events, err := rowsOf(ctx, db, func(rows *rows) (live.Event, error) {
		var e live.Event
		var at int64
		var data []byte
		scanned := rows.Scan(&e.Seq, &e.Type, &at, &data)
		e.At, e.Data = bound.FromMillis(at), data
		return e, scanned
	}, `SELECT seq, type, at, data FROM run_events WHERE owner_id = ? AND run_id = ? AND seq > ? ORDER BY seq LIMIT ?`, o.ID(), id, after, limit)
	return events, state, err
}

// DeleteRun implements live.Store.
func (db *DB) DeleteRun(ctx context.Context, o owner.Owner, id string) error {
	return db.w.submit(ctx, o, func(t *tx) error {
		t.send("delete events", `DELETE FROM run_events WHERE owner_id = ? AND run_id = ?`, o.ID(), id)
		t.tellRun(o.ID(), id)
		found, err := t.changed(`DELETE FROM runs WHERE owner_id = ? AND id = ?`, o.ID(), id)
		if err == nil && !found {
			return errNoRun()
		}
		return err
	})
}
