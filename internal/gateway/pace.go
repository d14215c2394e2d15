package gateway

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// pace keeps the spacing that platforms demand between messages.
type pace struct {
	now func() time.Time

	mu    sync.Mutex
	chats map[Place]time.Time    // when a chat may be sent the next message
	edits map[Place]time.Time    // when the next edit is allowed, where edits are counted apart
	due   map[Place]time.Time    // when a chat has paid for its burst
	all   map[Platform]time.Time // when a platform may
	rests map[Place]time.Time    // until when a platform wants nothing for a chat, or for all: a place without a chat
}

// newPace returns a pace by a clock.
func newPace(now func() time.Time) pace {
	return pace{
		now: now, chats: make(map[Place]time.Time), edits: make(map[Place]time.Time), due: make(map[Place]time.Time),
		all: make(map[Platform]time.Time), rests: make(map[Place]time.Time),
	}
}

// paced is what is to be sent: a message or an edit in a chat.
type paced struct {
	at   Place
	kind ChatType
	edit bool
}

// times are the times of the chats that count for what is to be sent.
func (p *pace) times(w *paced, l *Limits) map[Place]time.Time {
	if w.edit && l.EditsApart {
		return p.edits
	}
	return p.chats
}

// turn is when something may be sent. If that is now, the time after it is reserved, and turn
// returns the zero time.
func (p *pace) turn(w paced, l *Limits) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, chat, times := p.now(), whole(w.at), p.times(&w, l)
	due, free := l.burst(p.due[chat], now)
	next := latest(times[chat], p.rests[chat], p.all[w.at.Platform], free)
	if next.After(now) {
		return next
	}
	if l.Burst > 0 {
		p.due[chat] = due
	}
	times[chat], p.all[w.at.Platform] = now.Add(l.space(w.kind)), now.Add(l.AllSpace)
	p.tidy(now)
	return time.Time{}
}

// latest is the latest of some times.
func latest(times ...time.Time) time.Time {
	return slices.MaxFunc(times, time.Time.Compare)
}

// space is the time between two messages of a chat.
func (l *Limits) space(t ChatType) time.Duration {
	if t != DM {
		return l.GroupSpace
	}
	return l.Space
}

// over counts the time to the next message of a chat from the end of a request, because the
// platform counts from when the request came.
func (p *pace) over(w paced, l *Limits) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, chat, times := p.now(), whole(w.at), p.times(&w, l)
	times[chat] = latest(times[chat], now.Add(l.space(w.kind)))
	if l.Burst > 0 {
		p.due[chat] = latest(p.due[chat], now.Add(l.BurstSpace))
	}
}

// burst is when the messages of a chat would all have been sent with BurstSpace between them,
// another one included, and when that one may be sent.
func (l *Limits) burst(due, now time.Time) (after, free time.Time) {
	if l.Burst <= 0 {
		return now, now
	}
	if due.Before(now) {
		due = now
	}
	return due.Add(l.BurstSpace), due.Add(-time.Duration(l.Burst-1) * l.BurstSpace)
}

// rest keeps a chat, or its whole platform, from being sent anything for a time.
func (p *pace) rest(r Rest) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Place.Chat == "" {
		p.all[r.Place.Platform], p.rests[Place{Platform: r.Place.Platform}] = r.Until, r.Until
		return
	}
	p.rests[whole(r.Place)] = r.Until
}

// resting is until when the platform wants nothing for a chat, after it asked to wait; the
// zero time if a chat does not rest.
func (p *pace) resting(at Place) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	until := latest(p.rests[whole(at)], p.rests[Place{Platform: at.Platform}])
	if !until.After(p.now()) {
		return time.Time{}
	}
	return until
}

// tidy forgets times that have passed, once they are many.
func (p *pace) tidy(now time.Time) {
	const many = 4096
	for _, times := range []map[Place]time.Time{p.chats, p.edits, p.due, p.rests} {
		if len(times) >= many {
			maps.DeleteFunc(times, func(_ Place, at time.Time) bool { return !at.After(now) })
		}
	}
}

// whole is the chat of a place: a platform counts the messages of all its threads.
func whole(at Place) Place {
	at.Thread = ""
	return at
}
