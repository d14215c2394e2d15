// Package curate is what people and programs do with memory between turns: look at
// it, add to it, forget, take back, copy, import, name and rebuild. No turn
// needs a model for it. A turn branches and takes back through it as well.
package curate

import (
	"log/slog"
	"time"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Curator changes and shows what is remembered. It is safe for concurrent use.
type Curator struct {
	store     Store
	receipts  Receipts
	sessions  session.Store
	catalog   session.Catalog
	quotes    memory.Store
	views     *memory.Views
	lineages  *lineage.Lineages
	questions *memory.Questions
	budgets   compression.Budgets
	studies   Studies
	erase     func(about *mention.Thing) error
	sweeper   Sweeper
	wake      func(owner.Owner, session.ID)
	now       func() time.Time
	log       *slog.Logger
	// copying is shared while a lineage is copied to another, and had alone while
	// texts are erased everywhere.
	copying copying
}

// Parts are what a Curator is made of.
type Parts struct {
	Store    Store
	Receipts Receipts
	Sessions session.Store
	Catalog  session.Catalog
	Memory   memory.Store
	Views    *memory.Views
	Lineages *lineage.Lineages
	// Questions finds the meaning of what is searched for.
	Questions *memory.Questions
	Budgets   compression.Budgets
	// Studies keeps what models work out between turns; nil when no model does.
	Studies Studies
	// Erase takes what is about a thing out of the files of the local owner that
	// are not the store's; nil if there are none.
	Erase func(about *mention.Thing) error
	// Sweeper forgets what is stored next to sessions and messages.
	Sweeper Sweeper
	// Wake is told of each lineage that something was stored in; nil for no one. It
	// must not block.
	Wake func(owner.Owner, session.ID)
	// Now is the clock, in the precision of the store.
	Now func() time.Time
	Log *slog.Logger
}

// New returns a Curator.
func New(p Parts) *Curator {
	return &Curator{
		store: p.Store, receipts: p.Receipts, sessions: p.Sessions, catalog: p.Catalog, quotes: p.Memory, views: p.Views,
		lineages: p.Lineages, questions: p.Questions, budgets: p.Budgets, studies: p.Studies,
		erase: p.Erase, sweeper: p.Sweeper, wake: p.Wake, now: p.Now, log: p.Log,
	}
}
