package memory

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/session"
)

// Views caches the memory of scopes, so that a turn need not read its scope again. It
// is bounded; an evicted scope is read again when needed.
type Views struct {
	store Archive
	cache *piece.Cache
	limit int64
	log   *slog.Logger
	// shared says that other processes write to the store.
	shared bool
	// keep is told of scopes with many facts that no piece indexes; nil if there is no keeper.
	keep func(owner.Owner, Scope)
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
	s, blocks := c.count, c.cache.Stats()
	s.Held, s.Limit, s.Entries = c.held+blocks.Held, c.limit+blocks.Limit, len(c.byKey)
	return s
}

// Full reports whether views whose facts took a number of bytes, and now take another one, have so much of
// the cache that they should be left, so that they shed what they have read. Views that held as much
// before may read some more.
func (c *Views) Full(held, now int64) bool { return now > c.limit/4 && now-held > c.limit/8 }

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

// NewViews returns an empty cache of about limit bytes. Half of them are for blocks of
// pieces, the other half is for scopes.
func NewViews(store Archive, limit int64) *Views {
	blocks := limit / 2
	return &Views{
		store: store, cache: piece.NewCache(blocks), log: slog.New(slog.DiscardHandler),
		limit: limit - blocks, byKey: make(map[viewKey]*viewEntry), order: list.New(),
	}
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
	return c.UseAt(ctx, o, s, fresh, nil)
}

// UseAt is Use for a caller that has just read the state of the scope; nil for one that has not.
func (c *Views) UseAt(ctx context.Context, o owner.Owner, s Scope, fresh bool, now *ScopeState) (*View, func(), error) {
	if err := c.refresh(ctx, o, s, now); err != nil {
		return nil, nil, err
	}
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
		c.fill(ctx, e, c.source(ctx, o, s), fresh)
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
	return e.view, func() { c.leave(e); c.settle(e, o, s) }, nil
}

// Current reports whether a view is still the cached one of its scope. A view that was
// dropped meanwhile may differ from the store.
func (c *Views) Current(o owner.Owner, s Scope, v *View) bool {
	now := c.cached(o, s)
	return now != nil && now == v
}

// Continues reports whether a message with an id would be learnt after all others of its
// scope, as a rebuild learns it. The caller keeps other messages of the scope away.
func (c *Views) Continues(ctx context.Context, o owner.Owner, s Scope, id int64) (bool, error) {
	m, err := c.Manifest(ctx, o, s)
	if err != nil || m.Stale || m.Version == Unwritten {
		return !m.Stale, err
	}
	later, err := c.store.MessageIDs(ctx, o, s, Span{id, math.MaxInt64})
	if err != nil {
		return false, fmt.Errorf("look for later messages: %w", err)
	}
	return len(later) == 0, nil
}

// Manifest is the state of a scope in the store.
func (c *Views) Manifest(ctx context.Context, o owner.Owner, s Scope) (Manifest, error) {
	return c.source(ctx, o, s).manifestFor(ctx)
}

// Past returns the memory of a scope at scope.AsOf, or of a whole lineage. It is not
// cached, because it is rarely needed twice.
func (c *Views) Past(ctx context.Context, o owner.Owner, s Scope) (*View, error) {
	return c.load(ctx, c.source(ctx, o, s))
}

// PastFacts are the facts of [Views.Past], for which no message is read and nothing is indexed.
func (c *Views) PastFacts(ctx context.Context, o owner.Owner, s Scope) ([]Fact, error) {
	return wholeFacts(ctx, c.source(ctx, o, s))
}

// fill loads an entry for its first user. A failed load is not cached.
func (c *Views) fill(ctx context.Context, e *viewEntry, from *source, fresh bool) {
	if fresh {
		e.view = newView(from)
		e.view.edition = FirstEdition
	} else {
		e.view, e.err = c.load(ctx, from)
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
	size, spent := int64(0), false
	select {
	case <-e.loaded:
		if e.view != nil {
			size = e.view.size()
			spent = errors.Join(e.view.Err(), e.view.damage()) != nil
		}
	default:
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e.users--
	if e.stale {
		return
	}
	if e.users == 0 && e.view != nil {
		size = e.view.shed(size, c.limit/2)
	}
	c.held += size - e.size
	e.size = size
	if e.users == 0 && spent {
		c.remove(e) // what it tells cannot be relied on
	}
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

// shed drops what is known of lineages if they are many, and the facts that turns have read
// from the archive if the view has more than most bytes. Size is the view's size before, the
// result the size after. No turn uses the view, so the store has all that they changed.
// While its pieces are changed, the view sheds nothing: the caller holds the cache's lock,
// and all scopes would wait.
//
// A question and a new fact read a hundred facts each, so a long session is fast while most
// of its facts are in memory.
func (v *View) shed(size, most int64) int64 {
	if !v.searching.TryLock() {
		return size
	}
	defer v.searching.Unlock()
	if !v.mu.TryLock() {
		return size
	}
	defer v.mu.Unlock()
	v.corpus.taints.shed()
	v.near.shed()
	if v.archive == nil || size <= most {
		return size
	}
	v.state.shed()
	v.texts, v.textSize = nil, 0
	return v.held()
}

// settle ends a use: damaged pieces are dropped, and the keeper is told of what no piece
// indexes.
func (c *Views) settle(e *viewEntry, o owner.Owner, s Scope) {
	if e.view == nil {
		return
	}
	if err := e.view.damage(); err != nil {
		if err := c.mend(context.Background(), o, err); err != nil {
			c.log.Error("a damaged piece could not be dropped", "error", err)
		}
	}
	if c.keep != nil && e.view.from.indexed() && e.view.unkept() {
		c.keep(o, s)
	}
}

// unkept reports whether so many messages or facts are in no piece that a piece can be made.
func (v *View) unkept() bool {
	v.mu.RLock()
	facts, unread := v.state.learnt, len(v.unread)
	undone := v.archive != nil && v.archive.withUndone()
	v.mu.RUnlock()
	if undone || facts >= leastFacts+2*sparedFacts {
		return true
	}
	v.searching.Lock()
	defer v.searching.Unlock()
	return v.corpus.head()+unread >= leastMessages+2*sparedMessages
}

// cached is the cached view of a scope; nil if there is none.
func (c *Views) cached(o owner.Owner, s Scope) *View {
	c.mu.Lock()
	e := c.byKey[viewKeyOf(o, s)]
	c.mu.Unlock()
	if e == nil {
		return nil
	}
	select {
	case <-e.loaded:
		return e.view
	default:
		return nil // it is being read, and read again if it meets a piece that is gone
	}
}
