package claim

import "sync"

// Permits limit how many workers run at once, in all and for each owner.
type Permits struct {
	all, each int

	mu    sync.Mutex
	taken int
	by    map[string]int
}

// NewPermits returns that many permits in all, of which each owner may hold a number.
func NewPermits(all, each int) *Permits {
	return &Permits{all: all, each: each, by: make(map[string]int)}
}

// Take takes a permit for an owner. It reports false if none is free.
func (p *Permits) Take(owner string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken >= p.all || p.by[owner] >= p.each {
		return false
	}
	p.taken++
	p.by[owner]++
	return true
}

// Leave gives back a permit that was taken.
func (p *Permits) Leave(owner string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken--
	if p.by[owner]--; p.by[owner] == 0 {
		delete(p.by, owner)
	}
}

// Taken is how many permits are taken.
func (p *Permits) Taken() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken
}
