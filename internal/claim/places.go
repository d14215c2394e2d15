package claim

import "sync"

// Places are how many may work at once, in all and for each owner.
type Places struct {
	all, each int

	mu    sync.Mutex
	taken int
	by    map[string]int
}

// NewPlaces returns so many places, of which each owner may take a number.
func NewPlaces(all, each int) *Places { return &Places{all: all, each: each, by: make(map[string]int)} }

// Take takes a place for an owner. It reports false if there is none left.
func (p *Places) Take(owner string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken >= p.all || p.by[owner] >= p.each {
		return false
	}
	p.taken++
	p.by[owner]++
	return true
}

// Leave gives back a place that was taken.
func (p *Places) Leave(owner string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken--
	if p.by[owner]--; p.by[owner] == 0 {
		delete(p.by, owner)
	}
}

// Taken is how many places are taken.
func (p *Places) Taken() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken
}
