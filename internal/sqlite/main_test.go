package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/sqlite/sqlitetest"
)

// TestMain runs the tests, or plays the second process that a test asked for.
func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(playRole(role, os.Getenv(pathVariable)))
	}
	// A database is slow under the race detector, and CI makes eight new sequences
	// each time; -rapid.checks 500 on the command line is for an evening.
	if err := flag.Set("rapid.checks", "8"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// quiet is a logger that discards.
func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

func tempFile(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "state.db")
}

// template is the new database of the tests that are not about making one.
var template sqlitetest.Template

// copied is the path of a new database that no other test uses. Its keys are those of the template.
func copied(t *testing.T) string {
	t.Helper()
	path := tempFile(t)
	template.Copy(t, path, func(ctx context.Context, path string) error {
		db, err := Open(ctx, Options{Path: path, Log: quiet()})
		if err != nil {
			return err
		}
		return db.Close()
	})
	return path
}

// openTest opens a new database that closes with the test.
func openTest(t *testing.T) *DB {
	t.Helper()
	return openAt(t, copied(t))
}

// openAt opens a database that closes with the test, if not before.
func openAt(t *testing.T, path string) *DB {
	t.Helper()
	// A busy machine must not cut a search short.
	db, err := Open(t.Context(), Options{Path: path, Log: quiet(), SearchTime: time.Minute})
	if err != nil {
		t.Fatalf("open database: %v", err)
	}
	t.Cleanup(func() { closeDB(t, db) })
	return db
}

// openPatient opens a new database whose searches wait for the index as long as a busy
// machine needs, and whose commits do not wait for the disk.
func openPatient(t *testing.T) *DB {
	t.Helper()
	db, err := Open(t.Context(), Options{
		Path: copied(t), Log: quiet(), Synchronous: "OFF", SearchTime: time.Minute, IndexPatience: time.Minute,
	})
	if err != nil {
		t.Fatalf("open database: %v", err)
	}
	t.Cleanup(func() { closeDB(t, db) })
	return db
}

func closeDB(t *testing.T, db *DB) {
	t.Helper()
	if err := db.Close(); err != nil {
		t.Errorf("close database: %v", err)
	}
}

// raw opens a file with the driver alone, as another program would.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	u := url.URL{Scheme: "file", Path: path}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		t.Fatalf("open %s: %v", path, err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close %s: %v", path, err)
		}
	})
	return db
}

// must runs statements that have to succeed.
func must(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// ask runs a query that gives one value.
func ask[T any](t *testing.T, db *sql.DB, query string, args ...any) T {
	t.Helper()
	var v T
	if err := db.QueryRowContext(t.Context(), query, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

// writingTo stores texts in a lineage, one step each, as a runner would.
func writingTo(ctx context.Context, db *DB, root session.ID, from int64, texts ...string) error {
	for i, text := range texts {
		if err := db.AppendTurn(ctx, owner.Local(), stepOf(db, owner.Local(), root, from+int64(i), text)); err != nil {
			return err
		}
	}
	return nil
}

// stepOf is a step with one message.
func stepOf(db *DB, o owner.Owner, root session.ID, seq int64, text string) lineage.Step {
	now := time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)
	id, _ := db.ReserveMessageIDs(context.Background(), o, 1) // cannot fail here
	sum := sha256.Sum256([]byte(text))
	return lineage.Step{
		Opened: seq == 0,
		Session: session.Session{
			ID: root, RootID: root, Source: session.SourceAPI, StartedAt: now, LastActive: now, NextSeq: seq + 1,
		},
		Messages: []session.Message{{
			ID: id, SessionID: root, RootID: root, Seq: seq, Role: session.User, Content: text,
			SaidAt: now, RecordedAt: now, Hash: sum[:],
		}},
	}
}

// write is writingTo for tests.
func write(t *testing.T, db *DB, root session.ID, from int64, texts ...string) {
	t.Helper()
	if err := writingTo(t.Context(), db, root, from, texts...); err != nil {
		t.Fatalf("write to %q: %v", root, err)
	}
}

// numbered are n texts.
func numbered(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("message number %d", i)
	}
	return out
}

// count is how many messages a lineage has.
func count(t *testing.T, db *DB, root session.ID) int {
	t.Helper()
	ms, err := db.Messages(t.Context(), owner.Local(), root, session.Range{})
	if err != nil {
		t.Fatalf("messages of %q: %v", root, err)
	}
	return len(ms)
}
