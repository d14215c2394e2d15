package claim

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Line lets in so many at once and lets others wait, owner by owner: the next
// place goes to the next owner, however many of another one's wait.
//
// An owner gets a place as long as it has less than three times what is free
// then. So one alone gets three quarters, and two get three sevenths each: whoever
// comes last finds a place without anybody having to leave. The same goes for
// the room to wait in.
type Line struct {
	LineOptions

	mu      sync.Mutex
	taken   int
	held    map[string]int // places by owner
	used    map[string]int // places by key
	waiting int            // of those who are not patient
	refused int
	parties []*party // who wait, the next to be served first
}

// LineOptions say how many a Line lets in.
type LineOptions struct {
	// Places is how many may be in at once; 0 sets no bound.
	Places int
	// Room is how many may wait; 0 lets nobody wait.
	Room int
	// Patience is how long they wait.
	Patience time.Duration
	// Observe is told of everybody who could not be let in at once; nil tells
	// nobody.
	Observe func(waited time.Duration, o Outcome)
}

// Outcome is what became of somebody who could not be let in at once.
type Outcome string

// The outcomes. What is an error of [Line.Enter] is a [*Refusal], but for Left.
const (
	LetIn   Outcome = "let_in"
	KeyFull Outcome = "key_full" // the key has its own number of places
	NoRoom  Outcome = "no_room"  // too many wait already
	TooLong Outcome = "too_long" // no place came free in time
	Left    Outcome = "left"     // whoever waited went away
)

// Visitor is somebody who wants a place.
type Visitor struct {
	Owner string
	// Key is one of the owner's, which may hold Most places; 0 sets no bound.
	Key  string
	Most int
	// Patient is one who is bounded elsewhere, and waits as long as it takes.
	Patient bool
}

// Refusal says why there was no place.
type Refusal struct {
	Outcome Outcome
	// Again is when to come back. It differs from one to the next, so that those
	// who were sent away together do not come back together.
	Again time.Duration
}

// Error returns the outcome.
func (r *Refusal) Error() string { return fmt.Sprintf("no place: %s", r.Outcome) }

// NewLine returns a Line.
func NewLine(o LineOptions) *Line {
	return &Line{LineOptions: o, held: make(map[string]int), used: make(map[string]int)}
}

// Place is what a visitor was given. The zero Place is none.
type Place struct {
	line       *Line
	owner, key string
}

// Leave gives the place back. It is called once.
func (p Place) Leave() {
	if p.line == nil {
		return
	}
	p.line.mu.Lock()
	defer p.line.mu.Unlock()
	p.line.leave(p)
}

// party are those of an owner who wait, key by key.
type party struct {
	owner  string
	queues []*queue // the next to be served first
	count  int      // of those who are not patient
}

type queue struct {
	key     string
	waiters []*waiter
}

type waiter struct {
	Visitor
	in    bool
	ready chan struct{} // closed when it is let in
}

// Enter takes a place, or waits for one. It fails with a [*Refusal], or with the
// cause of the context's end.
func (l *Line) Enter(ctx context.Context, v Visitor) (Place, error) {
	l.mu.Lock()
	if l.fits(&v) {
		p := l.take(&v)
		l.mu.Unlock()
		return p, nil
	}
	if !v.Patient && !l.roomFor(v.Owner) {
		r := l.refuse(&v, NoRoom)
		l.mu.Unlock()
		l.tell(0, r.Outcome)
		return Place{}, r
	}
	w := &waiter{Visitor: v, ready: make(chan struct{})}
	l.join(w)
	l.mu.Unlock()
	return l.wait(ctx, w)
}

func (l *Line) wait(ctx context.Context, w *waiter) (Place, error) {
	began := time.Now()
	var late <-chan time.Time
	if !w.Patient {
		timer := time.NewTimer(l.Patience)
		defer timer.Stop()
		late = timer.C
	}
	place := Place{line: l, owner: w.Owner, key: w.Key}
	select {
	case <-w.ready:
		l.tell(time.Since(began), LetIn)
		return place, nil
	case <-late:
		l.mu.Lock()
		if w.in { // just now
			l.mu.Unlock()
			l.tell(time.Since(began), LetIn)
			return place, nil
		}
		l.forget(w)
		r := l.refuse(&w.Visitor, TooLong)
		l.mu.Unlock()
		l.tell(time.Since(began), r.Outcome)
		return Place{}, r
	case <-ctx.Done():
		l.mu.Lock()
		if w.in {
			l.leave(place)
		} else {
			l.forget(w)
		}
		l.mu.Unlock()
		l.tell(time.Since(began), Left)
		return Place{}, context.Cause(ctx)
	}
}

