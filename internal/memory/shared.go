package memory

import (
	"context"
	"sync"

	"github.com/hermes-memory/hermes/internal/owner"
)

// Share makes the cache compare a view with the store before each use, because other processes
// write to the store. It is called before the first use.
func (c *Views) Share() { c.shared = true }

// refresh drops the cached view of a scope that others have changed.
func (c *Views) refresh(ctx context.Context, o owner.Owner, s Scope) error {
	if !c.shared {
		return nil
	}
	v := c.cached(o, s)
	if v == nil {
		return nil
	}
	m, err := v.from.manifestFor(ctx)
	if err != nil {
		return err
	}
	if !v.at(&m) {
		c.Drop(o, s)
	}
	return nil
}

// Newest reports whether a view is the cached one of its scope, and has all that others have
// written. It drops one that has not.
func (c *Views) Newest(ctx context.Context, o owner.Owner, s Scope, v *View) (bool, error) {
	if err := c.refresh(ctx, o, s); err != nil {
		return false, err
	}
	return c.Current(o, s, v), nil
}

// scopeState is the state of a scope that a view has: that of its manifest when the view was
// read, or after the newest write of this process.
type scopeState struct {
	mu      sync.Mutex
	scope   ScopeID
	version Version
}

func (s *scopeState) set(m *Manifest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scope, s.version = m.Scope, m.Version
}

func (s *scopeState) is(m *Manifest) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.scope == m.Scope && s.version == m.Version
}

// at reports whether a view has the state of a manifest.
func (v *View) at(m *Manifest) bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.stands.is(m) && (v.edition == m.Edition || m.Version == Unwritten)
}

// Advance notes that a write of this process, which the view has, brought the scope from one
// version to the next. A view of another version lacks what others have written, and stays
// behind.
func (v *View) Advance(scope ScopeID, before, after Version) {
	v.stands.mu.Lock()
	defer v.stands.mu.Unlock()
	if v.stands.version == before {
		v.stands.scope, v.stands.version = scope, after
	}
}
