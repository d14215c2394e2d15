package gateway

import (
	"sync"
	"time"
)

// pace keeps the spacing that platforms demand between messages.
type pace struct {
	now func() time.Time

	mu    sync.Mutex
	chats map[Place]time.Time    // when a chat may be sent the next message
	due   map[Place]time.Time    // when a chat has paid for its burst
	all   map[Platform]time.Time // when a platform may
}

// newPace returns a pace by a clock.
func newPace(now func() time.Time) pace {
	return pace{now: now, chats: make(map[Place]time.Time), due: make(map[Place]time.Time), all: make(map[Platform]time.Time)}
}

// turn is when a message may be sent to a chat. If that is now, the time after it is
// reserved, and turn returns the zero time.
func (p *pace) turn(at Place, t ChatType, l *Limits) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, chat := p.now(), whole(at)
	next := p.chats[chat]
	if all := p.all[at.Platform]; all.After(next) {
		next = all
	}
	due, free := l.burst(p.due[chat], now)
	if free.After(next) {
		next = free
	}
	if next.After(now) {
		return next
	}
	if l.Burst > 0 {
		p.due[chat] = due
	}
	p.chats[chat], p.all[at.Platform] = now.Add(l.space(t)), now.Add(l.AllSpace)
	p.tidy(now)
	return time.Time{}
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
func (p *pace) over(at Place, t ChatType, l *Limits) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if next := p.now().Add(l.space(t)); next.After(p.chats[whole(at)]) {
		p.chats[whole(at)] = next
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
func (p *pace) rest(at Place, all bool, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	until := p.now().Add(wait)
	if all {
		p.all[at.Platform] = until
		return
	}
	p.chats[whole(at)] = until
}

// tidy forgets chats that may be sent anything, once they are many.
func (p *pace) tidy(now time.Time) {
	const many = 4096
	if len(p.chats) < many {
		return
	}
	for at, next := range p.chats {
		if !next.After(now) && !p.due[at].After(now) {
			delete(p.chats, at)
			delete(p.due, at)
		}
	}
}

// whole is the chat of a place: a platform counts the messages of all its threads.
func whole(at Place) Place {
	at.Thread = ""
	return at
}
