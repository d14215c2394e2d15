package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/study"
)

// workColumns are the columns of an item in the order of scanWork.
const workColumns = `root_id, kind, state = 'running', wake_at, asked, fence, attempts, error, updated_at`

func scanWork(row scanner) (study.Item, error) {
	var it study.Item
	var wake, updated int64
	var problem sql.NullString
	if err := row.Scan(&it.Root, &it.Kind, &it.Running, &wake, &it.Asked, &it.Fence, &it.Attempts, &problem, &updated); err != nil {
		return it, fmt.Errorf("read work: %w", err)
	}
	it.WakeAt, it.UpdatedAt, it.Error = bound.FromMillis(wake), bound.FromMillis(updated), problem.String
	return it, nil
}

// WantWork implements study.Queue.
func (db *DB) WantWork(ctx context.Context, o owner.Owner, items []study.Item) error {
	if err := errNoOwner(o); err != nil {
		return err
	}
	const want = `INSERT INTO work AS w (owner_id, root_id, kind, state, wake_at, asked, fence, updated_at)
		SELECT ?1::text, ?2::text, ?3::text, 'waiting', ?4::bigint, 1, ?5::bigint, ?5::bigint
		WHERE EXISTS (SELECT 1 FROM sessions WHERE owner_id = ?1 AND root_id = ?2)
		ON CONFLICT (owner_id, root_id, kind) DO UPDATE SET asked = w.asked + 1,
			wake_at = CASE WHEN w.state = 'running' OR w.error IS NOT NULL THEN w.wake_at ELSE excluded.wake_at END`
	return db.w.submit(ctx, o, func(t *tx) error {
		for i := range items {
			it := &items[i]
			t.send("ask for work", want, o.ID(), string(it.Root), string(it.Kind), bound.Millis(it.WakeAt), bound.Millis(it.UpdatedAt))
		}
		return nil
	})
}

// DueWork implements study.Queue.
func (db *DB) DueWork(ctx context.Context, at time.Time, kinds []curate.Work, limit int) ([]study.Due, time.Time, error) {
	wanted := textsOf(kinds)
	due, err := rowsOf(ctx, db, func(rows *rows) (study.Due, error) {
		var o string
		var d study.Due
		scanned := rows.Scan(&o, &d.Root, &d.Kind)
		d.Owner = owner.Stored(o)
		return d, scanned
	}, `SELECT owner_id, root_id, kind FROM work WHERE wake_at <= ? AND kind = ANY(?)
		ORDER BY row_number() OVER (PARTITION BY owner_id ORDER BY wake_at, root_id, kind), wake_at, root_id, kind LIMIT ?`,
		bound.Millis(at), wanted, limit)
	if err != nil {
		return nil, time.Time{}, err
	}
	var next sql.NullInt64
	if err := db.row(ctx, `SELECT min(wake_at) FROM work WHERE wake_at > ? AND kind = ANY(?)`, bound.Millis(at), wanted).Scan(&next); err != nil {
		return nil, time.Time{}, fmt.Errorf("look for the next work: %w", err)
	}
	return due, fromMillis(next), nil
}

// ClaimWork implements study.Queue.
func (db *DB) ClaimWork(ctx context.Context, o owner.Owner, c study.Claim) (study.Item, bool, error) {
	const take = `UPDATE work SET state = 'running', fence = fence + 1, attempts = attempts + 1, wake_at = ?1, updated_at = ?2
		WHERE owner_id = ?3 AND root_id = ?4 AND kind = ?5 AND wake_at <= ?2`
	var it study.Item
	var ok bool
	err := db.w.submit(ctx, o, func(t *tx) error {
		var err error
		if ok, err = t.changed(take, bound.Millis(c.Until), bound.Millis(c.At), o.ID(), string(c.Root), string(c.Kind)); err != nil || !ok {
			return err
		}
		it, err = scanWork(t.row(`SELECT `+workColumns+` FROM work WHERE owner_id = ? AND root_id = ? AND kind = ?`, o.ID(), string(c.Root), string(c.Kind)))
		return err
	})
	return it, ok && err == nil, err
}

