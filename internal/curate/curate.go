// Package curate holds the operations on memory between turns: inspect, add, forget,
// undo, fork, import, name, rebuild. None needs a model. Turns use it to fork and to
// undo.
package curate

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Curator changes and inspects memory. It is safe for concurrent use.
type Curator struct {
	store     Store
	receipts  Receipts
	sessions  session.Store
	catalog   session.Catalog
	quotes    memory.Store
	facts     memory.Lister
	views     *memory.Views
	lineages  *lineage.Lineages
	questions *memory.Questions
	budgets   compression.Budgets
	studies   Studies
	erase     func(about *mention.Thing) error
	mirror    func(context.Context, owner.Owner) error
	files     Files
	sweeper   Sweeper
	ledger    Ledger
	external  External
	wake      func(owner.Owner, session.ID)
	now       func() time.Time
	log       *slog.Logger
	// copying is shared by copies of lineages, and exclusive for erasures over all
	// lineages.
	copying copying
}

// Parts are what a Curator is made of.
type Parts struct {
	Store    Store
	Receipts Receipts
	Sessions session.Store
	Catalog  session.Catalog
	Memory   memory.Store
	Facts    memory.Lister
	Views    *memory.Views
	Lineages *lineage.Lineages
	// Questions computes the vectors of search texts.
	Questions *memory.Questions
	Budgets   compression.Budgets
	// Studies stores the results of background work; nil if no model does any.
	Studies Studies
	// Erase removes a thing from the local owner's files outside the store; nil if
	// there are none.
	Erase func(about *mention.Thing) error
	// Mirror returns once the owner's transcripts in files hold what the store holds; nil if
	// there are none.
	Mirror func(context.Context, owner.Owner) error
	// Files are the files that people sent; nil if none are kept.
	Files Files
	// Sweeper erases in all tables besides sessions and messages.
	Sweeper Sweeper
	// Ledger records erasures outside of the store; nil if there is none.
	Ledger Ledger
	// External passes on to external memory providers what was forgotten; nil for none.
	External External
	// Wake is called with each lineage in which a message was stored; nil for none. It
	// must not block.
	Wake func(owner.Owner, session.ID)
	// Now is the clock, in the precision of the store.
	Now func() time.Time
	Log *slog.Logger
}

// New returns a Curator.
func New(p Parts) *Curator {
	return &Curator{
		store: p.Store, receipts: p.Receipts, sessions: p.Sessions, catalog: p.Catalog, quotes: p.Memory, facts: p.Facts, views: p.Views,
		lineages: p.Lineages, questions: p.Questions, budgets: p.Budgets, studies: p.Studies,
		erase: p.Erase, mirror: p.Mirror, files: p.Files, sweeper: p.Sweeper, ledger: p.Ledger, external: p.External,
		wake: p.Wake, now: p.Now, log: p.Log,
	}
}

// takeTip acquires the lock on a lineage's turns, and reads the lineage's tip from the
// store. id is any id of the lineage. NotFound if no session has it.
func (c *Curator) takeTip(ctx context.Context, o owner.Owner, id session.ID, reach lineage.Reach) (*lineage.Held, session.Session, error) {
	l, err := c.lineages.Take(ctx, o, id, reach)
	if err != nil {
		return nil, session.Session{}, err
	}
	tip, err := c.sessions.Tip(ctx, o, id)
	if err != nil {
		l.Release()
		return nil, session.Session{}, fmt.Errorf("find session: %w", err)
	}
	return l, tip, nil
}
