package gateway

import (
	"context"
	"sync"
)

// turnstile lets one goroutine at a time do a kind of work on a chat, whichever lane it is
// in.
type turnstile struct {
	mu     sync.Mutex
	inside map[laneKey]chan struct{} // closed when the goroutine leaves
}

// enter waits until nobody is inside. The caller leaves once.
func (t *turnstile) enter(ctx context.Context, key laneKey) (leave func(), err error) {
	for {
		t.mu.Lock()
		other := t.inside[key]
		if other == nil {
			mine := make(chan struct{})
			t.inside[key] = mine
			t.mu.Unlock()
			return func() { t.leave(key, mine) }, nil
		}
		t.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// busy reports whether a goroutine is inside.
func (t *turnstile) busy(key laneKey) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.inside[key] != nil
}

func (t *turnstile) leave(key laneKey, mine chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.inside, key)
	close(mine)
}
