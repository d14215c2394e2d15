package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Index is how the text index is.
type Index struct {
	// Waiting is how many messages are still to be indexed.
	Waiting int
	// RemadeAt is when the index was last made again, and Why; zero for never.
	RemadeAt time.Time
	Why      string
}

// Index says how the text index is.
func (db *DB) Index(ctx context.Context) (Index, error) {
	var note string
	err := db.read.QueryRowContext(ctx, `SELECT value FROM meta WHERE name = 'fts_remade'`).Scan(&note)
	if err != nil && !isNoRows(err) {
		return Index{}, fmt.Errorf("read how the text index is: %w", err)
	}
	out := Index{Waiting: db.Load().Unindexed}
	at, why, _ := strings.Cut(note, " ")
	if ms, err := strconv.ParseInt(at, 10, 64); err == nil {
		out.RemadeAt, out.Why = time.UnixMilli(ms).UTC(), why
	}
	return out, nil
}

// remade is the note of when and why the index was made again.
func remade(at time.Time, why string) string {
	return strconv.FormatInt(at.UnixMilli(), 10) + " " + why
}

// whyOf says in a few words what an error tells of the index.
func whyOf(err error) string {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner // what SQLite said is innermost
	}
	return "it was damaged: " + err.Error()
}

// lacking counts the messages that should be indexed by now and are not; less than
// zero are those that are indexed and not there. What is stored meanwhile does not
// count, for it is one look at the file.
const lacking = `SELECT (SELECT count(*) FROM messages) - (SELECT count(*) FROM messages_fts_docsize) -
	(SELECT count(*) ` + unindexed + `)`

// harm says what is wrong with the text index; "" for nothing that a look at its
// parts and numbers shows.
func (db *DB) harm(ctx context.Context) (string, error) {
	why, err := lostParts(ctx, db.read)
	if err != nil || why != "" {
		return why, err
	}
	var n sql.NullInt64
	err = db.read.QueryRowContext(ctx, lacking).Scan(&n)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return whyOf(err), nil
	case n.Int64 > 0:
		return fmt.Sprintf("it lacked %d messages", n.Int64), nil
	case n.Int64 < 0:
		return fmt.Sprintf("it held %d messages that are not there", -n.Int64), nil
	}
	return "", nil
}

// contradicts says whether the text index contradicts itself or the messages. It
// reads all of both, and writes wait for it.
func (db *DB) contradicts(ctx context.Context) (string, error) {
	err := db.w.submit(ctx, func(t *tx) error {
		_, err := t.exec(`INSERT INTO messages_fts(messages_fts, rank) VALUES ('integrity-check', 0)`)
		return ofIndex(err)
	})
	if harmedIndex(err) {
		return whyOf(err), nil
	}
	return "", err
}

// harmed reports whether a search has failed for a damaged index.
func (db *DB) harmed(ctx context.Context, err error) bool {
	switch codeOf(err) & 0xff {
	case sqliteCorrupt:
		return true
	case sqliteError: // a part that is gone, or a query that cannot be asked
		why, err := lostParts(ctx, db.read)
		return err == nil && why != ""
	}
	return false
}

// remakePause is the least time between two attempts to make the index again that
// only a failure asks for: what a new index does not cure must not cost one each time.
const remakePause = 5 * time.Second

// mayTry reports whether a failure may have the index made again now.
func (x *indexer) mayTry() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return time.Since(x.tried) >= remakePause
}

// times is how often the index was emptied.
func (x *indexer) times() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.emptied
}

// heal has the index made again and waits a moment until it is filled, unless that
// has happened since it was emptied so many times.
func (db *DB) heal(ctx context.Context, why string, emptied int) error {
	x := db.indexer
	waiting, cancel := context.WithTimeout(ctx, db.opt.IndexPatience)
	defer cancel()
	if x.times() != emptied {
		return x.wait(waiting)
	}
	if !x.mayTry() {
		return errors.New("the text index was made again a moment ago")
	}
	if err := x.ask(waiting, why); err != nil {
		return err
	}
	return x.wait(waiting)
}

// ask has the index made again for a reason, and waits until it is empty.
func (x *indexer) ask(ctx context.Context, why string) error {
	x.mu.Lock()
	x.why = why
	healed := x.healed
	x.mu.Unlock()
	nudge(x.damaged)
	nudge(x.hurry)
	select {
	case <-healed:
		return nil
	case <-x.stopped:
		return errDraining()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// harm is the reason that was given last.
func (x *indexer) harm() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.why
}

// lookAtStart finds what an earlier process left out of the index, and whether it
// is whole.
func (x *indexer) lookAtStart(ctx context.Context) {
	why, err := x.db.harm(ctx)
	switch {
	case ctx.Err() != nil:
		return // a stop came first
	case err != nil:
		x.db.log.Warn("could not look at the text index", "err", err)
	case why != "":
		_ = x.remake(ctx, why) // it is logged
		return
	}
	x.refill(ctx)
}

// remake puts a new index in the place of the one there is, so that it is filled
// again.
func (x *indexer) remake(ctx context.Context, why string) error {
	x.db.log.Warn("the text index is made again", "why", why)
	err := x.db.w.submit(ctx, func(t *tx) error { return t.remakeIndex(why) })
	if err != nil {
		x.db.log.Warn("the text index could not be made again", "err", err)
	}
	select {
	case <-x.damaged: // met before it was emptied
	default:
	}
	x.refill(ctx)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.tried = time.Now()
	close(x.healed)
	x.healed = make(chan struct{})
	return err
}
