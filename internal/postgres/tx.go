package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// tx is a transaction in the form for operations. Statements whose result nobody reads
// are sent together with the next one that is read, or before the commit.
type tx struct {
	w     *writer
	ctx   context.Context
	conn  *pgx.Conn
	later []statement
	// unpieces says that pieces were taken out of their manifest.
	unpieces bool
}

// statement is one that has not been sent yet.
type statement struct {
	what  string // for errors
	query string
	args  []any
	check func(changed int64) error // may be nil
	// otherwise is the error of a statement that divides by the number of its rows, if there
	// is none; nil for other statements.
	otherwise error
	// commits says that it is the COMMIT.
	commits bool
}

// addOwner adds the row of an owner.
const addOwner = `INSERT INTO owners (owner_id) VALUES (?) ON CONFLICT DO NOTHING`

// lockOwner locks the row of an owner until the end of the transaction.
const lockOwner = `SELECT FROM owners WHERE owner_id = ? FOR UPDATE`

// lockKnownOwner divides by zero if the owner has no row.
const lockKnownOwner = `SELECT 1 / count(*) FROM (` + lockOwner + `) o`

// bounds ends the transaction of a process that sleeps, and the wait for one that takes too
// long. A setting for the connection would not pass a pooler.
const bounds = `SELECT set_config('idle_in_transaction_session_timeout', '15s', true), set_config('lock_timeout', '30s', true)`

// errOwnerGone says that an owner has no row, although this process has seen one.
var errOwnerGone = errors.New("the owner has no row")

// begin begins the transaction and locks the row of its owner; "" for none. The statements
// are sent with the first one that is read.
func (t *tx) begin(owner string) error {
	t.send("begin", `BEGIN`)
	t.send("bound the transaction", bounds)
	t.standing(t.w.db.node)
	if owner == "" {
		return nil
	}
	return t.lock(owner)
}

// lock locks the row of an owner. The row is made if this process has not seen it yet.
func (t *tx) lock(owner string) error {
	if _, known := t.w.owners.Load(owner); known {
		t.must("lock the owner", errOwnerGone, lockKnownOwner, owner)
		return nil
	}
	t.send("add the owner", addOwner, owner)
	t.send("lock the owner", lockOwner, owner)
	return t.flush()
}

// send sends a statement with the next one that is read. what is what it does, for errors.
func (t *tx) send(what, query string, args ...any) { t.expect(what, nil, query, args...) }

// expect is send with a check of the number of rows that the statement changed.
func (t *tx) expect(what string, check func(changed int64) error, query string, args ...any) {
	t.later = append(t.later, statement{what: what, query: numbered(query), args: storedArgs(args), check: check})
}

// must is send for a statement that divides by the number of its rows. If there is none, the
// server ends the transaction, also if the COMMIT is sent with it, and the error is otherwise.
// A check would be read before the COMMIT is sent: one round trip more.
func (t *tx) must(what string, otherwise error, query string, args ...any) {
	t.later = append(t.later, statement{what: what, query: numbered(query), args: storedArgs(args), otherwise: otherwise})
}

// flush sends the statements that wait, in one round trip.
func (t *tx) flush() error {
	if len(t.later) == 0 {
		return nil
	}
	results := t.conn.SendBatch(t.ctx, t.batch())
	err := t.readAll(results)
	if closed := results.Close(); err == nil {
		err = closed
	}
	return err
}

// batch is a batch of the statements that wait.
func (t *tx) batch() *pgx.Batch {
	batch := &pgx.Batch{}
	for i := range t.later {
		batch.Queue(t.later[i].query, t.later[i].args...)
	}
	return batch
}

// readAll reads the results of the statements that wait.
func (t *tx) readAll(results pgx.BatchResults) error {
	sent := t.later
	t.later = t.later[:0]
	for i := range sent {
		s := &sent[i]
		tag, err := results.Exec()
		if err == nil && s.commits && tag.String() == "ROLLBACK" { // an earlier statement had failed
			err = pgx.ErrTxCommitRollback
		}
		if err == nil && s.check != nil {
			err = s.check(tag.RowsAffected())
		}
		if s.otherwise != nil && codeOf(err) == divisionByZero {
			return fmt.Errorf("%w: %w", s.otherwise, err)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.what, err)
		}
	}
	return nil
}

// exec runs a statement and returns the number of rows it changed.
func (t *tx) exec(query string, args ...any) (n int64, err error) {
	t.expect("change rows", func(changed int64) error {
		n = changed
		return nil
	}, query, args...)
	err = t.flush()
	return n, err
}

// changed runs a statement and reports whether it changed a row.
func (t *tx) changed(query string, args ...any) (bool, error) {
	n, err := t.exec(query, args...)
	if err != nil {
		return false, fmt.Errorf("update: %w", err)
	}
	return n > 0, nil
}

// row runs a query for one row inside the transaction.
func (t *tx) row(query string, args ...any) *row {
	got, done, err := t.query(query, args)
	return &row{got, err, done}
}

// rows calls scan for the rows of a query inside the transaction.
func (t *tx) rows(scan func(*rows) error, query string, args ...any) error {
	got, done, err := t.query(query, args)
	if err != nil {
		return err
	}
	err = scanAll(got, scan)
	if ended := done(); err == nil {
		err = ended
	}
	return err
}

func scanAll(got *rows, scan func(*rows) error) error {
	defer got.Close()
	for got.Next() {
		if err := scan(got); err != nil {
			return err
		}
	}
	return got.Err()
}

// query runs a query together with the statements that wait. done ends it.
func (t *tx) query(query string, args []any) (got *rows, done func() error, err error) {
	batch := t.batch()
	batch.Queue(numbered(query), storedArgs(args)...)
	results := t.conn.SendBatch(t.ctx, batch)
	if err := t.readAll(results); err != nil {
		_ = results.Close() // the error before is the reason
		return nil, nil, err
	}
	found, err := results.Query()
	if err != nil {
		_ = results.Close()
		return nil, nil, judge(err)
	}
	return &rows{found}, results.Close, nil
}

// commit sends the statements that wait and commits. A statement whose outcome is checked
// is read before; another one that fails ends the transaction, and the server does not
// read the COMMIT behind it.
//
// It fails with errUnknown if the connection broke: the transaction may be committed.
func (t *tx) commit() error {
	if slices.ContainsFunc(t.later, func(s statement) bool { return s.check != nil }) {
		if err := t.flush(); err != nil {
			return err
		}
	}
	t.later = append(t.later, statement{what: "commit", query: `COMMIT`, commits: true})
	err := t.flush()
	if err == nil || codeOf(err) != "" || errors.Is(err, pgx.ErrTxCommitRollback) {
		return err
	}
	return fmt.Errorf("%w: %w", errUnknown, err)
}

func (t *tx) rollback() {
	t.later = nil
	if t.conn.IsClosed() {
		return
	}
	if _, err := t.conn.Exec(t.ctx, `ROLLBACK`); err != nil {
		_ = t.conn.Close(t.ctx) // the pool makes another one
	}
}
