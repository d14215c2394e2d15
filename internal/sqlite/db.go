// Package sqlite stores all data in one SQLite file.
//
// One process owns the file. Writes are executed one after the other, and concurrent
// turns share a transaction and its fsync. Reads have separate connections. The
// settings on which durability depends (WAL, synchronous=FULL, foreign keys, secure
// deletion) are read back at start.
package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/storage"

	_ "modernc.org/sqlite" // the driver
)

// applicationID marks the files of this program ("HRMS"), so that another program's
// database of the same name is never written to.
const applicationID = 0x48524d53

// minVersion is the oldest safe version of SQLite: before 3.51.3, a WAL could be reset
// while another connection still needed it.
const minVersion = "3.51.3"

// The number of read connections, and the page cache of each, in KiB. More connections
// than a small machine has cores only cost memory. Searches have two separate ones:
// they read all over the file, and turns and lists must not wait for them. A cache takes about
// 2.2 times what is said here: the allocator of the driver has slots of powers of two, and a
// page of 4 KiB with its header takes one of 8 KiB. Pages that are not cached are in the system's
// cache, and cost a call.
const (
	readers, readersCache     = 4, 2000
	searchers, searchersCache = 2, 5000
	writerCache               = 4000
)

// busyTimeout is how long a statement waits for another program's lock.
const busyTimeout = 5 * time.Second

// Options are the options for opening a database.
type Options struct {
	// Path is the file. Its directory must exist.
	Path string
	Log  *slog.Logger
	// Synchronous is for tests of durability only; "" means FULL.
	Synchronous string
	// SearchTime is the timeout for searching the index for one query. IndexPatience is
	// how long a search waits for the index to catch up. 0 means the defaults.
	SearchTime, IndexPatience time.Duration
	// AuditKeep is how long entries of the audit are kept; 0 means for ever.
	AuditKeep time.Duration
	// Observer is told of the writer's transactions; it may be nil.
	Observer storage.Observer
	// Transcripts is called after each commit that has changed what transcripts show, and
	// must not block. Nil lists no changes for transcripts.
	Transcripts func()
	// Move opens the database as a side of a move.
	Move storage.MoveSide
	// NoCopy keeps no copy of the file from before migrations.
	NoCopy bool
	// Room is the free space of a directory's disk; nil asks the system.
	Room func(dir string) Room
	// NoGuard disables the guard against stray opens, and the check that the files
	// still exist. It is for the guard's test only.
	NoGuard bool
}

// DB is an open database. It implements the stores of session, memory, run, search,
// job, live and owner, and is safe for concurrent use.
type DB struct {
	opt   Options
	lock  *os.File
	guard *guard
	read  *pool
	texts *pool // for searches
	// scans and searches are the read connections that owners share. Each owner may use
	// a share of them, and waits for its own before it takes another owner's.
	scans, searches *claim.Room
	write           *sql.DB
	w               *writer
	log             *slog.Logger

	// lost are derived tables that were missing and were recreated empty.
	lost     []string
	ids      ids
	indexer  *indexer
	pieces   *pieceEraser
	others   others
	stop     context.CancelFunc
	stopped  sync.WaitGroup
	closing  sync.Once
	closeErr error
	known    knownTexts
	hashKey  []byte // of the hashes of contents
}

// Open opens the file, creating it if it does not exist, migrates its schema and starts
// the writer. It fails with Conflict if another process owns the file, and with Invalid
// if the file belongs to another program or to a newer version.
func Open(ctx context.Context, opt Options) (*DB, error) {
	if opt.Synchronous == "" {
		opt.Synchronous = "FULL"
	}
	opt.SearchTime = cmp.Or(opt.SearchTime, searchTime)
	opt.IndexPatience = cmp.Or(opt.IndexPatience, indexPatience)
	db := &DB{opt: opt, log: opt.Log, scans: claim.NewRoom(readers-1, readers/2), searches: claim.NewRoom(searchers, searchers/2)}
	if err := db.open(ctx); err != nil {
		_ = db.Close() // closes what is open so far; err is the reason
		if isDamage(err) {
			return nil, fault.Wrap(fault.Unavailable, codeDamaged, "The database file "+opt.Path+" is damaged: "+reasonOf(err)+
				". Keep a copy of it. Then restore a backup: hermes restore FILE", err)
		}
		if noRoom(err) {
			return nil, fault.Wrap(fault.Unavailable, "disk_full",
				"The disk of "+filepath.Dir(opt.Path)+" is full, and opening the database needs a few pages. Free some space and start again.", err)
		}
		return nil, err
	}
	return db, nil
}

