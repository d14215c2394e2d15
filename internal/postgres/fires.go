package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"time"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// fireColumns are the columns of a fire in the order of fireRow.
const fireColumns = `r.id, r.job_id, r.due_at, r.status, r.reason, r.manual, r.wake_at, r.fence, r.attempts, r.started_at, r.finished_at,
	r.output, r.error, r.session_id, r.responder, r.input_tokens, r.output_tokens`

// deliveryColumns are the columns of a delivery in the order of deliveryRow.
const deliveryColumns = `d.id, d.job_id, d.due_at, d.target, d.state, d.attempts, d.fence, d.wake_at, d.error, d.created_at, d.delivered_at`

// fireRow scans a fire.
type fireRow struct {
	run                                       job.Fire
	due                                       int64
	reason, output, problem, sess, responding sql.NullString
	wake, started, finished                   sql.NullInt64
}

func (r *fireRow) dest() []any {
	return []any{
		&r.run.ID, &r.run.Job, &r.due, &r.run.Status, &r.reason, &r.run.Manual, &r.wake, &r.run.Fence, &r.run.Attempts, &r.started, &r.finished,
		&r.output, &r.problem, &r.sess, &r.responding, &r.run.InputTokens, &r.run.OutputTokens,
	}
}

func (r *fireRow) value() job.Fire {
	v := r.run
	v.DueAt, v.WakeAt, v.StartedAt, v.FinishedAt = bound.FromMillis(r.due), fromMillis(r.wake), fromMillis(r.started), fromMillis(r.finished)
	v.Reason, v.Output, v.Error, v.Session, v.Responder = r.reason.String, r.output.String, r.problem.String, session.ID(r.sess.String),
		r.responding.String
	return v
}

// deliveryRow scans a delivery, which may be absent.
type deliveryRow struct {
	id, jobID, target, state, problem   sql.NullString
	due, wake, created, done, tries, no sql.NullInt64
}

func (r *deliveryRow) dest() []any {
	return []any{&r.id, &r.jobID, &r.due, &r.target, &r.state, &r.tries, &r.no, &r.wake, &r.problem, &r.created, &r.done}
}

func (r *deliveryRow) value() *job.Delivery {
	if !r.id.Valid {
		return nil
	}
	state := job.DeliveryState(r.state.String)
	if state == sending {
		state = job.Pending
	}
	return &job.Delivery{
		ID: r.id.String, Job: job.ID(r.jobID.String), DueAt: fromMillis(r.due), Target: job.Target(r.target.String),
		State: state, Attempts: int(r.tries.Int64), Fence: r.no.Int64, WakeAt: fromMillis(r.wake),
		Error: r.problem.String, CreatedAt: fromMillis(r.created), DeliveredAt: fromMillis(r.done),
	}
}

// selectFires selects slots r with their deliveries d.
const selectFires = `SELECT ` + fireColumns + `, ` + deliveryColumns + ` FROM job_runs r
	LEFT JOIN deliveries d ON d.owner_id = r.owner_id AND d.job_id = r.job_id AND d.due_at = r.due_at `

func scanFire(rows *rows) (job.Fire, error) {
	var r fireRow
	var d deliveryRow
	if err := rows.Scan(append(r.dest(), d.dest()...)...); err != nil {
		return job.Fire{}, fmt.Errorf("read run: %w", err)
	}
	out := r.value()
	out.Delivery = d.value()
	return out, nil
}

// Fires implements job.Store.
func (db *DB) Fires(ctx context.Context, o owner.Owner, id job.ID, before time.Time, limit int) ([]job.Fire, error) {
	const query = selectFires + `WHERE r.owner_id = ? AND r.job_id = ? AND r.due_at < ? ORDER BY r.due_at DESC LIMIT ?`
	return rowsOf(ctx, db, scanFire, query, o.ID(), string(id), dueBefore(before), limit)
}

// AllFires implements job.History.
func (db *DB) AllFires(ctx context.Context, o owner.Owner, f job.FireFilter) ([]job.Fire, error) {
	const query = selectFires + `WHERE r.owner_id = ?1 AND (?2::text = '' OR r.status = ?2) AND r.due_at >= ?3::bigint
		AND (r.due_at < ?4::bigint OR r.due_at = ?4 AND r.job_id > ?5::text AND ?5 <> '') ORDER BY r.due_at DESC, r.job_id LIMIT ?6`
	since := int64(math.MinInt64)
	if !f.Since.IsZero() {
		since = bound.Millis(f.Since)
	}
	return rowsOf(ctx, db, scanFire, query, o.ID(), string(f.Status), since, dueBefore(f.Before), string(f.Beyond), f.Limit)
}

// dueBefore is a bound of due times; the zero time sets none.
func dueBefore(t time.Time) int64 {
	if t.IsZero() {
		return math.MaxInt64
	}
	return bound.Millis(t)
}

