package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/storage"
)

// Ended counts what was under way in a backup and ends with its restoring.
type Ended struct {
	Runs   int64 `json:"runs"`
	Fires  int64 `json:"job_runs"`
	Unsent int64 `json:"unsent"` // deliveries of jobs, and messages on chat platforms
	Events int64 `json:"events"` // messages of people that will get no answer
	Passes int64 `json:"passes"`
}

// EndRestored ends what was under way when a backup was made. A run ends as interrupted; what
// was still to be sent is not sent, because it may have been sent since; people sign in again.
func (db *DB) EndRestored(ctx context.Context, at time.Time) (Ended, error) {
	const why = "It was under way when the backup was made that was restored."
	failure, err := json.Marshal(live.Failure{Kind: fault.Unavailable, Code: "restored", Message: why})
	if err != nil {
		return Ended{}, fmt.Errorf("encode: %w", err)
	}
	var out Ended
	err = db.w.submit(ctx, func(t *tx) error {
		out = Ended{}
		for _, step := range []struct {
			count *int64
			query string
			args  []any
		}{
			{&out.Runs, `UPDATE runs SET state = 'interrupted', turn = NULL, approvals = NULL, wake_at = NULL, finished_at = ?, failure = ?
				WHERE state NOT IN ('completed', 'failed', 'cancelled', 'interrupted')`, []any{millis(at), string(failure)}},
			{&out.Fires, `UPDATE job_runs SET status = 'skipped', reason = ?, wake_at = NULL, finished_at = ?
				WHERE status IN ('due', 'running') OR wake_at IS NOT NULL`, []any{why, millis(at)}},
			{&out.Unsent, `UPDATE deliveries SET state = 'failed', error = ?, wake_at = NULL
				WHERE state NOT IN ('stored', 'silent', 'delivered', 'failed')`, []any{why}},
			{&out.Unsent, `UPDATE chat_sends SET state = 'failed', error = ?, wake_at = NULL WHERE state NOT IN ('sent', 'failed')`, []any{why}},
			{&out.Events, `UPDATE chat_events SET state = 'ignored', reason = ?, body = NULL, plan = NULL, label = NULL
				WHERE ` + storage.EventOpen, []any{why}},
			{&out.Passes, `DELETE FROM passes`, nil},
		} {
			res, err := t.exec(step.query, step.args...)
			if err != nil {
				return fmt.Errorf("end what was under way: %w", err)
			}
			n, err := res.RowsAffected()
			if err != nil {
				return fmt.Errorf("end what was under way: %w", err)
			}
			*step.count += n
		}
		return nil
	})
	return out, err
}

// CarryErasures stores erasures of another state of this database, so that imports leave out
// what was forgotten there. Those under another key mean nothing here.
func (db *DB) CarryErasures(ctx context.Context, o owner.Owner, erasures []memory.Erasure) error {
	return db.w.submit(ctx, func(t *tx) error {
		for i := range erasures {
			e := &erasures[i]
			if string(e.Key) != string(db.hashKey) {
				continue
			}
			form := foldedErasure
			if e.Plain {
				form = plainErasure
			}
			if _, err := t.exec(`INSERT OR IGNORE INTO erasures (owner_id, hash, words, erased_at, form) VALUES (?,?,?,?,?)`,
				o.ID(), e.Hash[:], e.Words, millis(e.At), form); err != nil {
				return fmt.Errorf("carry an erasure over: %w", err)
			}
		}
		return nil
	})
}

// Replaced is what a restored database must learn from the one that it replaces.
type Replaced struct {
	Key      []byte // of the hashes
	Erasures []OwnedErasure
	Keys     bool     // there is, or was, an API key
	Revoked  []string // ids of API keys
}

// OwnedErasure is an erasure with the id of its owner.
type OwnedErasure struct {
	Owner string
	memory.Erasure
}

// ReadReplaced reads a database file that no process has open.
func ReadReplaced(ctx context.Context, path string) (*Replaced, error) {
	conn, done, err := openOnly(ctx, path)
	if err != nil {
		return nil, err
	}
	defer done()
	r := &Replaced{}
	if r.Key, err = readErasureKey(ctx, conn); err != nil {
		return nil, err
	}
	const erasures = `SELECT owner_id, hash, words, erased_at, form FROM erasures WHERE form <> 0 AND length(hash) = 32`
	err = eachOf(ctx, conn, erasures, func(rows *sql.Rows) error {
		e := OwnedErasure{Erasure: memory.Erasure{Key: r.Key}}
		var hash []byte
		var at int64
		var form int
		if err := rows.Scan(&e.Owner, &hash, &e.Words, &at, &form); err != nil {
			return err
		}
		copy(e.Hash[:], hash)
		e.Plain, e.At = form == plainErasure, bound.FromMillis(at)
		r.Erasures = append(r.Erasures, e)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the erasures of the replaced database: %w", err)
	}
	err = eachOf(ctx, conn, `SELECT id, revoked_at IS NOT NULL FROM api_keys`, func(rows *sql.Rows) error {
		var id string
		var revoked bool
		err := rows.Scan(&id, &revoked)
		r.Keys = true
		if revoked {
			r.Revoked = append(r.Revoked, id)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the keys of the replaced database: %w", err)
	}
	return r, nil
}

// eachOf calls scan for the rows of a query.
func eachOf(ctx context.Context, in querier, query string, scan func(*sql.Rows) error, args ...any) error {
	rows, err := in.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	return scanAll(rows, scan)
}
