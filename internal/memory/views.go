package memory

import (
	"container/list"
	"context"
	"sync"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/session"
)

// Views caches the memory of scopes, so that a turn need not read its scope again. It
// is bounded; an evicted scope is read again when needed.
type Views struct {
	store Store
	limit int64
	// embeddings is the model whose vectors are read with a scope; "" for none.
	embeddings string

	mu    sync.Mutex
	byKey map[viewKey]*viewEntry
	order *list.List // of *viewEntry, the most recently used in front
	held  int64
	count piece.Stats // misses, loads and evictions; the rest is known at the time
}

// Stats returns the figures of the cache. Its entries are scopes.
func (c *Views) Stats() piece.Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.count
	s.Held, s.Limit, s.Entries = c.held, c.limit, len(c.byKey)
	return s
}

// viewKey names a scope of an owner: its session key, or its lineage.
type viewKey struct {
	owner string
	key   session.Key
	root  session.ID
}

type viewEntry struct {
	key    viewKey
	place  *list.Element
	size   int64
	users  int           // turns that use it now
	loaded chan struct{} // closed once view and err are set
	view   *View
	err    error
	stale  bool // dropped while in use: removed when the last user leaves
}

// NewViews returns an empty cache of about limit bytes.
func NewViews(store Store, limit int64) *Views {
	return &Views{store: store, limit: limit, byKey: make(map[viewKey]*viewEntry), order: list.New()}
}

func viewKeyOf(o owner.Owner, s Scope) viewKey {
	if s.Key != "" {
		return viewKey{owner: o.ID(), key: s.Key}
	}
	return viewKey{owner: o.ID(), root: s.Root}
}

// Use returns the view of a scope, read at first use, and a function that ends the use.
// fresh says that the scope is known to be empty and need not be read.
func (c *Views) Use(ctx context.Context, o owner.Owner, s Scope, fresh bool) (*View, func(), error) {
	key := viewKeyOf(o, s)
	c.mu.Lock()
	e := c.byKey[key]
	if e == nil {
		e = &viewEntry{key: key, loaded: make(chan struct{})}
		e.place = c.order.PushFront(e)
		c.byKey[key] = e
		e.users++
		c.count.Misses++
		c.mu.Unlock()
		c.fill(ctx, e, o, s, fresh)
	} else {
		e.users++
		c.order.MoveToFront(e.place)
		c.mu.Unlock()
	}
	select {
	case <-e.loaded:
	case <-ctx.Done():
		c.leave(e)
		return nil, nil, ctx.Err()
	}
	if e.err != nil {
		c.leave(e)
		return nil, nil, e.err
	}
	return e.view, func() { c.leave(e) }, nil
}

// Current reports whether a view is still the cached one of its scope. A view that was
// dropped meanwhile may differ from the store.
func (c *Views) Current(o owner.Owner, s Scope, v *View) bool {
	c.mu.Lock()
	e := c.byKey[viewKeyOf(o, s)]
	c.mu.Unlock()
	if e == nil {
		return false
	}
	select {
	case <-e.loaded:
		return e.view == v
	default:
		return false
	}
}

// Past returns the memory of a scope at scope.AsOf, or of a whole lineage. It is not
// cached, because it is rarely needed twice.
func (c *Views) Past(ctx context.Context, o owner.Owner, s Scope) (*View, error) {
	return load(ctx, c.store, o, s, c.embeddings)
}

// fill loads an entry for its first user. A failed load is not cached.
func (c *Views) fill(ctx context.Context, e *viewEntry, o owner.Owner, s Scope, fresh bool) {
	if fresh {
		e.view = NewView()
	} else {
		e.view, e.err = load(ctx, c.store, o, s, c.embeddings)
	}
	c.mu.Lock()
	switch {
	case e.err != nil:
		c.remove(e)
	case !fresh:
		c.count.Loads++
	}
	c.mu.Unlock()
	close(e.loaded)
}

// leave ends one use: it measures the entry's size and trims the cache.
func (c *Views) leave(e *viewEntry) {
	size := int64(0)
	select {
	case <-e.loaded:
		if e.view != nil {
			size = e.view.size()
		}
	default:
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e.users--
	if e.stale {
		return
	}
	c.held += size - e.size
	e.size = size
	for el := c.order.Back(); el != nil && c.held > c.limit; {
		victim, _ := el.Value.(*viewEntry)
		el = el.Prev()
		if victim.users == 0 {
			c.count.Evictions++
			c.remove(victim)
		}
	}
}

// remove removes an entry. The caller holds c.mu.
func (c *Views) remove(e *viewEntry) {
	if e.stale {
		return
	}
	e.stale = true
	c.held -= e.size
	c.order.Remove(e.place)
	delete(c.byKey, e.key)
}

// Drop removes a scope from the cache. It is called after an erasure, and after a
// failed write, because the cache may then hold more than the store.
func (c *Views) Drop(o owner.Owner, s Scope) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range []viewKey{{owner: o.ID(), root: s.Root}, {owner: o.ID(), key: s.Key}} {
		if e := c.byKey[key]; e != nil {
			c.remove(e)
		}
	}
}

// DropOwner removes all scopes of an owner from the cache.
func (c *Views) DropOwner(o owner.Owner) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, e := range c.byKey {
		if key.owner == o.ID() {
			c.remove(e)
		}
	}
}

// Withdraw updates the cached view of a scope after messages were undone. A view that
// is being read is dropped.
func (c *Views) Withdraw(o owner.Owner, s Scope, w Withdrawal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byKey[viewKeyOf(o, s)]
	if e == nil {
		return
	}
	select {
	case <-e.loaded:
		if e.view != nil {
			e.view.withdraw(w)
		}
	default:
		c.remove(e)
	}
}
