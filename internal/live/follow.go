package live

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/recovery"
)

// Follow yields the events of a run after a Seq: the stored ones first, then new ones
// as they come, up to the last. Any number of readers may follow a run, each at its own
// pace. It ends with NotFound if the owner has no such run (any more), and with
// Unavailable "draining" if this server will not continue the run; a reader then
// follows again from the last Seq it has seen.
//
// At each tick of idle, which may be nil, a waiting reader gets an Event without a Seq,
// so that it can send a keep-alive without another goroutine.
func (r *Registry) Follow(ctx context.Context, o owner.Owner, id string, after int64, idle <-chan time.Time) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		f := follower{r: r, o: o, n: name{o.ID(), id}, after: after, idle: idle, yield: yield}
		defer r.topics.join(f.n)()
		for {
			gone := r.carrierOf(f.n) == nil && r.leaving()
			look, changed := f.look(ctx)
			if look == nil || !f.pass(ctx, look) {
				return
			}
			switch {
			case len(look.events) == page:
				continue
			case look.state.Over():
				return
			case gone:
				yield(Event{}, fault.New(fault.Unavailable, "draining", "The server is stopping. The run goes on with the next one."))
				return
			}
			if !f.wait(ctx, changed) {
				return
			}
		}
	}
}

// follower is one reader of a run.
type follower struct {
	r     *Registry
	o     owner.Owner
	n     name
	after int64 // the Seq of the last event passed on
	idle  <-chan time.Time
	yield func(Event, error) bool
}

// look reads the next events. The channel is closed when there are more. The look is
// nil if the reader has gone before the read was complete.
func (f *follower) look(ctx context.Context) (*look, <-chan struct{}) {
	after := f.after
	changed := f.r.topics.changed(f.n) // before it is asked what is stored
	if c := f.r.carrierOf(f.n); c != nil && after >= c.told.Load() {
		return nothing(after), changed
	}
	look, changed := f.r.topics.look(f.n, after, func() ([]Event, State, error) {
		return f.r.behind(context.WithoutCancel(ctx), f.o, f.n.id, after) // other readers may share this read
	})
	select {
	case <-look.done:
		return look, changed
	case <-ctx.Done():
		return nil, nil
	}
}

// pass passes the events of a look on. It returns false when the reader has had the
// last one, has had an error, or has gone.
func (f *follower) pass(ctx context.Context, look *look) bool {
	if look.err != nil {
		if ctx.Err() == nil {
			f.yield(Event{}, look.err)
		}
		return false
	}
	for _, e := range look.events {
		f.after = e.Seq
		if !f.yield(e, nil) || e.Type.Last() {
			return false
		}
	}
	return true
}

// wait waits until there may be more to read, with an empty event at each tick of idle.
// It returns false when the reader has gone.
func (f *follower) wait(ctx context.Context, changed <-chan struct{}) bool {
	left := f.r.left
	if f.r.carrierOf(f.n) != nil {
		left = nil // the run is either carried to its end here or put back
	}
	look, stop := f.r.looks(f.n)
	defer stop()
	for {
		select {
		case <-changed:
			return true
		case <-look:
			f.r.topics.outdate(f.n, lookEach/2)
			return true
		case <-left:
			return true
		case <-f.idle:
			if !f.yield(Event{}, nil) {
				return false
			}
		case <-ctx.Done():
			return false
		}
	}
}

// looks ticks when a reader is to look at a run that another process may carry; nil for others.
func (r *Registry) looks(n name) (tick <-chan time.Time, stop func()) {
	if r.shared == nil || r.carrierOf(n) != nil {
		return nil, func() {}
	}
	t := time.NewTicker(lookEach)
	return t.C, t.Stop
}

// page is how many events are read at once.
const page = 256

// behind reads the next events after a Seq, and the run with its last event.
func (r *Registry) behind(ctx context.Context, o owner.Owner, id string, after int64) ([]Event, State, error) {
	events, state, err := r.store.Events(ctx, o, id, after, page)
	n := len(events)
	if err != nil || n == 0 || !events[n-1].Type.Last() {
		return events, state, err
	}
	rec, err := r.store.Run(ctx, o, id)
	events[n-1].Run = &rec
	return events, state, err
}

// leaving reports whether the registry has stopped taking runs for good.
func (r *Registry) leaving() bool {
	select {
	case <-r.left:
		return true
	default:
		return false
	}
}

// topics wake the readers of runs.
type topics struct {
	mu sync.Mutex
	by map[name]*topic
}

type topic struct {
	readers int
	changed chan struct{} // closed with the next change
	look    *look         // the newest since the last change; nil for none
}

// look is one read of the store, shared by all readers at the same Seq.
type look struct {
	after  int64
	at     time.Time
	done   chan struct{} // closed when the read is complete
	events []Event
	state  State
	err    error
}

// join registers a reader of a run until the returned function is called.
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

// nothing is a look at a run under way that has no events after a Seq.
func nothing(after int64) *look {
	l := &look{after: after, done: make(chan struct{}), state: Running}
	close(l.done)
	return l
}

// failed reports whether the read ended with an error, so that the next reader tries
// again.
func (l *look) failed() bool {
	select {
	case <-l.done:
		return l.err != nil
	default:
		return false
	}
}

// look reads after a Seq of a joined run, once for all readers at that Seq: otherwise
// ten thousand readers of one event would each query the store. The returned channel is
// closed when there is more to read than this. The read has a goroutine of its own, so
// that the stacks of readers that wait for days stay small.
func (t *topics) look(n name, after int64, read func() ([]Event, State, error)) (*look, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	topic := t.by[n]
	if l := topic.look; l != nil && l.after == after && !l.failed() {
		return l, topic.changed
	}
	l := &look{after: after, at: time.Now(), done: make(chan struct{})}
	topic.look = l
	go recovery.Func(func() {
		l.events, l.state, l.err = read()
		close(l.done)
	}, func(err error) {
		l.err = err
		close(l.done)
	})()
	return l, topic.changed
}

// changed is closed with the next change of a joined run.
func (t *topics) changed(n name) <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.by[n].changed
}

// outdate forgets the newest look at a joined run if it is older than an age, so that the next
// reader reads again. Of many readers, one does.
func (t *topics) outdate(n name, age time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if topic := t.by[n]; topic.look != nil && time.Since(topic.look.at) >= age {
		topic.look = nil
	}
}

// publish wakes the readers of a run.
func (t *topics) publish(n name) { t.hand(n, nil) }

// hand wakes the readers of a run. Those who have read all before news need not read the store; for
// nil all do.
func (t *topics) hand(n name, news *look) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if topic := t.by[n]; topic != nil {
		close(topic.changed)
		topic.changed, topic.look = make(chan struct{}), news
	}
}

// newsOf is a look at events that were just stored, the last of them with a Seq; nil for none.
func newsOf(events []Event, last int64, rec *Run) *look {
	n := int64(len(events))
	if n == 0 {
		return nil
	}
	l := &look{after: last - n, at: time.Now(), done: make(chan struct{}), events: events, state: rec.State}
	for i := range events {
		events[i].Seq = l.after + int64(i) + 1
	}
	if end := &events[n-1]; end.Type.Last() {
		whole := *rec
		whole.Events, end.Run = last, &whole
	}
	close(l.done)
	return l
}
