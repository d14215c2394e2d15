package discord

import (
	"context"
	"encoding/json"
	"sync"
)

// arrival is what came over the gateway: an event, or a new session.
type arrival struct {
	name string
	seq  int
	data json.RawMessage
	// ready is the session that begins; nil for an event.
	ready *ready
}

// Bounds of what waits for a commit. A connection that brings more is closed, and resumed
// when the half is committed: Discord keeps the rest meanwhile.
const (
	maxWaiting      = 8192
	maxWaitingBytes = 32 << 20
)

// queue keeps arrivals in order until they are committed. The connection is never held up
// by a commit, because heartbeats come over it.
type queue struct {
	mu    sync.Mutex // guards the fields below
	list  []arrival
	bytes int
	ended bool
	more  chan struct{} // has a value when there are arrivals
	less  chan struct{} // has a value when arrivals were taken
}

func newQueue() *queue {
	return &queue{more: make(chan struct{}, 1), less: make(chan struct{}, 1)}
}

// add appends an arrival. It reports false if there is no room.
func (q *queue) add(a arrival) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) >= maxWaiting || q.bytes+len(a.data) > maxWaitingBytes && len(q.list) > 0 {
		return false
	}
	q.list = append(q.list, a)
	q.bytes += len(a.data)
	signal(q.more)
	return true
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// end says that nothing arrives any more.
func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	signal(q.more)
}

// take waits for arrivals, and returns up to n of them; none if the context or the queue
// ends.
func (q *queue) take(ctx context.Context, n int) []arrival {
	for {
		if list, ended := q.first(n); len(list) > 0 || ended {
			return list
		}
		select {
		case <-q.more:
		case <-ctx.Done():
			return nil
		}
	}
}

func (q *queue) first(n int) (list []arrival, ended bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n = min(n, len(q.list))
	list = q.list[:n:n]
	q.list = q.list[n:]
	for i := range list {
		q.bytes -= len(list[i].data)
	}
	if n > 0 {
		signal(q.less)
	}
	return list, q.ended
}

// room waits until half of the room is free. It reports false if the context ends.
func (q *queue) room(ctx context.Context) bool {
	for {
		q.mu.Lock()
		ok := len(q.list) <= maxWaiting/2 && q.bytes <= maxWaitingBytes/2
		q.mu.Unlock()
		if ok {
			return true
		}
		select {
		case <-q.less:
		case <-ctx.Done():
			return false
		}
	}
}
