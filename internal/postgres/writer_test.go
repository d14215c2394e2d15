package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/postgres/postgrestest"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestSwallowed: an operation that does not notice its failed statement is not confirmed.
func TestSwallowed(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	err := db.w.submit(t.Context(), owner.Local(), func(t *tx) error {
		_, _ = t.exec(`SELECT 1 / 0`)
		return nil
	})
	if err == nil {
		t.Error("got no error for a transaction that was rolled back")
	}
}

// TestGuiltyAlone: of operations that share a transaction, only the failing one fails.
func TestGuiltyAlone(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	broken := errors.New("broken")
	var wg sync.WaitGroup
	for n := range 20 {
		wg.Go(func() {
			err := db.w.submit(t.Context(), owner.Local(), func(t *tx) error {
				t.send("store", `INSERT INTO erasures (owner_id, hash, words, erased_at, form) VALUES (?, ?, 1, 1, 1)`, "local", []byte{byte(n)})
				if n%5 == 0 {
					return broken
				}
				return nil
			})
			if (n%5 == 0) != errors.Is(err, broken) {
				t.Errorf("operation %d: got %v", n, err)
			}
		})
	}
	wg.Wait()
	list, err := db.Erasures(t.Context(), owner.Local())
	if err != nil || len(list) != 16 {
		t.Errorf("got %d rows, %v, want 16", len(list), err)
	}
}

// breakingAt breaks the connection of a transaction when it commits.
func breakingAt(db *DB, before bool) func(*tx) error {
	return func(t *tx) error {
		if err := t.flush(); err != nil || before {
			return errors.Join(err, t.conn.Close(context.Background()))
		}
		// The commit reaches the server, and its confirmation gets lost.
		if _, err := t.conn.Exec(t.ctx, `COMMIT`); err != nil {
			return err
		}
		return t.conn.Close(context.Background())
	}
}

// TestCommitUnknown: of a commit whose connection broke, the place of the messages decides.
func TestCommitUnknown(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	if err := db.AppendTurn(t.Context(), owner.Local(), aStep(t, db, "s", 0, "hello")); err != nil {
		t.Fatal(err)
	}
	for seq, before := range map[int64]bool{1: true, 2: false} {
		step := aStep(t, db, "s", seq, "more")
		err := db.w.submit(t.Context(), owner.Local(), func(t *tx) error {
			if _, err := t.appendStep(owner.Local(), &step, nil, nil, false); err != nil {
				return err
			}
			return breakingAt(db, before)(t)
		})
		if fault.KindOf(err) != fault.Unavailable || !errors.Is(err, errUnknown) {
			t.Errorf("seq %d: got %v, want an unknown outcome", seq, err)
		}
		if got := db.placed(t.Context(), owner.Local(), &step); got == before {
			t.Errorf("seq %d: got stored %v, want %v", seq, got, !before)
		}
	}
	ms, err := db.Messages(t.Context(), owner.Local(), "s", session.Range{})
	if err != nil || len(ms) != 2 {
		t.Errorf("got %d messages, %v, want each stored one once", len(ms), err)
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		diskFull: "disk_full", readOnlyTransaction: "database_read_only", shutdownByAdmin: "database_unreachable", uniqueViolation: "",
		lockNotAvailable: "overloaded", queryCanceled: "overloaded", idleInTransaction: "database_unreachable",
	} {
		if got := fault.CodeOf(judge(&pgconn.PgError{Code: code, Message: "m"})); got != want {
			t.Errorf("%s: got %q, want %q", code, got, want)
		}
	}
	if err := judge(nil); err != nil {
		t.Errorf("nil: got %v", err)
	}
	if f := judge(errUnknown); !strings.Contains(fault.MessageOf(f), "not known") {
		t.Errorf("unknown: got %v", f)
	}
}

// TestLostWhileReading: rows whose connection ends on the way are an error that passes, for every reader.
func TestLostWhileReading(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	const lost = `SELECT pg_terminate_backend(pg_backend_pid())`
	got, err := db.query(t.Context(), lost)
	if err == nil {
		err = scanAll(got, func(*rows) error { return nil })
	}
	if code := fault.CodeOf(err); code != "database_unreachable" {
		t.Errorf("got %v with code %q", err, code)
	}
	if code := fault.CodeOf(judge(fmt.Errorf("begin: %w", pgconn.ErrConnClosed))); code != "database_unreachable" {
		t.Errorf("a closed connection: got code %q", code)
	}
}

// TestRefusedConnection: a server that refuses a connection, as it does when it has too many, cannot be
// reached now.
func TestRefusedConnection(t *testing.T) {
	t.Parallel()
	server := postgrestest.Shared(t)
	db := openAt(t, server.Database(t, prepareTemplate))
	admin, err := pgx.Connect(t.Context(), server.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = admin.Close(context.Background()) }()
	name := db.pool.Config().ConnConfig.Database
	if _, err := admin.Exec(t.Context(), `ALTER DATABASE `+name+` ALLOW_CONNECTIONS false`); err != nil {
		t.Fatal(err)
	}
	db.pool.Reset()
	_, err = db.Tip(t.Context(), owner.Local(), "s")
	if code := fault.CodeOf(err); code != "database_unreachable" || codeOf(err) == "" {
		t.Errorf("got %v with code %q", err, code)
	}
}

// TestReadyForWrites: a database that takes no writes is not ready.
func TestReadyForWrites(t *testing.T) {
	t.Parallel()
	db := openAt(t, postgrestest.Shared(t).Database(t, prepareTemplate))
	if err := db.Ready(); err != nil {
		t.Errorf("a database that takes writes: %v", err)
	}
	if _, err := db.pool.Exec(t.Context(), `ALTER DATABASE `+db.pool.Config().ConnConfig.Database+` SET default_transaction_read_only = on`); err != nil {
		t.Fatal(err)
	}
	db.pool.Reset()
	if code := fault.CodeOf(db.Ready()); code != "database_read_only" {
		t.Errorf("a database that takes none: got code %q", code)
	}
}

// aStep is a step of the local owner with one message.
func aStep(t testing.TB, db *DB, root session.ID, seq int64, text string) lineage.Step {
	t.Helper()
	now := time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)
	id, err := db.ReserveMessageIDs(context.Background(), owner.Local(), 1)
	if err != nil {
		t.Fatalf("reserve an id: %v", err)
	}
	sum := sha256.Sum256([]byte(text))
	return lineage.Step{
		Opened:  seq == 0,
		Session: session.Session{ID: root, RootID: root, Source: session.SourceAPI, StartedAt: now, LastActive: now, NextSeq: seq + 1},
		Messages: []session.Message{{
			ID: id, SessionID: root, RootID: root, Seq: seq, Role: session.User, Content: text, SaidAt: now, RecordedAt: now, Hash: sum[:],
		}},
	}
}