const insertRun = `INSERT INTO job_runs (owner_id, job_id, due_at, id, status, reason, manual, wake_at, finished_at)
	VALUES (?,?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING`

func (t *tx) insertRun(o owner.Owner, r *job.Fire) (bool, error) {
	return t.changed(insertRun, o.ID(), string(r.Job), millis(r.DueAt), r.ID, string(r.Status), null(r.Reason), r.Manual, millis(r.WakeAt),
		millis(r.FinishedAt))
}

// AddFire implements job.Store.
func (db *DB) AddFire(ctx context.Context, o owner.Owner, r job.Fire) error {
	return db.w.submit(ctx, o, func(t *tx) error {
		var jobs, open int
		if err := t.row(`SELECT (SELECT count(*) FROM jobs WHERE owner_id = ?1 AND id = ?2),
			(SELECT count(*) FROM job_runs WHERE owner_id = ?1 AND job_id = ?2 AND (wake_at IS NOT NULL OR due_at = ?3))`,
			o.ID(), string(r.Job), millis(r.DueAt)).Scan(&jobs, &open); err != nil {
			return fmt.Errorf("look for runs: %w", err)
		}
		if jobs == 0 {
			return errNoJob()
		}
		if open > 0 {
			return fault.New(fault.Conflict, "job_busy", "A run of this job is not over yet. Wait for it (hermes jobs runs NAME), and try again.")
		}
		_, err := t.insertRun(o, &r)
		return err
	})
}

// Agenda implements job.Ledger. Retries of paused jobs are held back.
func (db *DB) Agenda(ctx context.Context, at time.Time, limit int) (job.Agenda, error) {
	var a job.Agenda
	var err error
	a.Jobs, err = rowsOf(ctx, db, func(rows *rows) (job.DueJob, error) {
		var d job.DueJob
		var scanned error
		d.Owner, d.Job, scanned = scanJob(busyRow{rows, &d.Busy})
		return d, scanned
	}, `SELECT `+jobColumns+`, EXISTS (SELECT 1 FROM job_runs r WHERE r.owner_id = j.owner_id AND r.job_id = j.id AND r.wake_at IS NOT NULL)
		FROM jobs j WHERE j.next_run_at <= ? ORDER BY j.next_run_at LIMIT ?`, millis(at), limit)
	if err != nil {
		return a, err
	}
	a.Fires, err = rowsOf(ctx, db, func(rows *rows) (job.DueFire, error) {
		var o, id string
		var due int64
		scanned := rows.Scan(&o, &id, &due)
		return job.DueFire{Owner: owner.Stored(o), Job: job.ID(id), DueAt: bound.FromMillis(due)}, scanned
	}, `SELECT r.owner_id, r.job_id, r.due_at `+runnable+` AND r.wake_at <= ?1 AND NOT EXISTS (SELECT 1 FROM job_runs x
		WHERE x.owner_id = r.owner_id AND x.job_id = r.job_id AND x.due_at <> r.due_at AND x.status = 'running' AND x.wake_at > ?1)
		ORDER BY row_number() OVER (PARTITION BY r.owner_id ORDER BY r.wake_at, r.due_at), r.wake_at, r.due_at LIMIT ?2`, millis(at), limit)
	if err != nil {
		return a, err
	}
	a.Deliveries, err = rowsOf(ctx, db, func(rows *rows) (job.DueDelivery, error) {
		var o, id string
		scanned := rows.Scan(&o, &id)
		return job.DueDelivery{Owner: owner.Stored(o), ID: id}, scanned
	}, `SELECT owner_id, id FROM deliveries WHERE wake_at <= ?
		ORDER BY row_number() OVER (PARTITION BY owner_id ORDER BY wake_at), wake_at LIMIT ?`, millis(at), limit)
	if err != nil {
		return a, err
	}
	var next sql.NullInt64
	if err := db.row(ctx, `SELECT min(at) FROM (SELECT min(next_run_at) AS at FROM jobs WHERE next_run_at > ?1
		UNION ALL SELECT min(r.wake_at) `+runnable+` AND r.wake_at > ?1 UNION ALL SELECT min(wake_at) FROM deliveries WHERE wake_at > ?1) x`, millis(at)).Scan(&next); err != nil {
		return a, fmt.Errorf("look for the next: %w", err)
	}
	a.Next = fromMillis(next)
	return a, nil
}

// runnable are the slots of jobs that are not paused, as far as they are not over.
const runnable = `FROM job_runs r JOIN jobs j ON j.owner_id = r.owner_id AND j.id = r.job_id
	WHERE r.wake_at IS NOT NULL AND (j.state <> 'paused' OR r.manual OR r.status = 'running')`

// busyRow scans a job with one additional column.
type busyRow struct {
	*rows
	busy *bool
}

