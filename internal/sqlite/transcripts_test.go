package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/storage"
	"github.com/hermes-memory/hermes/internal/storetest"
	"github.com/hermes-memory/hermes/internal/transcript"
)

// TestEveryChangeIsListed runs the contract on a store whose changes triggers see, too:
// whatever row of a session, a message or a chat was changed, the list names its session or
// its owner's chats.
func TestEveryChangeIsListed(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Store {
		db := openListing(t, copied(t))
		spy(t, db)
		return listing{db}
	})
}

// listing is a store with a mirror that settles each change before the store is searched.
type listing struct{ *DB }

// Mentions implements curate.Sweeper.
func (l listing) Mentions(ctx context.Context, o owner.Owner, about *mention.Thing) ([]curate.Trace, error) {
	if err := l.settleAll(ctx); err != nil {
		return nil, err
	}
	return l.DB.Mentions(ctx, o, about)
}

// Traces implements curate.Sweeper.
func (l listing) Traces(ctx context.Context, about *mention.Thing) ([]curate.Trace, error) {
	if err := errors.Join(l.settleAll(ctx), l.Clean(ctx)); err != nil {
		return nil, err
	}
	return l.DB.Traces(ctx, about)
}

func (l listing) settleAll(ctx context.Context) error {
	list, err := l.TranscriptChanges(ctx, 1<<20)
	if err == nil {
		_, err = l.SettleTranscripts(ctx, list)
	}
	return err
}

// openListing opens a database that lists changes for transcripts.
func openListing(t *testing.T, path string) *DB {
	t.Helper()
	db, err := Open(t.Context(), Options{
		Path: path, Log: quiet(), Synchronous: "OFF", SearchTime: time.Minute, IndexPatience: time.Minute, Transcripts: func() {},
	})
	if err != nil {
		t.Fatalf("open database: %v", err)
	}
	t.Cleanup(func() { closeDB(t, db) })
	return db
}

