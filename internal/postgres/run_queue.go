package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// DueRuns implements live.Queue.
func (db *DB) DueRuns(ctx context.Context, at time.Time, limit int) ([]live.Due, time.Time, error) {
	due, err := rowsOf(ctx, db, func(rows *rows) (live.Due, error) {
		var o, id string
		scanned := rows.Scan(&o, &id)
		return live.Due{Owner: owner.Stored(o), ID: id}, scanned
	}, `SELECT owner_id, id FROM runs WHERE wake_at <= ?
		ORDER BY row_number() OVER (PARTITION BY owner_id ORDER BY wake_at, id), wake_at, id LIMIT ?`, millis(at), limit)
	if err != nil {
		return nil, time.Time{}, err
	}
	var next sql.NullInt64
	if err := db.row(ctx, `SELECT min(wake_at) FROM runs WHERE wake_at > ?`, millis(at)).Scan(&next); err != nil {
		return nil, time.Time{}, fmt.Errorf("look for the next run: %w", err)
	}
	return due, fromMillis(next), nil
}

// ClaimRun implements live.Queue.
func (db *DB) ClaimRun(ctx context.Context, o owner.Owner, c live.Claim) (live.Run, bool, error) {
	const take = `UPDATE runs SET state = CASE state WHEN 'stopping' THEN state ELSE 'running' END, fence = fence + 1, attempts = attempts + 1,
		wake_at = ?, approvals = NULL, started_at = coalesce(started_at, ?) WHERE owner_id = ? AND id = ? AND wake_at <= ?`
	var r live.Run
	var ok bool
	err := db.w.submit(ctx, o, func(t *tx) error {
		r, ok = live.Run{}, false
		claimed, err := t.changed(take, millis(c.Until), millis(c.At), o.ID(), c.ID, millis(c.At))
		if err != nil || !claimed {
			return err
		}
		ok = true
		r, err = scanWhole(t.row(selectRun, o.ID(), c.ID))
		return err
	})
	return r, ok && err == nil, err
}

// RenewRun implements live.Queue.
func (db *DB) RenewRun(ctx context.Context, o owner.Owner, id string, fence int64, until time.Time) (bool, error) {
	var ok bool
	err := db.w.submit(ctx, o, func(t *tx) error {
		var err error
		ok, err = t.changed(`UPDATE runs SET wake_at = ? WHERE owner_id = ? AND id = ? AND fence = ? AND wake_at IS NOT NULL AND state <> 'queued'`,
			millis(until), o.ID(), id, fence)
		return err
	})
	return ok, err
}

// Advance implements live.Queue.
func (db *DB) Advance(ctx context.Context, o owner.Owner, s live.Step) (int64, bool, error) {
	row, err := recordRow(s.Run)
	if err != nil {
		return 0, false, err
	}
	var last int64
	var ok bool
	err = db.w.submit(ctx, o, func(t *tx) error {
		last, ok = 0, false
		err := t.row(`UPDATE runs SET events = events + ? WHERE owner_id = ? AND id = ? AND fence = ? AND wake_at IS NOT NULL AND state <> 'queued' RETURNING events`,
			len(s.Events), o.ID(), s.ID, s.Fence).Scan(&last)
		if isNoRows(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("number events: %w", err)
		}
		ok = true
		t.tellRun(o.ID(), s.ID)
		for i := range s.Events {
			e := &s.Events[i]
			t.send("insert an event", `INSERT INTO run_events (owner_id, run_id, seq, type, at, data) VALUES (?,?,?,?,?,?)`,
				o.ID(), s.ID, last-int64(len(s.Events)-1-i), string(e.Type), millis(e.At), string(e.Data))
		}
		if row == nil {
			return nil
		}
		const update = `UPDATE runs SET session_id = ?, root_id = ?, model = ?, state = ?, turn = CASE WHEN ?::boolean THEN NULL ELSE turn END, first_seq = ?, end_seq = ?, result = ?, failure = ?,
			approvals = ?, started_at = ?, finished_at = ?, attempts = ?, wake_at = ? WHERE owner_id = ? AND id = ?`
		t.send("update the run", update, append(row, o.ID(), s.ID)...)
		return nil
	})
	return last, ok && err == nil, err
}

// recordRow are the columns that Advance writes; nil for none.
func recordRow(r *live.Run) ([]any, error) {
	if r == nil {
		return nil, nil
	}
	result, err := jsonOf(r.Result)
	if err != nil {
		return nil, err
	}
	failure, err := jsonOf(r.Failure)
	if err != nil {
		return nil, err
	}
	var approvals any
	if len(r.Approvals) > 0 {
		if approvals, err = jsonOf(&r.Approvals); err != nil {
			return nil, err
		}
	}
	return []any{
		string(r.Session), null(r.Root), null(r.Model), string(r.State), r.State.Over(), r.FirstSeq, r.EndSeq, result, failure, approvals,
		millis(r.StartedAt), millis(r.FinishedAt), r.Attempts, millis(r.WakeAt),
	}, nil
}

// runsOf are the ids of the runs whose turns belong to a lineage, or will.
const runsOf = `SELECT id FROM runs WHERE owner_id = ?1 AND (root_id = ?2 OR session_id IN (SELECT id FROM sessions WHERE owner_id = ?1 AND root_id = ?2))`

// eraseRuns erases the runs of a lineage with their events, and what was sent to the chats
// of the lineage.
func (t *tx) eraseRuns(o owner.Owner, root session.ID) {
	for _, query := range []string{
		`DELETE FROM chat_sends WHERE owner_id = ?1 AND state IN ('sent', 'failed') AND (origin IN (` + runsOf + `) OR EXISTS (
			SELECT 1 FROM chats c JOIN sessions s ON s.owner_id = c.owner_id AND s.id = c.session_id WHERE c.owner_id = ?1 AND s.root_id = ?2
			AND c.platform = chat_sends.platform AND c.account = chat_sends.account AND c.chat_id = chat_sends.chat_id AND c.thread_id = chat_sends.thread_id))`,
		`DELETE FROM run_events WHERE owner_id = ?1 AND run_id IN (` + runsOf + `)`,
		`DELETE FROM runs WHERE owner_id = ?1 AND id IN (` + runsOf + `)`,
	} {
		t.send("delete runs", query, o.ID(), string(root))
	}
}
