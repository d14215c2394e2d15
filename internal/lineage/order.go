package lineage

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// orders keeps one order of what a session key is told. Turns of several lineages run
// at the same time under one key, and each learns from what the others said: their
// messages are numbered, learnt and handed to the store in one order, so that a
// rebuild, which reads them by their numbers, learns the same.
//
// A turn holds its place while it numbers and learns its messages and until the store
// has queued them. It waits for no commit there, and for no model.
type orders struct {
	mu    sync.Mutex
	byKey map[orderKey]*order
}

type orderKey struct {
	owner string
	key   session.Key
}

// order is that of one key.
type order struct {
	all  *orders
	name orderKey
	turn chan struct{} // holds one token while the turn is free
	// The rest is guarded by all.mu.
	users  int
	flying int           // steps that are queued and not yet stored
	landed chan struct{} // closed when flying is 0 again; nil while nothing waits for that
}

// place is one step's place in an order. Its methods may be called more than once,
// from several goroutines. The zero place orders nothing.
type place struct {
	order          *order
	queued, stored sync.Once
}

// take waits for a place in the order of a scope. Only scopes of a key need one: the
// turn of a lineage orders its own.
func (x *orders) take(ctx context.Context, o owner.Owner, scope memory.Scope) (*place, error) {
	if scope.Key == "" {
		return &place{}, nil
	}
	r := x.of(orderKey{o.ID(), scope.Key})
	select {
	case <-r.turn:
		return &place{order: r}, nil
	case <-ctx.Done():
		r.leave()
		return nil, fault.Wrap(fault.Canceled, "cancelled", "The request was cancelled while it waited for others of its session key.", ctx.Err())
	}
}

// Alone waits until every step of some scopes is stored, and keeps others from being
// queued until the returned function is called. It is for changes of what the store
// has of a scope. The caller has no step under way.
func (ls *Lineages) Alone(ctx context.Context, o owner.Owner, scopes ...memory.Scope) (release func(), err error) {
	slices.SortFunc(scopes, func(a, b memory.Scope) int { return strings.Compare(string(a.Key), string(b.Key)) })
	scopes = slices.CompactFunc(scopes, func(a, b memory.Scope) bool { return a.Key == b.Key })
	var taken []*place
	release = func() {
		for _, p := range taken {
			p.done()
		}
	}
	for _, scope := range scopes { // in one order, so that no two wait for each other
		p, err := ls.orders.take(ctx, o, scope)
		if err != nil {
			release()
			return nil, err
		}
		taken = append(taken, p)
		if err := p.settled(ctx); err != nil {
			release()
			return nil, err
		}
	}
	return release, nil
}

func (x *orders) of(name orderKey) *order {
	x.mu.Lock()
	defer x.mu.Unlock()
	r := x.byKey[name]
	if r == nil {
		if x.byKey == nil {
			x.byKey = make(map[orderKey]*order)
		}
		r = &order{all: x, name: name, turn: make(chan struct{}, 1)}
		r.turn <- struct{}{}
		x.byKey[name] = r
	}
	r.users++
	return r
}

func (r *order) leave() {
	r.all.mu.Lock()
	defer r.all.mu.Unlock()
	if r.users--; r.users == 0 {
		delete(r.all.byKey, r.name)
	}
}

// fly counts the steps that are queued.
func (r *order) fly(n int) {
	r.all.mu.Lock()
	defer r.all.mu.Unlock()
	if r.flying += n; r.flying == 0 && r.landed != nil {
		close(r.landed)
		r.landed = nil
	}
}

// settled waits, in the place, until all steps before it are stored, or have failed.
func (p *place) settled(ctx context.Context) error {
	r := p.order
	if r == nil {
		return nil
	}
	r.all.mu.Lock()
	if r.flying == 0 {
		r.all.mu.Unlock()
		return nil
	}
	if r.landed == nil {
		r.landed = make(chan struct{})
	}
	landed := r.landed
	r.all.mu.Unlock()
	select {
	case <-landed:
		return nil
	case <-ctx.Done():
		return fault.Wrap(fault.Canceled, "cancelled", "The request was cancelled while it waited for others of its session key.", ctx.Err())
	}
}

// queue hands the turn on: the step has its place in the store's queue.
func (p *place) queue() {
	if p == nil || p.order == nil {
		return
	}
	p.queued.Do(func() {
		p.order.fly(1)
		p.order.turn <- struct{}{}
	})
}

// done ends the place: the step is stored, has failed, or came to nothing.
func (p *place) done() {
	if p == nil || p.order == nil {
		return
	}
	p.queue()
	p.stored.Do(func() {
		p.order.fly(-1)
		p.order.leave()
	})
}
