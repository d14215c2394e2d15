// Package runtest makes what most tests stand on: a runner over a real database,
// and a clock that is moved. It is for tests alone.
package runtest

import (
	"cmp"
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/sqlite"
)

// Open opens the database at a path as a process does that starts. Whoever opens
// it closes it.
func Open(t testing.TB, path string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(context.Background(), sqlite.Options{
		Path: path, Log: slog.New(slog.DiscardHandler), Synchronous: "OFF", SearchTime: time.Minute, // the machine may be busy
		NoGuard: true, // a test has its files to itself, and a bubble its clock
	})
	if err != nil {
		t.Fatalf("open database: %v", err)
	}
	return db
}

// Runner is a runner over a database, with the parts that are given. The others are
// the database, and what keeps a test short.
func Runner(db *sqlite.DB, p run.Parts) *run.Runner {
	if p.Store == nil {
		p.Store = db
	}
	if p.Views == nil {
		p.Views = memory.NewViews(db, 64<<20)
	}
	c := &p.Config
	c.Budget, c.Patience, c.HotLineages = cmp.Or(c.Budget, 8000), cmp.Or(c.Patience, time.Minute), cmp.Or(c.HotLineages, 64)
	c.IdempotencyTTL = cmp.Or(c.IdempotencyTTL, 24*time.Hour)
	if p.Sessions == nil {
		p.Sessions = db
	}
	p.Ledger, p.Catalog, p.Memory = db, db, db
	p.Process, p.Log = "test", slog.New(slog.DiscardHandler)
	return run.New(p)
}
