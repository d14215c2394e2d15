package lineage

import (
	"context"

	"github.com/hermes-memory/hermes/internal/fault"
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
	// HoldTurn is Hold for a turn. In the same round trip it reads how a lineage and a scope
	// stand.
	HoldTurn(ctx context.Context, o owner.Owner, t Turn) (leave func(), at Standing, err error)
	// State returns the state of a scope; that of one without messages is Unwritten.
	State(ctx context.Context, o owner.Owner, scope memory.Scope) (memory.ScopeState, error)
	// Settle waits until all places of an owner that are held or waited for now have been left. The
	// caller holds none.
	Settle(ctx context.Context, o owner.Owner) error
}

// Turn is what HoldTurn is asked for: the turn of a lineage, or one in the order of a session key.
type Turn struct {
	Place string
	// Session is any session of the lineage; "" if no lineage is asked for.
	Session session.ID
	Scope   memory.Scope
}

// Standing is a lineage as it stands when its turn is held.
type Standing struct {
	// Tip is the newest session of the lineage. It is not Found if no session has the id.
	Tip   session.Session
	Found bool
	// State is that of Scope.
	Scope memory.Scope
	State memory.ScopeState
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
	turn := Turn{Place: turnPlace(k.root), Session: k.root, Scope: memory.Scope{Root: k.root, Key: s.lineage.Tip.Key}}
	if s.leave, s.standing, err = ls.shared.HoldTurn(ctx, o, turn); err != nil {
		ls.release(s)
		return nil, err
	}
	return s, nil
}

// tip is the tip of the lineage that an id belongs to. A process that shares its store has read
// it with the turn.
func (ls *Lineages) tip(ctx context.Context, o owner.Owner, s *seat, id session.ID) (session.Session, error) {
	switch {
	case ls.shared == nil || id != s.key.root:
		return ls.sessions.Tip(ctx, o, id)
	case !s.standing.Found:
		return session.Session{}, fault.New(fault.NotFound, "session_not_found", "There is no such session.")
	}
	return s.standing.Tip, nil
}

// version is the version of a lineage's scope; 0 if no other process changes it. at is what was
// read with the turn; nil if the scope must be asked for.
func (ls *Lineages) version(ctx context.Context, o owner.Owner, tip *session.Session, at *Standing) (memory.Version, error) {
	if ls.shared == nil {
		return 0, nil
	}
	scope := memory.Scope{Root: tip.RootID, Key: tip.Key}
	if at != nil && at.Scope == scope {
		return at.State.Version, nil
	}
	state, err := ls.shared.State(ctx, o, scope)
	return state.Version, err
}

// state is the state of a lineage's scope as it was read with the turn; nil if none was read.
// Under a session key, turns of other lineages may have changed it since; a view that has more
// than that state is as good.
func (s *seat) state(scope memory.Scope) *memory.ScopeState {
	if scope != s.standing.Scope {
		return nil
	}
	return &s.standing.State
}

// fresh reports whether a cached lineage is as it is stored: its scope has the version that it
// was read at, and its tip is the same. The version counts no changes of messages of other scopes.
func (ls *Lineages) fresh(s *seat) bool {
	l := &s.lineage
	if ls.shared == nil || !l.Exists {
		return ls.shared == nil
	}
	now := &s.standing
	return now.Found && now.State.Version == l.version && same(&now.Tip, &l.Tip) && l.inScope()
}

// inScope reports whether all cached messages belong to the scope of the tip. Others may have come
// under another session key, or without one.
func (l *Lineage) inScope() bool {
	for i := range l.Recent {
		if l.Recent[i].Key != l.Tip.Key {
			return false
		}
	}
	return true
}

// same reports whether a tip is as it was, in all that a turn uses and writes.
func same(a, b *session.Session) bool {
	x, y := *a, *b
	x.LastActive, x.EndedAt = y.LastActive, y.EndedAt // what changes them changes something else, too
	return x == y
}

// Known is the scope of the step's messages, and the version that it has if nobody else has
// changed it: the step has its turn in the lineage or in the order of the key. It is not known
// for a new scope.
func (s *Step) Known() (scope memory.ScopeID, at memory.Version, known bool) {
	if s.open == nil || s.view == nil {
		return 0, 0, false
	}
	scope, at = s.view.Stands()
	return scope, at, at > 0
}

// Stored is called by a shared store once the step is stored, with its scope and the versions
// of the scope before and after.
func (s *Step) Stored(scope memory.ScopeID, before, after memory.Version) {
	if s.open != nil && s.open.version == before {
		s.open.version = after
	}
	if s.view != nil {
		s.view.Advance(scope, before, after)
	}
}
