package postgres

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/storage"
)

const (
	// maxBatch is how many operations share a transaction.
	maxBatch = 256
	// maxQueue bounds the operations of an owner that wait; further ones are refused.
	maxQueue = 4096
	// connPatience is how long an operation waits for a connection.
	connPatience = 5 * time.Second
	// attempts is how often a transaction is tried that fails because of another one.
	attempts = 5
)

// writer executes writes. For each owner, one transaction at a time is under way in this
// process: operations of the owner that arrive meanwhile share the next one. A caller that
// finds no transaction of its owner under way executes the queued operations itself.
type writer struct {
	pool     *pgxpool.Pool
	log      *slog.Logger
	observer storage.Observer // may be nil
	keep     time.Duration    // of the audit; 0 means for ever
	db       *DB              // its keys, and the eraser of pieces
	owners   sync.Map         // those whose row this process has seen

	mu      sync.Mutex
	lines   map[string]*line
	closing bool
	running sync.WaitGroup // operations that are queued or under way
}

// line is the queue of an owner's operations. Its pen is taken while a transaction is under
// way.
type line struct {
	queue []*operation
	pen   bool
}

// operation is a write that succeeds or fails as a whole. do may run several times: if
// another operation of the transaction fails, each is executed again in a transaction of
// its own.
type operation struct {
	do   func(*tx) error
	done chan error
	// lead tells the caller to execute the queued operations.
	lead chan struct{}
}

func newWriter(pool *pgxpool.Pool, opt *Options) *writer {
	return &writer{pool: pool, log: opt.Log, observer: opt.Observer, keep: opt.AuditKeep, lines: make(map[string]*line)}
}

// submit queues an operation of an owner and waits for its commit. A queued operation is
// executed even if ctx ends. The zero owner stands for none: its operations lock no row.
func (w *writer) submit(ctx context.Context, o owner.Owner, do func(*tx) error) error {
	return w.submitTelling(ctx, o, func() {}, do)
}

// submitTelling is submit that calls queued once the operation is in the queue. The
// operations of an owner are committed in the order of the queue.
func (w *writer) submitTelling(ctx context.Context, o owner.Owner, queued func(), do func(*tx) error) error {
	note := audit.From(ctx)
	if note != nil {
		do = withNote(note, do)
	}
	err := w.enqueue(ctx, o, queued, do)
	if note != nil && err == nil {
		note.Written()
	}
	return err
}

// enqueue is submit for a complete operation.
func (w *writer) enqueue(ctx context.Context, o owner.Owner, queued func(), do func(*tx) error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	op := &operation{do: do, done: make(chan error, 1), lead: make(chan struct{}, 1)}
	leads, err := w.join(o.ID(), op, queued)
	if err != nil {
		return err
	}
	defer w.running.Done()
	if !leads {
		select {
		case err := <-op.done:
			return err
		case <-op.lead:
		}
	}
	w.serve(o.ID())
	return <-op.done
}

// join adds an operation to its owner's line, and reports whether the caller has the pen.
func (w *writer) join(owner string, op *operation, queued func()) (leads bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closing {
		return false, errDraining()
	}
	l := w.lines[owner]
	if l == nil {
		l = &line{}
		w.lines[owner] = l
	}
	if len(l.queue) >= maxQueue {
		return false, fault.New(fault.Unavailable, "overloaded", "The write queue is full. Try again shortly.")
	}
	l.queue = append(l.queue, op)
	w.running.Add(1)
	queued()
	leads = !l.pen
	l.pen = true
	return leads, nil
}

// serve executes the first operations of an owner's line in one transaction, and passes the
// pen to the caller of the next one.
func (w *writer) serve(owner string) {
	w.mu.Lock()
	l := w.lines[owner]
	n := min(len(l.queue), maxBatch)
	batch := l.queue[:n:n]
	l.queue = l.queue[n:]
	w.mu.Unlock()
	w.commit(context.Background(), owner, batch) // never abandoned half way, whichever caller executes it
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(l.queue) > 0 {
		l.queue[0].lead <- struct{}{}
		return
	}
	delete(w.lines, owner)
}

// stop waits for the queued operations, and refuses all later ones.
func (w *writer) stop() {
	w.mu.Lock()
	w.closing = true
	w.mu.Unlock()
	w.running.Wait()
}

// queued is how many operations wait.
func (w *writer) queued() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.lines {
		n += len(l.queue)
	}
	return n
}

// commit executes a batch in one transaction. If one operation fails, the transaction is
// rolled back and each operation is executed alone, so that only the failing one fails. If
// the transaction itself fails, all fail.
func (w *writer) commit(ctx context.Context, owner string, batch []*operation) {
	err, guilty := w.retry(ctx, owner, batch)
	if err == nil || !guilty || len(batch) == 1 {
		for _, op := range batch {
			op.done <- err
		}
		return
	}
	for _, op := range batch {
		err, _ := w.retry(ctx, owner, []*operation{op})
		op.done <- err
	}
}

// retry is try, again if the transaction fails because of another one, or for a missing row
// of its owner.
func (w *writer) retry(ctx context.Context, owner string, batch []*operation) (err error, guilty bool) {
	for range attempts {
		err, guilty = w.try(ctx, owner, batch)
		if errors.Is(err, errOwnerGone) {
			w.owners.Clear() // a write may lock the rows of other owners, too
		} else if !again(err) {
			break
		}
	}
	return err, guilty
}

// try executes a batch in one transaction. guilty says that an operation failed, and not
// the transaction.
func (w *writer) try(ctx context.Context, owner string, batch []*operation) (err error, guilty bool) {
	waiting, cancel := context.WithTimeout(ctx, connPatience)
	conn, err := w.pool.Acquire(waiting)
	cancel()
	if err != nil {
		return errBusy(ctx, err), false
	}
	defer conn.Release() // a connection with an open transaction is closed
	t := &tx{w: w, ctx: ctx, conn: conn.Conn()}
	began := time.Now()
	if err := t.begin(owner); err != nil {
		return judge(err), false
	}
	for _, op := range batch {
		if err := recovery.Do(func() error { return op.do(t) }); err != nil {
			recovery.Log(ctx, w.log, "a write", err)
			w.rollback(t)
			return judge(err), true
		}
	}
	written := time.Now()
	if err := t.commit(); err != nil {
		w.rollback(t)
		return judge(err), !errors.Is(err, errUnknown)
	}
	w.owners.Store(owner, true)
	if t.unpieces {
		w.db.pieces.soil()
	}
	if w.observer != nil {
		w.observer.Committed(storage.Commit{Operations: len(batch), Took: time.Since(began), Synced: time.Since(written)})
	}
	return nil, false
}

func (w *writer) rollback(t *tx) {
	if w.observer != nil {
		w.observer.RolledBack()
	}
	t.rollback()
}
