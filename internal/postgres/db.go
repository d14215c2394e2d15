// Package postgres stores all data in one PostgreSQL database, which any number of
// processes share.
//
// A write is one transaction. The writes of an owner are executed one after the other, on
// whatever node: each locks the owner's row first. So what a write checks still holds when
// the write is committed. Writes of an owner that arrive meanwhile share the next
// transaction. Nothing is kept in a process that another process could change: there are
// no session locks, no temporary tables, and no caches of rows.
package postgres

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/storage"
)

// Options are the options for opening a database.
type Options struct {
	// URL names the database: postgres://user@host/name, or pairs of names and values.
	URL string
	// ListenURL is for the connection that waits for notifications, which cannot be one of a
	// pooler; "" means URL.
	ListenURL string
	// Conns is the largest number of connections; 0 means four for each core.
	Conns int
	Log   *slog.Logger
	// SearchTime is the timeout for searching the index for one query; 0 means the default.
	SearchTime time.Duration
	// AuditKeep is how long entries of the audit are kept; 0 means for ever.
	AuditKeep time.Duration
	// Observer is told of transactions; it may be nil.
	Observer storage.Observer
	// Node names this process among those that share the database; "" for a process that has
	// the database for itself, such as a test.
	Node string
	// Place is where the process is, such as its home: the next process there takes over at
	// once what this one has left. "" means a place of its own.
	Place string
	// Move opens the database as a side of a move.
	Move storage.MoveSide
	// Unsafe accepts a database that confirms commits before they are durable. It is for
	// tests.
	Unsafe bool
	// tracer sees each round trip; nil for none. It is for tests.
	tracer pgx.QueryTracer
}

// DB is an open database. It implements the stores of session, memory, run, search, job,
// live, gateway and owner, and is safe for concurrent use.
type DB struct {
	opt  Options
	log  *slog.Logger
	pool *pgxpool.Pool
	w    *writer
	// scans and searches bound the connections that long reads use. Each owner may use a
	// share of them, and waits for its own before it takes another owner's.
	scans, searches *claim.Room
	hashKey         []byte // of the hashes of contents
	auditSalt       string // of the hashes of ids in the audit
	pieces          *pieceEraser
	node            *node // nil for a process that has the database for itself
	topics          topics
	ears            ears
	dispatches      dispatches
	clock           clock

	stop    context.CancelFunc
	stopped sync.WaitGroup
	closing sync.Once
}

// Open connects to a database and migrates its schema. It fails with Invalid if the
// database cannot be used, and with Unavailable if it cannot be reached.
func Open(ctx context.Context, opt Options) (*DB, error) {
	opt.SearchTime = cmp.Or(opt.SearchTime, searchTime)
	pool, err := connect(ctx, &opt)
	if err != nil {
		if cause := errors.Unwrap(err); cause != nil { // the fault says that the log has it
			opt.Log.ErrorContext(ctx, "the database cannot be reached", "err", cause)
		}
		return nil, err
	}
	conns := int64(pool.Config().MaxConns)
	long := max(conns-2, 1)
	db := &DB{
		opt: opt, log: opt.Log, pool: pool, w: newWriter(pool, &opt),
		scans: claim.NewRoom(long, max(long/2, 1)), searches: claim.NewRoom(max(long/2, 1), max(long/4, 1)),
	}
	db.w.db, db.pieces = db, newPieceEraser(db)
	db.dispatches.from, db.dispatches.rung = randomHex(), make(chan struct{}, 1)
	if err := db.prepare(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	if opt.Node != "" {
		db.node = &node{db: db, name: opt.Node, place: cmp.Or(opt.Place, randomHex()), joined: make(chan struct{})}
		if err := db.takePart(ctx); err != nil {
			pool.Close()
			return nil, err
		}
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	db.stop = stop
	db.stopped.Go(recovery.Func(func() { db.pieces.run(background) }, recovery.Logged(background, db.log, "the deletion of pieces")))
	if db.node != nil {
		db.stopped.Go(recovery.Func(func() { db.node.run(background) }, recovery.Logged(background, db.log, "the node")))
		db.stopped.Go(recovery.Func(func() { db.listen(background) }, recovery.Logged(background, db.log, "notifications")))
		db.stopped.Go(recovery.Func(func() { db.sendNews(background) }, recovery.Logged(background, db.log, "news for other nodes")))
		db.warmUp(ctx) // a load balancer may send a turn at once
	}
	return db, nil
}

// prepare checks the server, migrates the schema and reads the store's keys.
func (db *DB) prepare(ctx context.Context) error {
	if err := db.checkServer(ctx); err != nil {
		return err
	}
	if err := db.migrate(ctx); err != nil {
		return err
	}
	if err := db.refuseUnfinished(ctx); err != nil {
		return err
	}
	if err := db.setClock(ctx); err != nil {
		return err
	}
	return db.readKeys(ctx)
}

// takePart joins the nodes. A copy to this database may have begun meanwhile.
func (db *DB) takePart(ctx context.Context) error {
	if err := db.node.join(ctx); err != nil {
		return err
	}
	err := db.refuseUnfinished(ctx)
	if err != nil {
		db.node.leave(ctx)
	}
	return err
}

// Close waits for operations under way, then closes the connections. It may be called
// several times.
func (db *DB) Close() error {
	db.closing.Do(func() {
		db.stop()
		db.stopped.Wait()
		db.w.stop()
		if db.node != nil {
			ctx, cancel := context.WithTimeout(context.Background(), connPatience)
			defer cancel()
			db.node.leave(ctx)
		}
		db.pool.Close()
	})
	return nil
}

// Load counts the pending work now. Nothing waits to be indexed: the index is written with
// the messages.
func (db *DB) Load() storage.Load { return storage.Load{Queued: db.w.queued()} }