// spy lets triggers note the sessions of changed rows. Columns that no file shows do not count.
func spy(t *testing.T, db *DB) {
	t.Helper()
	statements := []string{`CREATE TEMP TABLE seen (owner_id TEXT, session_id TEXT)`}
	for _, of := range []struct{ table, id, columns string }{
		{"sessions", "id", "id, root_id, parent_session_id, generation, session_key, source, user_id, title, title_source, started_at, ended_at, end_reason, last_active, message_count, next_seq"},
		{"messages", "session_id", "seq, role, name, content, tool_calls, tool_call_id, tool_name, model, finish_reason, said_at, undone_at"},
		{"chats", "''", "chat_id, thread_id, type, title, session_key, session_id, user_id"},
	} {
		for event, row := range map[string]string{"INSERT": "new", "UPDATE OF " + of.columns: "new", "DELETE": "old"} {
			id := row + "." + of.id
			if of.id == "''" {
				id = of.id
			}
			statements = append(statements, fmt.Sprintf(`CREATE TEMP TRIGGER see%d AFTER %s ON main.%s BEGIN INSERT INTO seen VALUES (%s.owner_id, %s); END`,
				len(statements), event, of.table, row, id))
		}
	}
	<-db.w.pen
	defer func() { db.w.pen <- struct{}{} }()
	for _, s := range statements {
		if _, err := db.w.conn.ExecContext(context.Background(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	db.w.observer = &seer{t: t, db: db}
}

// seer compares, after each commit, what the triggers have seen with what was listed.
type seer struct {
	t    *testing.T
	db   *DB
	last int64 // the number of the last change of the commit before
}

// Committed implements storage.Observer.
func (s *seer) Committed(storage.Commit) {
	seen, err := s.seen()
	if err != nil {
		s.t.Errorf("read what triggers saw: %v", err)
	}
	for _, name := range seen {
		if n := s.db.w.listed.of(name, transcriptNumbers{}); n.number <= s.last {
			s.t.Errorf("not listed: %+v", name)
		}
	}
	s.last = s.db.w.changes
}

// RolledBack implements Observer.
func (s *seer) RolledBack() {}

// seen are the changed sessions.
func (s *seer) seen() (out []transcriptName, err error) {
	ctx := context.Background()
	rows, err := s.db.w.conn.QueryContext(ctx, `SELECT DISTINCT owner_id, session_id FROM seen`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name transcriptName
		if err := rows.Scan(&name.owner, &name.session); err != nil {
			return nil, err
		}
		out = append(out, name)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, err
	}
	_, err = s.db.w.conn.ExecContext(ctx, `DELETE FROM seen`)
	return out, err
}

// TestTranscriptList: an entry stays until it is settled as it is now.
func TestTranscriptList(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openListing(t, path)
	write(t, db, "s", 0, "one")
	first := changes(t, db)
	write(t, db, "s", 1, "two")
	second := changes(t, db)
	if len(first) != 1 || len(second) != 1 || second[0].Number <= first[0].Number || second[0].Rewritten != 0 {
		t.Fatalf("listed: %+v, then %+v", first, second)
	}
	settle(t, db, first, 1)
	if got := changes(t, db); len(got) != 1 {
		t.Errorf("a later change was settled with an earlier one: %+v", got)
	}
	closeDB(t, db)
	db = openListing(t, path) // the file of the session may be damaged
	left := changes(t, db)
	if len(left) != 1 || left[0].Rewritten != left[0].Number {
		t.Errorf("after a start: %+v", left)
	}
	write(t, db, "s", 2, "three")
	third := changes(t, db)
	if third[0].Number <= left[0].Number || third[0].Rewritten != left[0].Rewritten {
		t.Errorf("after a change: %+v, want it later than %+v", third, left)
	}
	settle(t, db, third, 2)
	if err := db.DeleteLineage(t.Context(), owner.Local(), "s"); err != nil {
		t.Fatal(err)
	}
	if got := changes(t, db); len(got) != 1 || got[0].ID != "s" {
		t.Errorf("after a deletion: %+v", got)
	}
	closeDB(t, db)
	db = openAt(t, path) // transcripts are off
	write(t, db, "other", 0, "one")
	if got := changes(t, db); len(got) != 0 {
		t.Errorf("without transcripts: %+v", got)
	}
	if at, err := db.TranscriptPosition(t.Context()); err != nil || at != 0 {
		t.Errorf("the position without transcripts: %d, %v", at, err)
	}
}

// TestSettleDuringChanges: a change in the transaction that settles an earlier one stays on
// the list.
func TestSettleDuringChanges(t *testing.T) {
	t.Parallel()
	db := openListing(t, tempFile(t))
	write(t, db, "s", 0, "zero")
	for range 3 {
		list := changes(t, db)
		note := func() error {
			return db.w.submit(context.Background(), func(tx *tx) error {
				tx.transcriptChanged(owner.Local(), "s", false)
				return nil
			})
		}
		settle := func() error {
			_, err := db.SettleTranscripts(context.Background(), list)
			return err
		}
		<-db.w.pen // both wait for one transaction
		done := make(chan error, 2)
		for n, do := range []func() error{settle, note} {
			go func() { done <- do() }()
			for len(db.w.queue) <= n {
				runtime.Gosched()
			}
		}
		db.w.pen <- struct{}{}
		if err := errors.Join(<-done, <-done); err != nil {
			t.Fatal(err)
		}
		if got := changes(t, db); len(got) != 1 || got[0].Number <= list[0].Number {
			t.Fatalf("listed: %+v after %+v", got, list)
		}
	}
}

// TestLostTranscriptList: a list that somebody has dropped comes back empty, and the position
// no longer fits.
func TestLostTranscriptList(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openListing(t, path)
	write(t, db, "s", 0, "one")
	settle(t, db, nil, 1)
	closeDB(t, db)
	must(t, raw(t, path), `DROP TABLE transcript_changes`)
	db = openListing(t, path)
	if at, err := db.TranscriptPosition(t.Context()); err != nil || at != 0 {
		t.Errorf("the position: %d, %v", at, err)
	}
	owners, err := db.ListTranscripts(t.Context())
	if got := changes(t, db); err != nil || len(owners) != 1 || len(got) != 1 || got[0].Rewritten == 0 {
		t.Errorf("listed again: %v, %+v, %v", owners, got, err)
	}
}

func changes(t *testing.T, db *DB) []transcript.Change {
	t.Helper()
	list, err := db.TranscriptChanges(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func settle(t *testing.T, db *DB, list []transcript.Change, want int64) {
	t.Helper()
	if got, err := db.SettleTranscripts(t.Context(), list); err != nil || got != want {
		t.Fatalf("settle: got the position %d, %v, want %d", got, err, want)
	}
}

var _ transcript.Store = (*DB)(nil)