func (db *DB) open(ctx context.Context) error {
	var err error
	if db.lock, err = lockFile(db.opt.Path + ".lock"); err != nil {
		return err
	}
	if err := refuseForeign(db.opt.Path); err != nil {
		return err
	}
	if err := createFile(db.opt.Path); err != nil {
		return err
	}
	if db.write, err = sql.Open("sqlite", db.dsn("rwc", writerCache)); err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	db.write.SetMaxOpenConns(1)
	conn, err := db.write.Conn(ctx)
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	if err := prepareFile(ctx, conn, &db.opt); err != nil {
		_ = conn.Close()
		return err
	}
	if !db.opt.NoGuard {
		if db.guard, err = newGuard(db.opt.Path); err != nil {
			_ = conn.Close()
			return fmt.Errorf("guard database: %w", err)
		}
	}
	if db.read, err = newPool(db.dsn("ro", readersCache), readers); err != nil {
		_ = conn.Close()
		return err
	}
	if db.texts, err = newPool(db.dsn("ro", searchersCache), searchers); err != nil {
		_ = conn.Close()
		return err
	}
	if db.lost, err = mendSchema(ctx, conn, db.log); err != nil {
		_ = conn.Close()
		return err
	}
	marks, left, err := db.takeOver(ctx, conn)
	if err != nil {
		_ = conn.Close()
		return err
	}
	files := &identity{}
	if !db.opt.NoGuard {
		if files, err = newIdentity(db.opt.Path); err != nil {
			_ = conn.Close()
			return err
		}
	}
	db.w = newWriter(conn, filepath.Dir(db.opt.Path), files, db.log)
	db.w.hashKey = db.hashKey
	db.w.observer, db.w.keep, db.w.changed, db.w.changes = db.opt.Observer, db.opt.AuditKeep, db.opt.Transcripts, left.changes
	db.indexer, db.pieces = newIndexer(db, left.words), newPieceEraser(db, left.pieces)
	db.w.index, db.w.marks, db.w.pieces = db.indexer, marks, db.pieces
	db.startBehind(ctx)
	return nil
}

// startBehind starts what is done behind the writes, until the database is closed: the text
// index is filled, and pieces are deleted. Neither is done during a move.
func (db *DB) startBehind(ctx context.Context) {
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	db.stop = stop
	if db.opt.Move != storage.NotMoved {
		return
	}
	db.stopped.Go(recovery.Func(func() { db.indexer.run(background) }, recovery.Logged(background, db.log, "the text index")))
	db.stopped.Go(recovery.Func(func() { db.pieces.run(background) }, recovery.Logged(background, db.log, "the deletion of pieces")))
}

// leftovers are what the process before has left to delete, words in the text index and
// pieces, and the number of the newest change of a transcript that it has listed.
type leftovers struct {
	words, pieces bool
	changes       int64
}

// takeOver learns for each range of message ids up to where all of them are indexed, and
// what is left to delete, and ends what the process before held.
func (db *DB) takeOver(ctx context.Context, conn *sql.Conn) (marks map[int64]int64, left leftovers, err error) {
	if err := db.refuseUnfinished(ctx, conn); err != nil {
		return nil, left, err
	}
	db.ids.byOwner = make(map[string]*counter)
	if marks, err = readMarks(ctx, conn); err != nil {
		return nil, left, fmt.Errorf("read how far the text index has come: %w", err)
	}
	if err := conn.QueryRowContext(ctx, anyDead).Scan(&left.words); err != nil {
		return nil, left, fmt.Errorf("read whether the text index is clean: %w", err)
	}
	if _, err := conn.ExecContext(ctx, orphanPieces); err != nil {
		return nil, left, fmt.Errorf("end the making of pieces: %w", err)
	}
	if err := conn.QueryRowContext(ctx, anyOrphans).Scan(&left.pieces); err != nil {
		return nil, left, fmt.Errorf("look for pieces to delete: %w", err)
	}
	if db.hashKey, err = keyErasures(ctx, conn); err != nil {
		return nil, left, err
	}
	if err := drawProviderHome(ctx, conn); err != nil {
		return nil, left, err
	}
	if left.changes, err = db.resumeTranscripts(ctx, conn); err != nil {
		return nil, left, err
	}
	return marks, left, db.endLeases(ctx, conn)
}

