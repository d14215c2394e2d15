package gatewaytest

import "time"

// The limits of a chat as a client has to expect them: five messages one after another, then
// one in six seconds.
const (
	waBurst = 5
	waEvery = 6 * time.Second
)

// waWindow is how long a person's message lets the client write.
const waWindow = 24 * time.Hour

// waLimits are what the chats have used of the limits.
type waLimits struct {
	// due is when all messages so far would have been sent, one in six seconds.
	due map[string]time.Time
	// rest is when a chat may be written to again, wait how long its last rest was.
	rest    map[string]time.Time
	wait    map[string]time.Duration
	limited int
	floods  map[string]int // the seconds that the next message to a chat is told to wait
}

func newWaLimits() waLimits {
	return waLimits{due: map[string]time.Time{}, rest: map[string]time.Time{}, wait: map[string]time.Duration{}, floods: map[string]int{}}
}

// Limited is how often the fake refused a request because of the limits of rate.
func (s *WhatsApp) Limited() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.limits.limited
}

// Flood makes the next message to a chat be told to wait for some seconds.
func (s *WhatsApp) Flood(chat string, seconds int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limits.floods[chat] = seconds
}

// allow refuses a message that comes too early. A request during the rest of its chat is
// noted.
func (s *WhatsApp) allow(chat string) error {
	if s.opt.Unlimited {
		return nil
	}
	l, now := &s.limits, s.opt.Now()
	if now.Before(l.rest[chat]) {
		s.broken = append(s.broken, "a message to a chat while it rests")
		return waBad(131056, "Too many messages to this person")
	}
	if seconds := l.floods[chat]; seconds > 0 {
		delete(l.floods, chat)
		l.rest[chat] = now.Add(time.Duration(seconds) * time.Second)
		return &waError{Code: 131056, Details: "Too many messages to this person", RetryAfter: seconds}
	}
	due := l.due[chat]
	if due.Before(now) {
		due = now
	}
	if due.Sub(now) > (waBurst-1)*waEvery {
		l.limited++
		l.wait[chat] = max(waEvery, 2*l.wait[chat])
		l.rest[chat] = now.Add(l.wait[chat])
		return waBad(131056, "Too many messages to this person")
	}
	l.due[chat] = due.Add(waEvery)
	delete(l.wait, chat)
	return nil
}

// open reports whether a person's window is open.
func (s *WhatsApp) open(p *waPerson) bool { return s.opt.Now().Before(p.heard.Add(waWindow)) }
