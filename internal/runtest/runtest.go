// Package runtest makes what most tests stand on: a runner and a curator over a real
// database, a clock that is moved, and a talk with the responder. It is for tests and
// benchmarks alone.
package runtest

import (
	"cmp"
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/sqlite"
	"github.com/hermes-memory/hermes/internal/sqlite/sqlitetest"
)

// Open opens the database at a path as a process does that starts. Whoever opens
// it closes it.
func Open(t testing.TB, path string) *sqlite.DB {
	t.Helper()
	return OpenListing(t, path, nil)
}

// OpenListing is Open of a database that lists changes for transcripts.
func OpenListing(t testing.TB, path string, transcripts func()) *sqlite.DB {
	t.Helper()
	Template(t, path)
	db, err := open(context.Background(), path, transcripts)
	if err != nil {
		t.Fatalf("open database: %v", err)
	}
	return db
}

func open(ctx context.Context, path string, transcripts func()) (*sqlite.DB, error) {
	return sqlite.Open(ctx, sqlite.Options{
		Path: path, Transcripts: transcripts, Log: slog.New(slog.DiscardHandler), Synchronous: "OFF",
		SearchTime: time.Minute, // the machine may be busy
		NoGuard:    true,        // a test has its files to itself, and a bubble its clock
	})
}

// template is the new database of all tests of a process.
var template sqlitetest.Template

// Template puts a new database at a path that has none: opening it takes a tenth of making it.
func Template(t testing.TB, path string) {
	t.Helper()
	template.Copy(t, path, func(ctx context.Context, path string) error {
		db, err := open(ctx, path, nil)
		if err != nil {
			return err
		}
		return db.Close()
	})
}

// Store is what a runner and a curator write to.
type Store interface {
	run.Store
	curate.Store
}

// Database is all that a runner and a curator use of a database.
type Database interface {
	Store
	session.Store
	session.Catalog
	memory.Archive
	memory.Lister
	memory.Store
	curate.Receipts
	curate.Sweeper
}

// Floor is the least that memory may add to a prompt, in tokens, as in the program.
const Floor = 1500

// Parts are what a test chooses of a program. What it leaves out is the database,
// and what keeps a test short.
type Parts struct {
	Store    Store
	Sessions session.Store
	Views    *memory.Views
	Models   run.Models
	Tools    run.Tools
	Config   run.Config
	Studies  curate.Studies
	// Embed finds the meaning of questions, within EmbedPatience.
	Embed         memory.Embedder
	EmbedPatience time.Duration
	Wake          func(owner.Owner, session.ID)
	Line          *claim.Line
	Shared        lineage.Shared // nil for a database of one process
	Observer      run.Observer
	Mirror        func(context.Context, owner.Owner) error
	Files         curate.Files
	Images        run.Images
	External      run.External    // the external memory that turns ask
	Owed          curate.External // is told of what is forgotten
	Ledger        curate.Ledger   // nil for none
	Log           *slog.Logger
}

// New puts a runner and a curator over a database.
func New(db Database, p *Parts) (*run.Runner, *curate.Curator) {
	if p.Store == nil {
		p.Store = db
	}
	if p.Sessions == nil {
		p.Sessions = db
	}
	if p.Views == nil {
		p.Views = memory.NewViews(db, 64<<20)
	}
	p.Log = cmp.Or(p.Log, slog.New(slog.DiscardHandler))
	if p.Shared != nil {
		p.Views.Share()
	}
	c := &p.Config
	c.Budgets.Default, c.Patience = cmp.Or(c.Budgets.Default, 8000), cmp.Or(c.Patience, time.Minute)
	c.Budgets.Floor = cmp.Or(c.Budgets.Floor, Floor)
	c.IdempotencyTTL = cmp.Or(c.IdempotencyTTL, 24*time.Hour)
	lineages := lineage.New(lineage.Parts{
		Store: p.Store, Sessions: p.Sessions, Views: p.Views, Shared: p.Shared, Hot: 64, Now: c.Clock, Log: p.Log,
	})
	questions := &memory.Questions{Embed: p.Embed, Patience: p.EmbedPatience, Now: c.Clock, Log: p.Log}
	curator := curate.New(curate.Parts{
		Store: p.Store, Receipts: db, Sessions: p.Sessions, Catalog: db, Memory: db, Facts: db, Views: p.Views, Lineages: lineages,
		Questions: questions, Budgets: c.Budgets, Studies: p.Studies, Sweeper: db, Mirror: p.Mirror, Files: p.Files,
		External: p.Owed, Ledger: p.Ledger, Wake: p.Wake, Now: c.Clock, Log: p.Log,
	})
	runner := run.New(run.Parts{
		Store: p.Store, Sessions: p.Sessions, Memory: db, Views: p.Views, Lineages: lineages, Shared: p.Shared,
		Curator: curator, Models: p.Models,
		Tools: p.Tools, Images: p.Images, External: p.External,
		Config: *c, Wake: p.Wake, Questions: questions, Process: "test", Line: p.Line, Observer: p.Observer, Log: p.Log,
	})
	return runner, curator
}
