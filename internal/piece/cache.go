package piece

import (
	"sync"
	"sync/atomic"
)

// Cache bounds the memory of everything that can be made again from the store: blocks of pieces,
// and what other owners charge to an [Account]. If it holds more than its limit, it evicts what
// was not used lately: an entry that was used since the hand of the clock last passed gets a
// second chance. A Cache is safe for concurrent use.
type Cache struct {
	limit  int64
	misses atomic.Uint64

	mu        sync.Mutex
	hand      *entry // of a ring of all entries; nil if there are none
	held      int64
	entries   int
	loads     uint64
	evictions uint64
}

// entry is a place in the ring. Its links and size are guarded by the cache's lock.
type entry struct {
	prev, next *entry // nil outside the ring
	size       int64  // bytes
	removed    bool   // was in the ring once
	used       atomic.Bool
	owner      interface{ evicted() }
}

// touch notes that the entry is in use. It writes only if the hand has passed since the last
// time, so that readers on several cores do not take the cache line from one another.
func (e *entry) touch() {
	if !e.used.Load() {
		e.used.Store(true)
	}
}

// NewCache returns an empty cache. Limit is in bytes. The newest entry stays even if it alone is
// over the limit.
func NewCache(limit int64) *Cache { return &Cache{limit: limit} }

// Stats are the figures of a cache. The last three count from its beginning.
type Stats struct {
	Held, Limit int64  // bytes
	Entries     int    // blocks and accounts
	Misses      uint64 // blocks that were needed and not in memory
	Loads       uint64 // blocks that were read and found sound
	Evictions   uint64 // entries that made room for others
}

// Stats returns the figures of this moment.
func (c *Cache) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Stats{
		Held: c.held, Limit: c.limit, Entries: c.entries,
		Misses: c.misses.Load(), Loads: c.loads, Evictions: c.evictions,
	}
}

// add puts a block in its place and returns it, or the one that was there before.
func (c *Cache) add(p *Piece, b *block) *block {
	c.mu.Lock()
	c.loads++
	if p.dropped {
		c.mu.Unlock()
		return b
	}
	for !b.home.CompareAndSwap(nil, b) {
		if before := b.home.Load(); before != nil {
			c.mu.Unlock()
			return before
		}
	}
	c.link(&b.entry)
	c.unlockAndTell(c.makeRoom(&b.entry))
	return b
}

// drop removes the blocks of a piece.
func (c *Cache) drop(p *Piece) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p.dropped = true
	for i := range p.blocks {
		if b := p.blocks[i].Swap(nil); b != nil && b.next != nil {
			c.unlink(&b.entry)
		}
	}
}

// link adds an entry behind the hand: the hand comes to it last.
func (c *Cache) link(e *entry) {
	if c.hand == nil {
		e.prev, e.next, c.hand = e, e, e
	} else {
		e.prev, e.next = c.hand.prev, c.hand
		e.prev.next, e.next.prev = e, e
	}
	c.held += e.size
	c.entries++
}

func (c *Cache) unlink(e *entry) {
	if e.next == e {
		c.hand = nil
	} else {
		e.prev.next, e.next.prev = e.next, e.prev
		if c.hand == e {
			c.hand = e.next
		}
	}
	e.prev, e.next, e.removed = nil, nil, true
	c.held -= e.size
	c.entries--
}

// makeRoom removes entries until the rest fits, but never keep, and returns them. No entry gets
// more than one second chance on average, however busy its readers are meanwhile.
func (c *Cache) makeRoom(keep *entry) (removed []*entry) {
	for chances := c.entries; c.held > c.limit && c.entries > 1; {
		e := c.hand
		if e == keep || (chances > 0 && e.used.Swap(false)) {
			c.hand = e.next
			chances--
			continue
		}
		c.unlink(e)
		c.evictions++
		removed = append(removed, e)
	}
	return removed
}

// unlockAndTell tells the owners of removed entries, without the lock.
func (c *Cache) unlockAndTell(removed []*entry) {
	c.mu.Unlock()
	for _, e := range removed {
		e.owner.evicted()
	}
}