// fits reports whether there is a place for a visitor. The lock is held, as it is
// for everything below.
func (l *Line) fits(v *Visitor) bool {
	if v.Most > 0 && l.used[v.Key] >= v.Most {
		return false
	}
	return l.Places == 0 || l.held[v.Owner] < share*(l.Places-l.taken)
}

// roomFor reports whether one more of an owner may wait.
func (l *Line) roomFor(owner string) bool {
	mine := 0
	if p := l.partyOf(owner); p != nil {
		mine = p.count
	}
	return mine < share*(l.Room-l.waiting) || mine == 0 && l.Room > 0
}

// share is how many times what is free an owner may have.
const share = 3

func (l *Line) take(v *Visitor) Place {
	l.taken++
	l.held[v.Owner]++
	if v.Key != "" {
		l.used[v.Key]++
	}
	return Place{line: l, owner: v.Owner, key: v.Key}
}

// leave gives a place back, and lets in who fits now. So nobody who waits fits
// at any other moment, and nobody who comes overtakes one who does.
func (l *Line) leave(p Place) {
	l.taken--
	less(l.held, p.owner)
	if p.key != "" {
		less(l.used, p.key)
	}
	for i := 0; i < len(l.parties); {
		q := l.parties[i]
		if !l.serve(q) {
			i++
			continue
		}
		l.parties = slices.Delete(l.parties, i, i+1)
		if len(q.queues) > 0 {
			l.parties = append(l.parties, q)
		}
		i = 0
	}
}

func less(counts map[string]int, name string) {
	if counts[name]--; counts[name] == 0 {
		delete(counts, name)
	}
}

// serve lets one of a party in, whose key comes last then.
func (l *Line) serve(p *party) bool {
	for i, q := range p.queues {
		w := q.waiters[0]
		if !l.fits(&w.Visitor) {
			continue
		}
		l.take(&w.Visitor)
		l.drop(p, w)
		w.in = true
		close(w.ready)
		q.waiters = q.waiters[1:]
		p.queues = slices.Delete(p.queues, i, i+1)
		if len(q.waiters) > 0 {
			p.queues = append(p.queues, q)
		}
		return true
	}
	return false
}

func (l *Line) partyOf(owner string) *party {
	if i := slices.IndexFunc(l.parties, func(p *party) bool { return p.owner == owner }); i >= 0 {
		return l.parties[i]
	}
	return nil
}

// join puts a waiter at the end of its key's queue.
func (l *Line) join(w *waiter) {
	p := l.partyOf(w.Owner)
	if p == nil {
		p = &party{owner: w.Owner}
		l.parties = append(l.parties, p)
	}
	i := slices.IndexFunc(p.queues, func(q *queue) bool { return q.key == w.Key })
	if i < 0 {
		i = len(p.queues)
		p.queues = append(p.queues, &queue{key: w.Key})
	}
	p.queues[i].waiters = append(p.queues[i].waiters, w)
	if !w.Patient {
		l.waiting++
		p.count++
	}
}

// forget takes out a waiter who was not let in.
func (l *Line) forget(w *waiter) {
	p := l.partyOf(w.Owner)
	l.drop(p, w)
	i := slices.IndexFunc(p.queues, func(q *queue) bool { return q.key == w.Key })
	q := p.queues[i]
	q.waiters = slices.DeleteFunc(q.waiters, func(other *waiter) bool { return other == w })
	if len(q.waiters) == 0 {
		p.queues = slices.Delete(p.queues, i, i+1)
	}
	if len(p.queues) == 0 {
		l.parties = slices.DeleteFunc(l.parties, func(other *party) bool { return other == p })
	}
}

func (l *Line) drop(p *party, w *waiter) {
	if !w.Patient {
		l.waiting--
		p.count--
	}
}

// refuse sends a visitor away. If the key has all that it may have, that is why.
func (l *Line) refuse(v *Visitor, o Outcome) *Refusal {
	if v.Most > 0 && l.used[v.Key] >= v.Most {
		o = KeyFull
	}
	l.refused++
	return &Refusal{Outcome: o, Again: time.Duration(1+l.refused%3) * time.Second}
}

func (l *Line) tell(waited time.Duration, o Outcome) {
	if l.Observe != nil {
		l.Observe(waited, o)
	}
}

// Load is how many are in, and how many wait, patient or not.
func (l *Line) Load() (in, waiting int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.parties {
		for _, q := range p.queues {
			waiting += len(q.waiters)
		}
	}
	return l.taken, waiting
}
