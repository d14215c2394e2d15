package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/storage"
)

const (
	// maxBatch is how many operations share a transaction. Measured: beyond a few
	// hundred, the fsync is shared well enough and only the wait grows.
	maxBatch = 256
	// maxQueue bounds the queue; further operations are refused.
	maxQueue = 4096
)

// writer executes one transaction at a time. A caller that finds no transaction under
// way takes the pen and executes all queued operations, other callers' included.
// Operations that arrive meanwhile share the next transaction, and so one fsync. A
// dedicated goroutine would have to be woken for each operation.
type writer struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	queue chan *operation
	// pen is the lock of the writer. Its holder may write, and read conn, stmts,
	// reserve, erased with scrubAt and vain, and marks.
	pen   chan struct{}
	files *identity
	// reserve is the disk space for deletions.
	reserve reserve
	broken  atomic.Pointer[error]
	// stopped is closed when no queued operation will be executed any more.
	stopped chan struct{}
	// erased says that the WAL may still have content that a commit erased. It is emptied at
	// scrubAt at the earliest; vain is how many tries in a row have failed.
	erased  bool
	scrubAt time.Time
	vain    int
	// marks are the id, per range, up to which every stored message is indexed.
	marks    map[int64]int64
	index    *indexer         // is told of stored messages
	pieces   *pieceEraser     // is told of pieces to delete
	observer storage.Observer // may be nil
	// changed is called after commits that have changed what transcripts show; nil if no
	// changes are listed. changes is the number of the newest listed change.
	changed func()
	changes int64
	listed  *transcriptList
	keep    time.Duration // of the audit; 0 means for ever
	hashKey []byte        // of the hashes of contents
	log     *slog.Logger
}

// operation is a write that succeeds or fails as a whole. do may run twice: if another
// operation of the transaction fails, each is executed again in its own transaction.
type operation struct {
	do   func(*tx) error
	done chan error
}

// tell reports the outcome to the waiting caller, once.
func (op *operation) tell(err error) {
	select {
	case op.done <- err:
	default: // the outcome was reported already
	}
}

func newWriter(conn *sql.Conn, dir string, files *identity, log *slog.Logger) *writer {
	w := &writer{
		conn: conn, files: files, reserve: reserve{dir: dir, space: spaceOf, now: time.Now}, stmts: make(map[string]*sql.Stmt),
		queue: make(chan *operation, maxQueue), listed: newTranscriptList(),
		stopped: make(chan struct{}), pen: make(chan struct{}, 1), log: log,
	}
	w.pen <- struct{}{}
	return w
}

// submit queues an operation and waits for its commit. A queued operation is executed
// even if ctx ends.
func (w *writer) submit(ctx context.Context, do func(*tx) error) error {
	return w.submitTelling(ctx, func() {}, do)
}

// submitTelling is submit that calls queued once the operation is in the queue.
// Operations are committed in the order of the queue.
func (w *writer) submitTelling(ctx context.Context, queued func(), do func(*tx) error) error {
	if err := w.ready(); err != nil {
		return err
	}
	note := audit.From(ctx)
	if note != nil {
		do = withNote(note, do)
	}
	err := w.enqueue(ctx, queued, do)
	if note != nil && err == nil {
		note.Written()
	}
	return err
}

// enqueue is submit for a complete operation.
func (w *writer) enqueue(ctx context.Context, queued func(), do func(*tx) error) error {
	op := &operation{do: do, done: make(chan error, 1)}
	select {
	case w.queue <- op:
		queued()
	case <-ctx.Done():
		return ctx.Err()
	default:
		return fault.New(fault.Unavailable, "overloaded", "The write queue is full. Try again shortly.")
	}
	for {
		select {
		case err := <-op.done:
			return err
		case <-w.pen:
			w.serve()
		case <-w.stopped:
			select {
			case err := <-op.done: // it was executed before the writer stopped
				return err
			default:
				return errDraining()
			}
		}
	}
}

