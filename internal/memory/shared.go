package memory

import (
	"context"
	"sync"

	"github.com/hermes-memory/hermes/internal/owner"
)

// Share makes the cache compare a view with the store before each use, because other processes
// write to the store. It is called before the first use.
func (c *Views) Share() { c.shared = true }

// refresh drops the cached view of a scope that others have changed. now is the state of the
// scope; nil if it must be asked for.
func (c *Views) refresh(ctx context.Context, o owner.Owner, s Scope, now *ScopeState) error {
	if !c.shared {
		return nil
	}
	v := c.cached(o, s)
	if v == nil {
		return nil
	}
	if now == nil {
		m, err := v.from.manifestFor(ctx)
		if err != nil {
			return err
		}
		read := m.State()
		now = &read
	}
	c.dropUnless(o, s, v, now)
	return nil
}

// dropUnless drops the cached view of a scope if the scope has another state.
func (c *Views) dropUnless(o owner.Owner, s Scope, v *View, now *ScopeState) {
	if !v.has(now) {
		c.Drop(o, s)
	}
}

// Newest reports whether a view is the cached one of its scope, and has all that others have
// written. It drops one that has not. now is the state of the scope.
func (c *Views) Newest(o owner.Owner, s Scope, v *View, now *ScopeState) bool {
	if cached := c.cached(o, s); c.shared && cached != nil {
		c.dropUnless(o, s, cached, now)
	}
	return c.Current(o, s, v)
}

// stand is the state of a scope that a view has: that of its manifest when the view was
// read, or after the newest write of this process.
type stand struct {
	mu      sync.Mutex
	scope   ScopeID
	version Version
}

func (s *stand) set(m *Manifest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scope, s.version = m.Scope, m.Version
}

func (s *stand) get() (ScopeID, Version) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.scope, s.version
}

// Stands are the scope and the version that a view was read at, or brought to by this process.
func (v *View) Stands() (ScopeID, Version) { return v.stands.get() }

// has reports whether a view has all that its scope had in a state. Writes of this process may
// have brought the view further since the state was read.
func (v *View) has(now *ScopeState) bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	scope, version := v.stands.get()
	return scope == now.Scope && version >= now.Version && (v.edition == now.Edition || now.Version == Unwritten)
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
