package lineage

import (
	"context"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Shared keeps the turns of this process apart from those of other processes on the same
// store, and tells what the others have changed. A process that owns its store alone needs
// none.
type Shared interface {
	// Hold waits until nobody else holds a place of an owner, and holds it until leave is
	// called. Those who wait are served in the order in which they came, over all processes.
	// It fails with Unavailable if this process was away for so long that others may have
	// gone on with what it held. Its writes are refused then.
	Hold(ctx context.Context, o owner.Owner, place string) (leave func(), err error)
	// Version returns the version of a scope; memory.Unwritten if it has no messages.
	Version(ctx context.Context, o owner.Owner, scope memory.Scope) (memory.Version, error)
}

// The places: a lineage has one turn at a time, a session key one order of messages.
func turnPlace(root session.ID) string { return "turn " + string(root) }
func keyPlace(key session.Key) string  { return "key " + string(key) }

// occupy takes the turn of a lineage: among those of this process, then among all.
func (ls *Lineages) occupy(ctx context.Context, o owner.Owner, k key) (*seat, error) {
	s, err := ls.acquire(ctx, k)
	if err != nil || ls.shared == nil {
		return s, err
	}
	if s.leave, err = ls.shared.Hold(ctx, o, turnPlace(k.root)); err != nil {
		ls.release(s)
		return nil, err
	}
	return s, nil
}

// version is the version of a lineage's scope; 0 if no other process changes it.
func (ls *Lineages) version(ctx context.Context, o owner.Owner, tip *session.Session) (memory.Version, error) {
	if ls.shared == nil {
		return 0, nil
	}
	return ls.shared.Version(ctx, o, memory.Scope{Root: tip.RootID, Key: tip.Key})
}

// fresh reports whether a cached lineage is as it is stored: its scope has the version that it
// was read at, and its tip is the same. An error counts as a change: reading the lineage meets
// it again.
func (ls *Lineages) fresh(ctx context.Context, o owner.Owner, l *Lineage) bool {
	if ls.shared == nil || !l.Exists {
		return ls.shared == nil
	}
	if v, err := ls.version(ctx, o, &l.Tip); err != nil || v != l.version {
		return false
	}
	tip, err := ls.sessions.Tip(ctx, o, l.Tip.ID)
	return err == nil && same(&tip, &l.Tip)
}

// same reports whether a tip is as it was, in all that a turn uses and writes.
func same(a, b *session.Session) bool {
	x, y := *a, *b
	x.LastActive, x.EndedAt = y.LastActive, y.EndedAt // what changes them changes something else, too
	return x == y
}

// Stored is called by a shared store once the step is stored, with its scope and the versions
// of the scope before and after.
func (s *Step) Stored(scope memory.ScopeID, before, after memory.Version) {
	if s.open == nil {
		return
	}
	if s.open.version == before {
		s.open.version = after
	}
	s.view.Advance(scope, before, after)
}
