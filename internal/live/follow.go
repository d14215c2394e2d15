package live

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// Follow yields the events of a record behind a Seq, those that are stored and
// then the others as they come, up to the last one. Any number may follow a
// record, each at its own pace. It ends with NotFound if the owner has no such
// record (any more), and with Unavailable "draining" when this server will not
// go on with it; whoever follows again then names the Seq it has come to.
//
// At each tick of idle, which may be nil, an Event without a Seq is yielded to
// those who wait: so they can do something without a goroutine beside this one.
func (r *Registry) Follow(ctx context.Context, o owner.Owner, id string, after int64, idle <-chan time.Time) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		n := name{o.ID(), id}
		defer r.topics.join(n)()
		for {
			gone := r.carrierOf(n) == nil && r.leaving()
			look, changed := r.topics.look(n, after, func() ([]Event, State, error) {
				return r.behind(context.WithoutCancel(ctx), o, id, after) // others may wait for it, too
			})
			select {
			case <-look.done:
			case <-ctx.Done():
				return
			}
			events, state, err := look.events, look.state, look.err
			if err != nil {
				if ctx.Err() == nil {
					yield(Event{}, err)
				}
				return
			}
			for _, e := range events {
				after = e.Seq
				if !yield(e, nil) || e.Type.Last() {
					return
				}
			}
			switch {
			case len(events) == page:
				continue
			case state.Over():
				return
			case gone:
				yield(Event{}, fault.New(fault.Unavailable, "draining", "The server is stopping. The run goes on with the next one."))
				return
			}
			left := r.left
			if r.carrierOf(n) != nil {
				left = nil // it is carried on until its end, or is put back
			}
			for waiting := true; waiting; {
				select {
				case <-changed:
					waiting = false
				case <-left:
					waiting = false
				case <-idle:
					if !yield(Event{}, nil) {
						return
					}
				case <-ctx.Done():
					return
				}
			}
		}
	}
}

// page is how many events are read at once.
const page = 256

// behind reads the next events behind a Seq, and the record with its last one.
func (r *Registry) behind(ctx context.Context, o owner.Owner, id string, after int64) ([]Event, State, error) {
	events, state, err := r.store.Events(ctx, o, id, after, page)
	n := len(events)
	if err != nil || n == 0 || !events[n-1].Type.Last() {
		return events, state, err
	}
	rec, err := r.store.Record(ctx, o, id)
	events[n-1].Record = &rec
	return events, state, err
}

// leaving reports whether no more records are taken, for good.
func (r *Registry) leaving() bool {
	select {
	case <-r.left:
		return true
	default:
		return false
	}
}

// topics wake those who follow records.
type topics struct {
	mu sync.Mutex
	by map[name]*topic
}

type topic struct {
	readers int
	changed chan struct{} // closed with the next change
	look    *look         // the newest since the last change; nil for none
}

// look is one reading of the store, for all who have come to the same Seq.
type look struct {
	after  int64
	done   chan struct{} // closed when the rest is there
	events []Event
	state  State
	err    error
}

// join makes room for a reader of a record, until the returned function is called.
func (t *topics) join(n name) (leave func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.by[n] == nil {
		t.by[n] = &topic{changed: make(chan struct{})}
	}
	t.by[n].readers++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.by[n].readers--; t.by[n].readers == 0 {
			delete(t.by, n)
		}
	}
}

// failed reports whether the reading is over and came to nothing: who asks next
// tries again.
func (l *look) failed() bool {
	select {
	case <-l.done:
		return l.err != nil
	default:
		return false
	}
}

// look reads behind a Seq of a record that was joined, once for all who ask for
// the same before something changes: ten thousand readers of an event would
// otherwise each ask the store for it. What is returned beside it is closed when
// there is more to see than this. The reading has a goroutine of its own, so that
// the stacks of those who wait for days stay small.
func (t *topics) look(n name, after int64, read func() ([]Event, State, error)) (*look, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	topic := t.by[n]
	if l := topic.look; l != nil && l.after == after && !l.failed() {
		return l, topic.changed
	}
	l := &look{after: after, done: make(chan struct{})}
	topic.look = l
	go func() {
		defer close(l.done)
		l.events, l.state, l.err = read()
	}()
	return l, topic.changed
}

// publish wakes the readers of a record.
func (t *topics) publish(n name) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if topic := t.by[n]; topic != nil {
		close(topic.changed)
		topic.changed, topic.look = make(chan struct{}), nil
	}
}
