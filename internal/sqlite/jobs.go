package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// jobColumns are the columns of a job in the order of scanJob.
const jobColumns = `j.owner_id, j.id, j.name, j.schedule, j.timezone, j.prompt, j.session_id, j.session_key, j.deliver, j.secret, j.repeat,
	j.catch_up, j.model, j.timeout, j.state, j.anchor, j.next_run_at, j.fires, j.created_at, j.updated_at, j.last_run_at, j.last_status,
	j.seen_own, j.seen_others`

func errNoJob() error { return fault.New(fault.NotFound, "job_not_found", "No job with this id.") }

func scanJob(row interface{ Scan(...any) error }) (o owner.Owner, j job.Job, err error) {
	var ownerID string
	var key, secret, model, status sql.NullString
	var timeout, anchor, created, updated int64
	var next, last, own, others sql.NullInt64
	err = row.Scan(&ownerID, &j.ID, &j.Name, &j.Schedule, &j.Timezone, &j.Prompt, &j.Session, &key, &j.Deliver, &secret, &j.Repeat,
		&j.CatchUp, &model, &timeout, &j.State, &anchor, &next, &j.Fires, &created, &updated, &last, &status, &own, &others)
	if isNoRows(err) {
		return o, j, errNoJob()
	}
	if err != nil {
		return o, j, fmt.Errorf("read job: %w", err)
	}
	j.Key, j.Secret, j.Model, j.LastStatus = session.Key(key.String), secret.String, model.String, job.Status(status.String)
	j.Timeout = time.Duration(timeout) * time.Millisecond
	j.Anchor, j.CreatedAt, j.UpdatedAt = bound.FromMillis(anchor), bound.FromMillis(created), bound.FromMillis(updated)
	j.NextRunAt, j.LastRunAt = fromMillis(next), fromMillis(last)
	if own.Valid {
		j.Seen = &job.Seen{Own: own.Int64, Others: others.Int64}
	}
	return owner.Stored(ownerID), j, nil
}

// CreateJob implements job.Store.
func (db *DB) CreateJob(ctx context.Context, o owner.Owner, j job.Job, most int) error {
	if err := errNoOwner(o); err != nil {
		return err
	}
	const insert = `INSERT INTO jobs (owner_id, id, name, schedule, timezone, prompt, session_id, session_key, deliver, secret, repeat,
		catch_up, model, timeout, state, anchor, next_run_at, created_at, updated_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`
	audit.From(ctx).Names(string(j.ID))
	return db.w.submit(ctx, func(t *tx) error {
		if err := t.refuseJobName(o, &j); err != nil {
			return err
		}
		var n int
		if err := t.row(`SELECT count(*) FROM jobs WHERE owner_id = ?`, o.ID()).Scan(&n); err != nil {
			return fmt.Errorf("count jobs: %w", err)
		}
		if n >= most {
			return fault.New(fault.Conflict, "too_many_jobs", fmt.Sprintf("The limit is %d jobs. Delete one that you no longer need.", most))
		}
		if _, err := t.exec(insert, o.ID(), string(j.ID), j.Name, j.Schedule, j.Timezone, j.Prompt, string(j.Session), null(j.Key),
			string(j.Deliver), null(j.Secret), j.Repeat, string(j.CatchUp), null(j.Model), j.Timeout.Milliseconds(), string(j.State),
			millis(j.Anchor), millis(j.NextRunAt), millis(j.CreatedAt), millis(j.UpdatedAt)); err != nil {
			return fmt.Errorf("insert job: %w", err)
		}
		return nil
	})
}

// refuseJobName fails if another job of the owner has the name.
func (t *tx) refuseJobName(o owner.Owner, j *job.Job) error {
	var id string
	err := t.row(`SELECT id FROM jobs WHERE owner_id = ? AND name = ? AND id <> ?`, o.ID(), j.Name, string(j.ID)).Scan(&id)
	if isNoRows(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for job: %w", err)
	}
	return fault.New(fault.Conflict, "job_exists", fmt.Sprintf(
		"There is a job named %q already: %s. Change it with PATCH, or give the new one another name.", j.Name, id)).At("name")
}

