package postgres

import (
	"context"
	"flag"
	"io"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/postgres/postgrestest"
)

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "8"); err != nil { // as for the other store
		panic(err)
	}
	os.Exit(postgrestest.Main(m))
}

// quiet is a logger that discards.
func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// pooled are handles that no test uses. A new one would have to prepare its statements
// again, which takes longer than most tests; a handle keeps nothing else.
var pooled struct {
	sync.Mutex
	free []*DB
}

// openTest returns a handle of an empty database that no other test uses.
func openTest(t testing.TB) *DB {
	t.Helper()
	server := postgrestest.Shared(t)
	pooled.Lock()
	var db *DB
	if n := len(pooled.free); n > 0 {
		db, pooled.free = pooled.free[n-1], pooled.free[:n-1]
	}
	pooled.Unlock()
	if db == nil {
		var err error
		if db, err = Open(context.Background(), Options{URL: server.Database(t, prepareTemplate), Log: quiet(), SearchTime: time.Minute}); err != nil {
			t.Fatalf("open database: %v", err)
		}
	}
	t.Cleanup(func() {
		if _, err := db.pool.Exec(context.Background(), postgrestest.EmptyAll); err != nil {
			t.Errorf("empty the database: %v", err)
			return
		}
		pooled.Lock()
		defer pooled.Unlock()
		pooled.free = append(pooled.free, db)
	})
	return db
}

// prepareTemplate makes the schema in the database that the tests copy.
func prepareTemplate(ctx context.Context, url string) error {
	db, err := Open(ctx, Options{URL: url, Log: quiet()})
	if err != nil {
		return err
	}
	return db.Close()
}

// openAt opens a database that closes with the test, if not before.
func openAt(t testing.TB, url string) *DB {
	t.Helper()
	// A busy machine must not cut a search short.
	db, err := Open(context.Background(), Options{URL: url, Log: quiet(), SearchTime: time.Minute})
	if err != nil {
		t.Fatalf("open database: %v", err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}
