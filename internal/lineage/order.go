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

// orders keeps one order of steps per session key. Turns of several lineages run
// concurrently under one key, and each learns from the messages of the others. Their
// messages are numbered, learnt and queued for the store in one order, so that a
// rebuild, which reads them by number, learns the same.
//
// A turn holds its place while it numbers and learns its messages, until the store has
// queued them. It waits for no commit and no model meanwhile.
type orders struct {
	shared Shared // nil for a process that owns its store alone

	mu    sync.Mutex
	byKey map[orderKey]*order
}

type orderKey struct {
	owner string
	key   session.Key
}

// order is the order of one key.
type order struct {
	all  *orders
	name orderKey
	turn chan struct{} // holds one token while the turn is free
	// The fields below are guarded by all.mu.
	users  int
	flying int           // steps that are queued but not stored
	landed chan struct{} // closed when flying is 0 again; nil if no goroutine waits for that
}

// place is one step's place in an order. Its methods may be called several times, from
// several goroutines. The zero place belongs to no order.
type place struct {
	order          *order
	queued, stored sync.Once
	// leave gives the place among other processes back; nil without one. Other processes see
	// a step only once it is stored, so that the place is kept until then.
	leave func()
	// now is how the scope stood when the place was taken among other processes.
	now memory.ScopeState
}

// take acquires a place in the order of a scope. Only scopes with a key have an order:
// without a key, the turn of the lineage is enough.
func (x *orders) take(ctx context.Context, o owner.Owner, scope memory.Scope) (*place, error) {
	if scope.Key == "" {
		return &place{}, nil
	}
	r := x.of(orderKey{o.ID(), scope.Key})
	select {
	case <-r.turn:
		return x.enter(ctx, o, scope, &place{order: r})
	case <-ctx.Done():
		r.leave()
		return nil, fault.Wrap(fault.Canceled, "cancelled", "The request was cancelled while it waited for other requests of its session key.", ctx.Err())
	}
}

// enter takes the place among other processes, too.
func (x *orders) enter(ctx context.Context, o owner.Owner, scope memory.Scope, p *place) (*place, error) {
	if x.shared == nil {
		return p, nil
	}
	leave, at, err := x.shared.HoldTurn(ctx, o, Turn{Place: keyPlace(scope.Key), Scope: scope})
	if err != nil {
		p.done()
		return nil, err
	}
	p.leave, p.now = leave, at.State
	return p, nil
}

// Alone waits until all steps of some scopes are stored, and blocks new ones until the
// returned function is called. It is for changes of stored data of a scope. The caller
// must have no step under way.
func (ls *Lineages) Alone(ctx context.Context, o owner.Owner, scopes ...memory.Scope) (release func(), err error) {
	slices.SortFunc(scopes, func(a, b memory.Scope) int { return strings.Compare(string(a.Key), string(b.Key)) })
	scopes = slices.CompactFunc(scopes, func(a, b memory.Scope) bool { return a.Key == b.Key })
	var taken []*place
	release = func() {
		for _, p := range taken {
			p.done()
		}
	}
	for _, scope := range scopes { // in sorted order, so that two calls cannot deadlock
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

// settled waits, holding the place, until all earlier steps are stored or have failed.
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
		return fault.Wrap(fault.Canceled, "cancelled", "The request was cancelled while it waited for other requests of its session key.", ctx.Err())
	}
}

// queue passes the turn on once the step is in the store's queue, unless other processes wait
// for the step, too.
func (p *place) queue() {
	if p != nil && p.leave == nil {
		p.pass()
	}
}

// pass passes the turn on.
func (p *place) pass() {
	if p.order == nil {
		return
	}
	p.queued.Do(func() {
		p.order.fly(1)
		p.order.turn <- struct{}{}
	})
}

// done ends the place: the step is stored, has failed, or was empty.
func (p *place) done() {
	if p == nil || p.order == nil {
		return
	}
	p.pass()
	p.stored.Do(func() {
		if p.leave != nil {
			p.leave()
		}
		p.order.fly(-1)
		p.order.leave()
	})
}
