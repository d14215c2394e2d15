package slack

import (
	"sync"
	"time"
)

// cache keeps a bounded number of values, each for a time.
type cache[V any] struct {
	mu   sync.Mutex
	most int
	kept map[string]entry[V]
}

type entry[V any] struct {
	value V
	until time.Time
}

func newCache[V any](most int) *cache[V] {
	return &cache[V]{most: most, kept: make(map[string]entry[V])}
}

// get returns a value whose time is not over.
func (c *cache[V]) get(key string, now time.Time) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.kept[key]
	if !ok || !now.Before(e.until) {
		var none V
		return none, false
	}
	return e.value, true
}

// put keeps a value until a time. A full cache first removes what is over, else any value.
func (c *cache[V]) put(key string, v V, now, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.kept[key]; !ok && len(c.kept) >= c.most {
		c.shrink(now)
	}
	c.kept[key] = entry[V]{v, until}
}

// shrink makes room for one value, by an eighth of the cache so that it is seldom searched.
func (c *cache[V]) shrink(now time.Time) {
	for key, e := range c.kept {
		if !now.Before(e.until) {
			delete(c.kept, key)
		}
	}
	for key := range c.kept {
		if len(c.kept) < c.most-c.most/8 {
			return
		}
		delete(c.kept, key)
	}
}

// drop removes a value.
func (c *cache[V]) drop(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.kept, key)
}