// RenewWork implements study.Queue.
func (db *DB) RenewWork(ctx context.Context, o owner.Owner, it *study.Item, until time.Time) (bool, error) {
	var ok bool
	err := db.w.submit(ctx, o, func(t *tx) error {
		var err error
		ok, err = t.changed(`UPDATE work SET wake_at = ? WHERE owner_id = ? AND root_id = ? AND kind = ? AND fence = ? AND state = 'running'`,
			bound.Millis(until), o.ID(), string(it.Root), string(it.Kind), it.Fence)
		return err
	})
	return ok, err
}

// SettleWork implements study.Queue.
func (db *DB) SettleWork(ctx context.Context, o owner.Owner, it *study.Item, done bool) (bool, error) {
	const held = ` WHERE owner_id = ? AND root_id = ? AND kind = ? AND fence = ? AND state = 'running'`
	claim := []any{o.ID(), string(it.Root), string(it.Kind), it.Fence}
	var ok bool
	err := db.w.submit(ctx, o, func(t *tx) error {
		var err error
		if done {
			if ok, err = t.changed(`DELETE FROM work`+held+` AND asked = ?`, append(claim[:4:4], it.Asked)...); err != nil || ok {
				return err
			}
			ok, err = t.changed(`UPDATE work SET state = 'waiting', wake_at = ?, attempts = 0, error = NULL, updated_at = ?`+held,
				append([]any{bound.Millis(it.UpdatedAt), bound.Millis(it.UpdatedAt)}, claim...)...)
			return err
		}
		ok, err = t.changed(`UPDATE work SET state = 'waiting', wake_at = ?, attempts = ?, error = ?, updated_at = ?`+held,
			append([]any{bound.Millis(it.WakeAt), it.Attempts, null(it.Error), bound.Millis(it.UpdatedAt)}, claim...)...)
		return err
	})
	return ok, err
}

// holds refuses to store results under a lost claim.
func (t *tx) holds(o owner.Owner, task *curate.Task) error {
	if task.Fence == 0 {
		return nil
	}
	var held bool
	if err := t.row(`SELECT EXISTS (SELECT 1 FROM work WHERE owner_id = ? AND root_id = ? AND kind = ? AND fence = ? AND state = 'running')`,
		o.ID(), string(task.Root), string(task.Kind), task.Fence).Scan(&held); err != nil {
		return fmt.Errorf("look for a claim: %w", err)
	}
	if !held {
		return fault.New(fault.Conflict, "claim_lost", "Another worker has claimed this task meanwhile.")
	}
	return nil
}

// Work implements study.Store.
func (db *DB) Work(ctx context.Context, o owner.Owner, f study.Filter) ([]study.Item, error) {
	return rowsOf(ctx, db, func(rows *rows) (study.Item, error) { return scanWork(rows) },
		`SELECT `+workColumns+` FROM work WHERE owner_id = ? AND (root_id, kind) > (?, ?) ORDER BY root_id, kind LIMIT ?`,
		o.ID(), string(f.After.Root), string(f.After.Kind), f.Limit)
}

// WorkCounts implements study.Store.
func (db *DB) WorkCounts(ctx context.Context, at time.Time) (study.Counts, error) {
	var c study.Counts
	if err := db.row(ctx, `SELECT count(*) FILTER (WHERE state = 'waiting' OR wake_at <= ?1), count(*) FILTER (WHERE state = 'running' AND wake_at > ?1),
		count(*) FILTER (WHERE state = 'waiting' AND error IS NOT NULL),
		coalesce((SELECT error FROM work WHERE error IS NOT NULL ORDER BY updated_at DESC LIMIT 1), '') FROM work`, bound.Millis(at)).Scan(&c.Waiting, &c.Running, &c.Failing, &c.Error); err != nil {
		return c, fmt.Errorf("count work: %w", err)
	}
	return c, nil
}