// endLeases ends what the process before held.
func (db *DB) endLeases(ctx context.Context, conn *sql.Conn) error {
	if db.opt.Move != storage.NotMoved {
		return nil
	}
	if _, err := conn.ExecContext(ctx, voidLeases, millis(time.Now())); err != nil {
		return fmt.Errorf("end leases: %w", err)
	}
	return nil
}

func readMarks(ctx context.Context, conn *sql.Conn) (map[int64]int64, error) {
	rows, err := conn.QueryContext(ctx, `SELECT range_id, whole FROM id_ranges`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	marks := make(map[int64]int64)
	for rows.Next() {
		var r, whole int64
		if err := rows.Scan(&r, &whole); err != nil {
			return nil, err
		}
		marks[r] = whole
	}
	return marks, rows.Err()
}

// dsn is the file as a URI for the driver, because a plain name loses its query string.
// The page cache is in KiB.
func (db *DB) dsn(mode string, cache int) string {
	q := url.Values{"mode": {mode}, "_txlock": {"immediate"}}
	for _, p := range []string{
		fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()), "foreign_keys(ON)", "secure_delete(ON)", "trusted_schema(OFF)",
		"mmap_size(0)",
		"cell_size_check(ON)", fmt.Sprintf("cache_size(-%d)", cache), "synchronous(" + db.opt.Synchronous + ")",
	} {
		q.Add("_pragma", p)
	}
	return fileURL(db.opt.Path, q)
}

// fileURL is a file as a URI with parameters.
func fileURL(path string, q url.Values) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	u := url.URL{Scheme: "file", Path: uriPath(filepath.ToSlash(path)), RawQuery: q.Encode()}
	return u.String()
}

// uriPath is the path of a file in a URI. There a drive of Windows stands behind a slash,
// because what follows "file://" up to the next slash would be the name of a host.
func uriPath(path string) string {
	if strings.HasPrefix(path, "/") {
		return path
	}
	return "/" + path
}

// createFile creates the file with the right mode, because SQLite would use a wider
// one.
func createFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, os.ErrExist) {
		return os.Chmod(path, 0o600)
	}
	if err != nil {
		return errUncreated(path, err)
	}
	return f.Close()
}

// Close waits for operations under way, then closes the file. It may be called several
// times.
func (db *DB) Close() error {
	db.closing.Do(func() {
		var errs []error
		if db.stop != nil {
			db.stop()
			db.stopped.Wait()
			db.w.stop()
			errs = append(errs, db.w.close())
		}
		for _, p := range []*pool{db.read, db.texts} {
			if p != nil {
				errs = append(errs, p.close())
			}
		}
		if db.write != nil {
			errs = append(errs, db.write.Close())
		}
		if db.guard != nil {
			errs = append(errs, db.guard.close())
		}
		if db.lock != nil {
			errs = append(errs, unlockFile(db.lock))
		}
		db.closeErr = errors.Join(errs...)
	})
	return db.closeErr
}

// Lost are the derived tables that were missing when the file was opened, or that a
// migration emptied. They exist again, empty.
func (db *DB) Lost() []string { return db.lost }

// Ready reports whether the database accepts writes; the error says why not.
func (db *DB) Ready() error {
	if err := db.w.ready(); err != nil {
		return err
	}
	free, total, ok := db.w.reserve.space(db.w.reserve.dir)
	if (Room{Free: free, Total: total, Known: ok}).Low() {
		return errReserved()
	}
	return nil
}

// millis and its inverses convert times between Go and SQL: the zero time is null.
func millis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return bound.Millis(t)
}

func fromMillis(n sql.NullInt64) time.Time {
	if !n.Valid {
		return time.Time{}
	}
	return bound.FromMillis(n.Int64)
}

// null converts an empty text to null.
func null[S ~string](s S) any {
	if s == "" {
		return nil
	}
	return string(s)
}

// nullBytes converts empty JSON to null, and other JSON to text.
func nullBytes(b []byte) any {
	if len(b) == 0 {
		return nil
	}
	return string(b)
}