// Scan reads the job's columns and the additional one.
func (r busyRow) Scan(dest ...any) error { return r.rows.Scan(append(dest, r.busy)...) }

// OpenSlots implements job.Ledger.
func (db *DB) OpenSlots(ctx context.Context, o owner.Owner, op job.Opening) (bool, error) {
	var moved bool
	err := db.w.submit(ctx, o, func(t *tx) error {
		var err error
		if moved, err = t.changed(`UPDATE jobs SET next_run_at = ?, state = ? WHERE owner_id = ? AND id = ? AND next_run_at = ?`,
			millis(op.Next), string(op.State), o.ID(), string(op.Job), millis(op.Was)); err != nil || !moved {
			return err
		}
		fires := 0
		for i := range op.Slots {
			r := &op.Slots[i]
			added, err := t.insertRun(o, r)
			if err != nil {
				return err
			}
			if added && r.Status == job.Due {
				fires++
			}
		}
		_, err = t.changed(`UPDATE jobs SET fires = fires + ? WHERE owner_id = ? AND id = ?`, fires, o.ID(), string(op.Job))
		return err
	})
	return moved, err
}

const claimRun = `UPDATE job_runs AS r SET status = 'running', fence = r.fence + 1, attempts = r.attempts + 1, wake_at = ?1,
	started_at = coalesce(r.started_at, ?2), error = NULL
	WHERE r.owner_id = ?3 AND r.job_id = ?4 AND r.due_at = ?5 AND r.wake_at <= ?2 AND NOT EXISTS (SELECT 1 FROM job_runs x
		WHERE x.owner_id = ?3 AND x.job_id = ?4 AND x.due_at <> ?5 AND x.status = 'running' AND x.wake_at > ?2)`

// ClaimFire implements job.Ledger.
func (db *DB) ClaimFire(ctx context.Context, o owner.Owner, c job.Claim) (job.Fire, bool, error) {
	var row fireRow
	var ok bool
	err := db.w.submit(ctx, o, func(t *tx) error {
		row, ok = fireRow{}, false
		claimed, err := t.changed(claimRun, millis(c.Until), millis(c.At), o.ID(), string(c.Job), millis(c.DueAt))
		if err != nil || !claimed {
			return err
		}
		ok = true
		if err := t.row(`SELECT `+fireColumns+` FROM job_runs r WHERE r.owner_id = ? AND r.job_id = ? AND r.due_at = ?`,
			o.ID(), string(c.Job), millis(c.DueAt)).Scan(row.dest()...); err != nil {
			return fmt.Errorf("read run: %w", err)
		}
		return nil
	})
	if err != nil || !ok {
		return job.Fire{}, false, err
	}
	return row.value(), true, nil
}

// RenewFire implements job.Ledger.
func (db *DB) RenewFire(ctx context.Context, o owner.Owner, r *job.Fire, until time.Time) (bool, error) {
	var ok bool
	err := db.w.submit(ctx, o, func(t *tx) error {
		var err error
		ok, err = t.changed(`UPDATE job_runs SET wake_at = ? WHERE owner_id = ? AND job_id = ? AND due_at = ? AND fence = ? AND status = 'running'`,
			millis(until), o.ID(), string(r.Job), millis(r.DueAt), r.Fence)
		return err
	})
	return ok, err
}

// SettleFire implements job.Ledger.
func (db *DB) SettleFire(ctx context.Context, o owner.Owner, s job.Settlement) (bool, error) {
	const settle = `UPDATE job_runs SET status = ?, reason = ?, wake_at = ?, finished_at = ?, output = ?, error = ?, session_id = ?, responder = ?,
		input_tokens = ?, output_tokens = ? WHERE owner_id = ? AND job_id = ? AND due_at = ? AND fence = ? AND status = 'running'`
	const show = `UPDATE jobs SET last_run_at = greatest(coalesce(last_run_at, 0), ?), last_status = ?, seen_own = coalesce(?, seen_own),
		seen_others = coalesce(?, seen_others) WHERE owner_id = ? AND id = ?`
	r := &s.Run
	var own, others any
	if s.Seen != nil {
		own, others = s.Seen.Own, s.Seen.Others
	}
	var ok bool
	err := db.w.submit(ctx, o, func(t *tx) error {
		var err error
		if ok, err = t.changed(settle, string(r.Status), null(r.Reason), millis(r.WakeAt), millis(r.FinishedAt), null(r.Output), null(r.Error),
			null(r.Session), null(r.Responder), r.InputTokens, r.OutputTokens, o.ID(), string(r.Job), millis(r.DueAt), r.Fence); err != nil || !ok {
			return err
		}
		if _, err := t.changed(show, millis(r.StartedAt), string(r.Status), own, others, o.ID(), string(r.Job)); err != nil {
			return err
		}
		return t.insertDelivery(o, s.Delivery)
	})
	return ok, err
}
