package gateway

import (
	"context"
	"slices"
	"sync"
	"time"
)

// ongoing is the work that is under way with platforms, by what it is about. What a platform tells, or is to be told,
// meanwhile waits for the end of the work.
type ongoing[K comparable] struct {
	mu sync.Mutex
	by map[K][]chan struct{} // each closed at the end of one work
}

// The longest waits. The request behind the work may break off, so that the work has no end for as long as sendTimeout.
const (
	tryPatience  = 500 * time.Millisecond // of what a platform tells of a message, for the end of the message's try
	markPatience = 5 * time.Second        // of a mark, for a message or an edit of the same chat
)

func newOngoing[K comparable]() ongoing[K] { return ongoing[K]{by: make(map[K][]chan struct{})} }

// begin notes that work begins, and returns the function that ends it.
func (f *ongoing[K]) begin(about K) func() {
	over := make(chan struct{})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.by[about] = append(f.by[about], over)
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		left := slices.DeleteFunc(f.by[about], func(c chan struct{}) bool { return c == over })
		if f.by[about] = left; len(left) == 0 {
			delete(f.by, about)
		}
		close(over)
	}
}

// wait waits until the work that is under way now is over, but no longer than a time.
func (f *ongoing[K]) wait(ctx context.Context, about K, most time.Duration) {
	f.mu.Lock()
	all := slices.Clone(f.by[about])
	f.mu.Unlock()
	if len(all) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	for _, over := range all {
		select {
		case <-over:
		case <-ctx.Done():
			return
		}
	}
}
