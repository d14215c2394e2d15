package httpapi_test

import (
	"context"
	"flag"
	"path/filepath"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/postgres"
	"github.com/hermes-memory/hermes/internal/postgres/postgrestest"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/sqlite"
	"github.com/hermes-memory/hermes/internal/storage"
	"github.com/hermes-memory/hermes/internal/storetest"
	"github.com/hermes-memory/hermes/internal/transcript"
)

// ownerStore is the store under TestOwners.
var ownerStore = flag.String("store", "sqlite", "the store under TestOwners: sqlite or postgres")

// dataStore is the database of a world.
type dataStore interface {
	storetest.Store
	Ready() error
	Check(ctx context.Context, deep bool) ([]string, error)
	CheckRows(ctx context.Context) ([]string, error)
	Load() storage.Load
	Close() error
}

// openStore opens the database that there is, and the mirror of its transcripts: none for
// PostgreSQL.
func (w *world) openStore() (dataStore, *transcript.Mirror) {
	w.t.Helper()
	bell := transcript.NewBell()
	if w.opt.postgres || w.opt.alternate {
		return w.openPostgres(), nil
	}
	path := filepath.Join(w.dir, "state.db")
	runtest.Template(w.t, path)
	db, err := sqlite.Open(context.Background(), sqlite.Options{
		Transcripts: bell.Ring, Observer: w.measure, Path: path, Log: w.opt.log,
		Synchronous: "OFF",                                   // no test here is about a power cut
		SearchTime:  time.Minute, IndexPatience: time.Minute, // the machine may be busy
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return db, transcript.New(transcript.Parts{Store: db, Home: w.dir, Bell: bell, Now: time.Now, Log: w.opt.log})
}

// openPostgres opens the world's own PostgreSQL database.
func (w *world) openPostgres() *postgres.DB {
	w.t.Helper()
	open := func(ctx context.Context, url string) (*postgres.DB, error) {
		return postgres.Open(ctx, postgres.Options{URL: url, Conns: 8, Log: w.opt.log, SearchTime: time.Minute, Unsafe: true})
	}
	if w.opt.alternate {
		prepare := open
		open = func(ctx context.Context, url string) (*postgres.DB, error) {
			if w.database == "" {
				return prepare(ctx, url)
			}
			return postgres.Open(ctx, postgres.Options{URL: url, Conns: 8, Log: w.opt.log, SearchTime: time.Minute, Unsafe: true, Node: "a node"})
		}
	}
	if w.database == "" {
		w.database = postgrestest.Shared(w.t).Database(w.t, func(ctx context.Context, url string) error {
			db, err := open(ctx, url)
			if err != nil {
				return err
			}
			return db.Close()
		})
	}
	db, err := open(context.Background(), w.database)
	if err != nil {
		w.t.Fatal(err)
	}
	return db
}

// flush brings the transcripts in files up to date, if there are any.
func (w *world) flush(ctx context.Context, o owner.Owner) error {
	if w.mirror == nil {
		return nil
	}
	return w.mirror.Flush(ctx, o)
}

// withPostgres runs the tests, and stops the PostgreSQL server that they may share.
type withPostgres struct{ m *testing.M }

// Run implements goleak.TestingM.
func (w withPostgres) Run() int { return postgrestest.Main(w.m) }