// serve executes the queued operations in one transaction for the holder of the pen,
// and puts the pen down.
func (w *writer) serve() {
	batch := w.gather()
	defer func() {
		if p := recover(); p != nil { // the state of the transaction is unknown
			err := w.fail(fmt.Errorf("panic: %v", p))
			for _, op := range batch {
				op.tell(err)
			}
			w.pen <- struct{}{}
			panic(p)
		}
		w.pen <- struct{}{}
	}()
	w.commit(context.Background(), batch) // never abandoned half way, whichever caller executes it
}

// errDraining is the fault once the store is being closed.
func errDraining() error { return fault.New(fault.Unavailable, "draining", "The server is stopping.") }

// stop executes the queued operations, and refuses all later ones. It empties the WAL,
// so that the database is complete in its one file. SQLite does not do so on close,
// because of the guard.
func (w *writer) stop() {
	<-w.pen // for good
	defer close(w.stopped)
	for len(w.queue) > 0 {
		w.commit(context.Background(), w.gather())
	}
	if w.ready() == nil {
		w.scrub(context.Background())
	}
}

// gather takes queued operations for one transaction.
func (w *writer) gather() []*operation {
	batch := make([]*operation, 0, min(len(w.queue), maxBatch))
	for len(batch) < maxBatch {
		select {
		case op := <-w.queue:
			batch = append(batch, op)
		default:
			return batch
		}
	}
	return batch
}

// commit executes a batch in one transaction. If one operation fails, the transaction
// is rolled back and each operation is executed alone, so that only the failing one
// fails. If the transaction itself fails, all fail.
func (w *writer) commit(ctx context.Context, batch []*operation) {
	if len(batch) == 0 { // another caller took the operations
		return
	}
	err, guilty := w.try(ctx, batch)
	if err == nil || !guilty || len(batch) == 1 || w.ready() != nil {
		for _, op := range batch {
			op.tell(err)
		}
		return
	}
	for _, op := range batch {
		err, _ := w.try(ctx, []*operation{op})
		op.tell(err)
	}
}

// try executes a batch in one transaction. guilty says that an operation failed, and
// not the transaction.
func (w *writer) try(ctx context.Context, batch []*operation) (err error, guilty bool) {
	if err := w.ready(); err != nil {
		return err, false
	}
	t := &tx{w: w, ctx: ctx}
	began := time.Now()
	if _, err := t.exec(`BEGIN IMMEDIATE`); err != nil {
		return w.judge(err), false
	}
	for _, op := range batch {
		if err := recovery.Do(func() error { return op.do(t) }); err != nil {
			recovery.Log(ctx, w.log, "a write", err)
			w.rollback(t)
			return w.judge(t.blame(err)), true
		}
	}
	if err := errors.Join(t.lowerMarks(), t.listTranscripts()); err != nil {
		w.rollback(t)
		return w.judge(err), false
	}
	if !t.erases && !t.merges && w.reserve.used() {
		w.rollback(t)
		return errReserved(), true
	}
	written := time.Now()
	if _, err := t.exec(`COMMIT`); err != nil {
		w.rollback(t)
		err = t.blame(err)
		return w.judge(err), harmedIndex(err)
	}
	maps.Copy(w.marks, t.marks)
	w.index.add(t.stored)
	if t.soils {
		w.index.soil()
	}
	if t.unpieces {
		w.pieces.soil()
	}
	w.listed.commit(t)
	if len(t.transcripts) > 0 {
		w.changed()
	}
	if w.observer != nil {
		w.observer.Committed(storage.Commit{Operations: len(batch), Took: time.Since(began), Synced: time.Since(written)})
	}
	if t.erases {
		w.erased = true
	}
	if w.scrubDue() {
		w.scrub(ctx)
	}
	if err := w.files.check(); err != nil { // the file was deleted or replaced
		return w.fail(err), false
	}
	return nil, false
}

func (w *writer) rollback(t *tx) {
	if w.observer != nil {
		w.observer.RolledBack()
	}
	if _, err := t.exec(`ROLLBACK`); err != nil && !strings.Contains(err.Error(), "no transaction is active") {
		_ = w.fail(fmt.Errorf("roll back: %w", err)) // later statements would join the failed transaction
	}
}

