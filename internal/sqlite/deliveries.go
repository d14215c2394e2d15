package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/owner"
)

// sending is the state of a pending delivery under a claim. Only the store uses it, to
// tell a lease from the wait for another attempt. Callers see pending.
const sending = "sending"

// insertDelivery adds a delivery to the outbox; a run has one.
func (t *tx) insertDelivery(o owner.Owner, d *job.Delivery) error {
	if d == nil {
		return nil
	}
	const insert = `INSERT INTO deliveries (owner_id, id, job_id, due_at, target, state, wake_at, created_at) VALUES (?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING`
	if _, err := t.exec(insert, o.ID(), d.ID, string(d.Job), millis(d.DueAt), string(d.Target), string(d.State), millis(d.WakeAt),
		millis(d.CreatedAt)); err != nil {
		return fmt.Errorf("insert delivery: %w", err)
	}
	return nil
}

// ClaimDelivery implements job.Ledger.
func (db *DB) ClaimDelivery(ctx context.Context, o owner.Owner, id string, at, until time.Time) (job.Delivery, bool, error) {
	const claim = `UPDATE deliveries SET state = '` + sending + `', attempts = attempts + 1, fence = fence + 1, wake_at = ? WHERE owner_id = ? AND id = ? AND wake_at <= ?`
	const read = `SELECT ` + deliveryColumns + `, ` + fireColumns + `, j.name, j.secret FROM deliveries d
		JOIN job_runs r ON r.owner_id = d.owner_id AND r.job_id = d.job_id AND r.due_at = d.due_at
		JOIN jobs j ON j.owner_id = d.owner_id AND j.id = d.job_id WHERE d.owner_id = ? AND d.id = ?`
	var d deliveryRow
	var r fireRow
	var name string
	var secret sql.NullString
	var ok bool
	err := db.w.submit(ctx, func(t *tx) error {
		d, r, ok = deliveryRow{}, fireRow{}, false
		claimed, err := t.changed(claim, millis(until), o.ID(), id, millis(at))
		if err != nil || !claimed {
			return err
		}
		ok = true
		if err := t.row(read, o.ID(), id).Scan(append(append(d.dest(), r.dest()...), &name, &secret)...); err != nil {
			return fmt.Errorf("read delivery: %w", err)
		}
		return nil
	})
	if err != nil || !ok {
		return job.Delivery{}, false, err
	}
	out, run := d.value(), r.value()
	out.Run, out.JobName, out.Secret = &run, name, secret.String
	return *out, true, nil
}

// SettleDelivery implements job.Ledger.
func (db *DB) SettleDelivery(ctx context.Context, o owner.Owner, d job.Delivery) (bool, error) {
	var ok bool
	err := db.w.submit(ctx, func(t *tx) error {
		var err error
		ok, err = t.changed(`UPDATE deliveries SET state = ?1, attempts = CASE WHEN ?1 = 'waiting' THEN 1 ELSE attempts END, wake_at = ?2, error = ?3, delivered_at = ?4
			WHERE owner_id = ?5 AND id = ?6 AND fence = ?7 AND state = '`+sending+`'`,
			string(d.State), millis(d.WakeAt), null(d.Error), millis(d.DeliveredAt), o.ID(), d.ID, d.Fence)
		return err
	})
	return ok, err
}

// ReopenDelivery implements job.Ledger.
func (db *DB) ReopenDelivery(ctx context.Context, o owner.Owner, id string, at time.Time) (bool, error) {
	var ok bool
	err := db.w.submit(ctx, func(t *tx) error {
		var err error
		ok, err = t.changed(`UPDATE deliveries SET wake_at = ? WHERE owner_id = ? AND id = ? AND state IN ('delivered', 'waiting')`, millis(at), o.ID(), id)
		return err
	})
	return ok, err
}