// Job implements job.Store.
func (db *DB) Job(ctx context.Context, o owner.Owner, id job.ID) (job.Job, error) {
	st, err := db.read.stmt(ctx, `SELECT `+jobColumns+` FROM jobs j WHERE j.owner_id = ? AND j.id = ?`)
	if err != nil {
		return job.Job{}, err
	}
	_, j, err := scanJob(st.QueryRowContext(ctx, o.ID(), string(id)))
	return j, err
}

// Jobs implements job.Store.
func (db *DB) Jobs(ctx context.Context, o owner.Owner) ([]job.Job, error) {
	return rowsOf(ctx, db, func(row *sql.Rows) (job.Job, error) {
		_, j, err := scanJob(row)
		return j, err
	}, `SELECT `+jobColumns+` FROM jobs j WHERE j.owner_id = ? ORDER BY j.created_at, j.id`, o.ID())
}

// rowsOf reads all rows of a query.
func rowsOf[T any](ctx context.Context, db *DB, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	return appendRows(ctx, db, nil, scan, query, args...)
}

// appendRows is rowsOf for a caller that knows about how many rows there are.
func appendRows[T any](ctx context.Context, db *DB, out []T, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	st, err := db.read.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := st.QueryContext(ctx, args...)
	if err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	return out, nil
}

// UpdateJob implements job.Store.
func (db *DB) UpdateJob(ctx context.Context, o owner.Owner, j job.Job, read time.Time) error {
	const update = `UPDATE jobs SET name = ?, schedule = ?, timezone = ?, prompt = ?, session_id = ?, session_key = ?, deliver = ?, secret = ?,
		repeat = ?, catch_up = ?, model = ?, timeout = ?, state = ?, anchor = ?, next_run_at = ?, updated_at = ? WHERE owner_id = ? AND id = ? AND updated_at = ?`
	return db.w.submit(ctx, func(t *tx) error {
		if err := t.refuseJobName(o, &j); err != nil {
			return err
		}
		changed, err := t.changed(update, j.Name, j.Schedule, j.Timezone, j.Prompt, string(j.Session), null(j.Key), string(j.Deliver),
			null(j.Secret),
			j.Repeat, string(j.CatchUp), null(j.Model), j.Timeout.Milliseconds(), string(j.State), millis(j.Anchor), millis(j.NextRunAt),
			millis(j.UpdatedAt), o.ID(), string(j.ID), millis(read))
		if err != nil || changed {
			return err
		}
		var there bool
		if err := t.row(`SELECT EXISTS (SELECT 1 FROM jobs WHERE owner_id = ? AND id = ?)`, o.ID(), string(j.ID)).Scan(&there); err != nil {
			return fmt.Errorf("look for job: %w", err)
		}
		if there {
			return job.ErrChanged()
		}
		return errNoJob()
	})
}

// changed runs a statement and reports whether it changed a row.
func (t *tx) changed(query string, args ...any) (bool, error) {
	res, err := t.exec(query, args...)
	if err != nil {
		return false, fmt.Errorf("update: %w", err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return false, fmt.Errorf("count rows: %w", err)
	}
	return n > 0, nil
}

// DeleteJob implements job.Store.
func (db *DB) DeleteJob(ctx context.Context, o owner.Owner, id job.ID) error {
	return db.w.submit(ctx, func(t *tx) error {
		for _, query := range []string{`DELETE FROM deliveries WHERE owner_id = ? AND job_id = ?`, `DELETE FROM job_runs WHERE owner_id = ? AND job_id = ?`} {
			if _, err := t.exec(query, o.ID(), string(id)); err != nil {
				return fmt.Errorf("delete runs: %w", err)
			}
		}
		found, err := t.changed(`DELETE FROM jobs WHERE owner_id = ? AND id = ?`, o.ID(), string(id))
		if err == nil && !found {
			return errNoJob()
		}
		t.erases = true
		return err
	})
}
