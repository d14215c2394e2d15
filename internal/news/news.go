// Package news tells readers that data of their owner has changed: what kind of thing, its
// name, and no content. A reader then reads the thing itself. News are kept in memory only, the
// newest ones of each owner. Processes that share a store pass them on to one another.
package news

import (
	"context"
	"sync"
	"time"
)

// Type is the kind of thing that has changed.
type Type string

// The kinds of things, with what an ID names.
const (
	Session  Type = "session"  // the first session of a lineage
	Memory   Type = "memory"   // the first session of a lineage; "" for all of an owner's memory
	Run      Type = "run"      // a run
	Approval Type = "approval" // the run of a call that waits for a decision
	Job      Type = "job"      // a job
	JobRun   Type = "job_run"  // the job of a fire
	Key      Type = "key"      // a key; for all owners, because administrators see all keys
	Work     Type = "work"     // nothing
)

// Item is one change.
type Item struct {
	Type Type   `json:"type"`
	ID   string `json:"id"`
	// What happened: created, message, changed, deleted, started, ended, waiting, resolved,
	// revoked.
	What string `json:"what"`
	// Seq is the place of the newest message; nil for other changes.
	Seq *int64 `json:"seq,omitempty"`
}

// kept is how many items of an owner are kept.
const kept = 1024

// mostIdle is how many owners without readers keep their news.
const mostIdle = 64

// Hub passes news on from those who change data to readers. Its zero value is not ready; see
// [NewHub].
type Hub struct {
	now  func() time.Time
	send func(owner string, it Item) // to other processes; nil for none

	mu     sync.Mutex
	rings  map[string]*ring
	idle   []string // owners without readers, longest without first
	closed chan struct{}
	once   sync.Once
}

// ring has the newest items of an owner. Its numbers begin with the time, so that those of an
// earlier process, or of a ring that was dropped, are never taken for its own.
type ring struct {
	first   int64 // number of items[0]
	items   []Item
	readers int
	changed chan struct{} // closed with the next item
}

// NewHub returns a hub.
func NewHub(now func() time.Time) *Hub {
	return &Hub{now: now, rings: make(map[string]*ring), closed: make(chan struct{})}
}

// Everyone stands for all owners.
const Everyone = ""

// Share lets send pass on to other processes what is told in this one. It is called before the
// first Tell. send must not block; its owner may be Everyone.
func (h *Hub) Share(send func(owner string, it Item)) { h.send = send }

// Tell passes an item on to the readers of an owner. It never blocks.
func (h *Hub) Tell(owner string, it Item) {
	h.Heard(owner, it)
	if h.send != nil {
		h.send(owner, it)
	}
}

// TellAll passes an item on to the readers of all owners.
func (h *Hub) TellAll(it Item) { h.Tell(Everyone, it) }

// Heard passes on what another process has told.
func (h *Hub) Heard(owner string, it Item) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if owner != Everyone {
		if r := h.rings[owner]; r != nil {
			r.add(it)
		}
		return
	}
	for _, r := range h.rings {
		r.add(it)
	}
}

// Lost makes all readers miss items: other processes may have told some that were not heard.
func (h *Hub) Lost() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.rings {
		r.first, r.items = r.next()+1, nil
		r.wake()
	}
}

// Close ends all readers. It may be called several times.
func (h *Hub) Close() { h.once.Do(func() { close(h.closed) }) }

func (r *ring) add(it Item) {
	r.items = append(r.items, it)
	if drop := len(r.items) - kept; drop > 0 {
		r.first += int64(drop)
		r.items = r.items[drop:] // append copies what is left now and then
	}
	r.wake()
}

// wake wakes the readers.
func (r *ring) wake() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// next is the number of the next item.
func (r *ring) next() int64 { return r.first + int64(len(r.items)) }

// Reader reads the news of an owner.
type Reader struct {
	h     *Hub
	owner string
	// Last is the number of the last item that was read.
	Last int64
}

// Join begins to read behind the item with a number; 0 begins with the next item. It reports
// false if items behind that number are no longer there: the reader may have missed some, and
// goes on with the next item. The reader must be left.
func (h *Hub) Join(owner string, after int64) (*Reader, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.rings[owner]
	if r == nil {
		r = &ring{first: h.now().UnixMilli() * 1000, changed: make(chan struct{})}
		h.rings[owner] = r
	}
	if r.readers++; r.readers == 1 {
		h.wanted(owner)
	}
	if after == 0 {
		return &Reader{h, owner, r.next() - 1}, true
	}
	if after < r.first-1 || after >= r.next() {
		return &Reader{h, owner, r.next() - 1}, false
	}
	return &Reader{h, owner, after}, true
}

// Leave ends a reader.
func (rd *Reader) Leave() {
	h := rd.h
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.rings[rd.owner]
	if r.readers--; r.readers > 0 {
		return
	}
	h.idle = append(h.idle, rd.owner)
	if len(h.idle) > mostIdle {
		delete(h.rings, h.idle[0])
		h.idle = h.idle[1:]
	}
}

// wanted takes an owner off the list of those without readers.
func (h *Hub) wanted(owner string) {
	for i, other := range h.idle {
		if other == owner {
			h.idle = append(h.idle[:i:i], h.idle[i+1:]...)
			return
		}
	}
}

// Outcome says why a reader woke up.
type Outcome int

// The outcomes.
const (
	// News says that there are items.
	News Outcome = iota
	// Missed says that items are gone: the reader was too slow, and goes on with the next item.
	Missed
	// Tick says that time has passed.
	Tick
	// Over says that the reader is to end.
	Over
)

// Next waits for items behind the last one, for a tick, or for the end of ctx or the hub. The
// items have the numbers up to Last.
func (rd *Reader) Next(ctx context.Context, tick <-chan time.Time) ([]Item, Outcome) {
	for {
		items, outcome, changed := rd.take()
		if outcome == Missed || len(items) > 0 {
			return items, outcome
		}
		select {
		case <-changed:
		case <-tick:
			return nil, Tick
		case <-ctx.Done():
			return nil, Over
		case <-rd.h.closed:
			return nil, Over
		}
	}
}

func (rd *Reader) take() ([]Item, Outcome, <-chan struct{}) {
	rd.h.mu.Lock()
	defer rd.h.mu.Unlock()
	r := rd.h.rings[rd.owner]
	from := rd.Last + 1 - r.first
	rd.Last = r.next() - 1
	if from < 0 {
		return nil, Missed, r.changed
	}
	return append([]Item(nil), r.items[from:]...), News, r.changed
}
