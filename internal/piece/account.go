package piece

import "unsafe"

// Account is memory of another owner under the bound of a cache: one object that can be made
// again. An Account has one life: once it is evicted or closed it stays so.
type Account struct {
	entry
	cache *Cache
	evict func()
}

// NewAccount returns an account of nothing. Evict is called at most once, when the memory is
// needed for something else, by whichever goroutine needs it and with whatever locks that
// goroutine holds: evict must not wait for a lock. It unlinks the object, by an atomic pointer for
// instance, and whoever uses the object at that moment goes on.
func (c *Cache) NewAccount(evict func()) *Account {
	a := &Account{cache: c, evict: evict}
	a.owner = a
	return a
}

// Set says how many bytes the object has now. It reports false if the account is closed: then the
// object is not counted, and should not be used for longer than the work at hand.
func (a *Account) Set(bytes int64) bool {
	c := a.cache
	c.mu.Lock()
	if a.removed {
		c.mu.Unlock()
		return false
	}
	bytes += int64(unsafe.Sizeof(*a))
	if a.next == nil {
		a.size = bytes
		c.link(&a.entry)
	} else {
		c.held += bytes - a.size
		a.size = bytes
	}
	c.unlockAndTell(c.makeRoom(&a.entry))
	return true
}

// Touch notes that the object is in use.
func (a *Account) Touch() { a.touch() }

// Close ends the account without a call of evict.
func (a *Account) Close() {
	a.cache.mu.Lock()
	defer a.cache.mu.Unlock()
	if a.next != nil {
		a.cache.unlink(&a.entry)
	}
	a.removed = true
}

func (a *Account) evicted() { a.evict() }
