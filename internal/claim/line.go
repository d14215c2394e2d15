package claim

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Line admits a limited number of visitors and queues the others per owner. Owners are
// served in turn, so one owner's backlog never delays another's.
//
// An owner gets a permit while it holds fewer than three times the number of free
// permits. One owner alone therefore gets at most three quarters, and two get three
// sevenths each: a newcomer finds a free permit without waiting for another visitor to
// leave. The waiting room is shared by the same rule.
type Line struct {
	LineOptions

	mu      sync.Mutex
	taken   int
	held    map[string]int // permits by owner
	used    map[string]int // permits by key
	waiting int            // visitors that are not patient
	refused int
	parties []*party // owners with waiting visitors, the next to be served first
}

// LineOptions set the bounds of a Line.
type LineOptions struct {
	// Permits is how many visitors may be in at once; 0 sets no bound.
	Permits int
	// Room is how many visitors may wait; with 0, none may.
	Room int
	// Patience is how long a visitor waits.
	Patience time.Duration
	// Observe is told of every visitor that was not admitted at once; it may be nil.
	Observe func(waited time.Duration, o Outcome)
}

// Outcome is what became of a visitor that was not admitted at once.
type Outcome string

// The outcomes. Except for LetIn and Left, [Line.Enter] reports them in a [*Refusal].
const (
	LetIn   Outcome = "let_in"
	KeyFull Outcome = "key_full" // the key holds as many permits as it may
	NoRoom  Outcome = "no_room"  // the waiting room is full
	TooLong Outcome = "too_long" // no permit came free in time
	Left    Outcome = "left"     // the visitor stopped waiting
)

// Visitor is a request for a permit.
type Visitor struct {
	Owner string
	// Key is one of the owner's keys, which may hold Most permits; 0 sets no bound.
	Key  string
	Most int
	// Patient is set for a visitor that is bounded elsewhere: it waits without limit.
	Patient bool
}

// Refusal says why a visitor got no permit.
type Refusal struct {
	Outcome Outcome
	// Again is when to retry. It varies from one refusal to the next, so that visitors
	// refused together do not retry together.
	Again time.Duration
}

// Error returns the outcome.
func (r *Refusal) Error() string { return fmt.Sprintf("no permit: %s", r.Outcome) }

// NewLine returns a Line.
func NewLine(o LineOptions) *Line {
	return &Line{LineOptions: o, held: make(map[string]int), used: make(map[string]int)}
}

// Permit is the right to be in. The zero Permit is none.
type Permit struct {
	line       *Line
	owner, key string
}

// Leave gives the permit back. It is called once.
func (p Permit) Leave() {
	if p.line == nil {
		return
	}
	p.line.mu.Lock()
	defer p.line.mu.Unlock()
	p.line.leave(p)
}

// party is the queue of one owner's waiting visitors, grouped by key.
type party struct {
	owner  string
	queues []*queue // the next to be served first
	count  int      // visitors that are not patient
}

type queue struct {
	key     string
	waiters []*waiter
}

type waiter struct {
	Visitor
	in    bool
	ready chan struct{} // closed when it is admitted
}

// Enter takes a permit, or waits for one. It fails with a [*Refusal], or with the cause
// of the context's end.
func (l *Line) Enter(ctx context.Context, v Visitor) (Permit, error) {
	l.mu.Lock()
	if l.fits(&v) {
		p := l.grant(&v)
		l.mu.Unlock()
		return p, nil
	}
	if !v.Patient && !l.roomFor(v.Owner) {
		r := l.refuse(&v, NoRoom)
		l.mu.Unlock()
		l.tell(0, r.Outcome)
		return Permit{}, r
	}
	w := &waiter{Visitor: v, ready: make(chan struct{})}
	l.join(w)
	l.mu.Unlock()
	return l.wait(ctx, w)
}

func (l *Line) wait(ctx context.Context, w *waiter) (Permit, error) {
	began := time.Now()
	var late <-chan time.Time
	if !w.Patient {
		timer := time.NewTimer(l.Patience)
		defer timer.Stop()
		late = timer.C
	}
	permit := Permit{line: l, owner: w.Owner, key: w.Key}
	select {
	case <-w.ready:
		l.tell(time.Since(began), LetIn)
		return permit, nil
	case <-late:
		l.mu.Lock()
		if w.in { // admitted just before the timeout
			l.mu.Unlock()
			l.tell(time.Since(began), LetIn)
			return permit, nil
		}
		l.forget(w)
		r := l.refuse(&w.Visitor, TooLong)
		l.mu.Unlock()
		l.tell(time.Since(began), r.Outcome)
		return Permit{}, r
	case <-ctx.Done():
		l.mu.Lock()
		if w.in {
			l.leave(permit)
		} else {
			l.forget(w)
		}
		l.mu.Unlock()
		l.tell(time.Since(began), Left)
		return Permit{}, context.Cause(ctx)
	}
}

// fits reports whether a visitor may have a permit now. The caller holds the lock, here
// and in every method below.
func (l *Line) fits(v *Visitor) bool {
	if v.Most > 0 && l.used[v.Key] >= v.Most {
		return false
	}
	return l.Permits == 0 || l.held[v.Owner] < share*(l.Permits-l.taken)
}

// roomFor reports whether one more visitor of an owner may wait.
func (l *Line) roomFor(owner string) bool {
	mine := 0
	if p := l.partyOf(owner); p != nil {
		mine = p.count
	}
	return mine < share*(l.Room-l.waiting) || mine == 0 && l.Room > 0
}

// share is the bound on an owner's permits, as a multiple of the free ones.
const share = 3

func (l *Line) grant(v *Visitor) Permit {
	l.taken++
	l.held[v.Owner]++
	if v.Key != "" {
		l.used[v.Key]++
	}
	return Permit{line: l, owner: v.Owner, key: v.Key}
}

// leave gives a permit back and admits every waiting visitor that fits now. Visitors
// become admissible only here, so a newcomer never overtakes a waiting visitor that
// would fit.
func (l *Line) leave(p Permit) {
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

// serve admits one visitor of a party and moves its key to the end of the party's
// queue.
func (l *Line) serve(p *party) bool {
	for i, q := range p.queues {
		w := q.waiters[0]
		if !l.fits(&w.Visitor) {
			continue
		}
		l.grant(&w.Visitor)
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

// forget removes a waiter that was not admitted.
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

// refuse makes the Refusal of a visitor. A key at its own limit is the reason reported
// first.
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

// Load returns how many visitors are in and how many wait, patient or not.
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