// scrubPatience is how long a scrub waits for readers. Turns wait for it, so the pauses between
// vain ones double: a backup may read for minutes.
const (
	scrubPatience = 200 * time.Millisecond
	maxScrubWait  = 10 * time.Second
)

// scrubDue reports whether the WAL is to be emptied now.
func (w *writer) scrubDue() bool { return w.erased && !time.Now().Before(w.scrubAt) }

// scrubPause is how long the WAL is left alone behind the last try.
func (w *writer) scrubPause() time.Duration {
	if w.vain == 0 {
		return 0
	}
	return claim.Backoff(w.vain, scrubPatience, maxScrubWait)
}

// scrub moves the WAL into the database and empties it: erased content is overwritten
// in the database, but older pages remain in the WAL. If a reader still uses the WAL,
// the next commit behind a pause tries again.
func (w *writer) scrub(ctx context.Context) {
	var busy, frames, moved int
	_, err := w.conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA busy_timeout = %d`, scrubPatience.Milliseconds()))
	if err == nil {
		err = w.conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &frames, &moved)
	}
	if _, back := w.conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA busy_timeout = %d`, busyTimeout.Milliseconds())); err == nil {
		err = back
	}
	w.erased = err != nil || busy != 0
	w.vain++
	if !w.erased {
		w.vain = 0
	}
	w.scrubAt = time.Now().Add(w.scrubPause())
	if err != nil {
		w.log.Warn("the WAL could not be emptied; it will be tried again", "err", w.judge(err))
	}
}

// judge decides what an error means for the writer. After a failed fsync or a damaged
// page no more writes are acknowledged: the kernel may have dropped the written data. A
// full disk and another process's lock are temporary, and damage to the text index is
// left to the indexer.
func (w *writer) judge(err error) error {
	const busy, locked, ioerr, corrupt, full, notadb = 5, 6, codeIO, 11, codeFull, 26
	if harmedIndex(err) {
		return err
	}
	switch codeOf(err) & 0xff {
	case full:
		return fault.Wrap(fault.Unavailable, "disk_full", "The disk is full, so this was not stored. Free some space and try again.", err)
	case busy, locked:
		return fault.Wrap(fault.Unavailable, "database_busy",
			"Another program holds the database for writing, so this was not stored. Close it and try again.", err)
	case ioerr, corrupt, notadb:
		return w.fail(err)
	}
	return err
}

// codeFull is SQLite's code for a full disk, and codeNoIndex that for one without room for the index of the log.
const codeFull, codeNoIndex = 13, 4874

// codeIO is SQLite's code for a file that could not be read or written.
const codeIO = 10

// noRoom reports whether a database could not be opened because its disk is full.
func noRoom(err error) bool {
	return codeOf(err)&0xff == codeFull || codeOf(err) == codeNoIndex || errors.Is(err, syscall.ENOSPC)
}

// codeOf is SQLite's code of an error; 0 for none.
func codeOf(err error) int {
	var coded interface{ Code() int }
	if !errors.As(err, &coded) {
		return 0
	}
	return coded.Code()
}

// reasonOf is what SQLite says: its error is the innermost one.
func reasonOf(err error) string { return fault.Innermost(err).Error() }

// fail makes the writer refuse all further operations.
func (w *writer) fail(err error) error {
	var broken error = fault.Wrap(fault.Unavailable, "database_failed",
		"The database could not be written, so nothing more is accepted until a restart. See the server's log.", err)
	if w.broken.CompareAndSwap(nil, &broken) {
		w.log.Error("database failed; no more writes are accepted", "err", err)
	}
	return broken
}

// ready returns why writes are refused; nil if they are not.
func (w *writer) ready() error {
	if p := w.broken.Load(); p != nil {
		return *p
	}
	return nil
}

func (w *writer) close() error {
	for _, s := range w.stmts {
		_ = s.Close() // the connection is closed next
	}
	if err := w.conn.Close(); err != nil {
		return fmt.Errorf("close writer: %w", err)
	}
	return nil
}
