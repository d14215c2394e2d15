package gatewaytest

import (
	"fmt"
	"math"
	"time"
)

// tgLimits are Telegram's limits of rate, as a client has to expect them: one message a
// second in a chat, 20 a minute in a group, 30 a second in all. A few may come at once.
type tgLimits struct {
	buckets map[string]*tgBucket
	rest    map[int64]time.Time // when a chat may be written to again
	forced  map[int64]int       // the seconds that the next request to a chat is told to wait
}

// tgBucket holds what may be sent at once, and fills again with the time.
type tgBucket struct {
	tokens float64
	at     time.Time
}

func newTgLimits() tgLimits {
	return tgLimits{buckets: map[string]*tgBucket{}, rest: map[int64]time.Time{}, forced: map[int64]int{}}
}

// take takes one token. It returns how long to wait if there is none.
func (l *tgLimits) take(now time.Time, name string, burst float64, every time.Duration) time.Duration {
	b := l.buckets[name]
	if b == nil {
		b = &tgBucket{tokens: burst, at: now}
		l.buckets[name] = b
	}
	b.tokens = min(burst, b.tokens+float64(now.Sub(b.at))/float64(every))
	b.at = now
	if b.tokens >= 1 {
		b.tokens--
		return 0
	}
	return time.Duration((1 - b.tokens) * float64(every))
}

// allow refuses a request that comes too early. Edits are counted apart from messages.
func (s *Telegram) allow(chat *tgChat, edit bool) error {
	if err := s.floods(chat); err != nil || s.opt.Unlimited {
		return err
	}
	now := s.opt.Now()
	every, name := time.Second, fmt.Sprintf("send %d", chat.ID)
	if chat.Type != tgPrivate {
		every = 3 * time.Second
	}
	if edit {
		name = fmt.Sprintf("edit %d", chat.ID)
	}
	wait := max(s.limits.take(now, name, 3, every), s.limits.take(now, "all", 30, time.Second/30))
	if wait > 0 {
		s.limited++
		return s.tooMany(chat, wait)
	}
	return nil
}

// Flood makes the next message, edit or draft in a chat be told to wait for some seconds.
func (s *Telegram) Flood(chat int64, seconds int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limits.forced[chat] = seconds
}

// floods refuses a text in a chat that rests, or that is to begin to rest with it.
func (s *Telegram) floods(chat *tgChat) error {
	if err := s.rests(chat); err != nil {
		return err
	}
	seconds := s.limits.forced[chat.ID]
	if seconds == 0 {
		return nil
	}
	delete(s.limits.forced, chat.ID)
	return s.tooMany(chat, time.Duration(seconds)*time.Second)
}

// rests refuses a request to a chat that rests.
func (s *Telegram) rests(chat *tgChat) error {
	now := s.opt.Now()
	if until := s.limits.rest[chat.ID]; now.Before(until) {
		s.broken = append(s.broken, fmt.Sprintf("a request to chat %d while it rests", chat.ID))
		return s.tooMany(chat, until.Sub(now))
	}
	return nil
}

// tooMany refuses a request, and lets its chat rest.
func (s *Telegram) tooMany(chat *tgChat, wait time.Duration) error {
	seconds := int(math.Ceil(wait.Seconds()))
	s.limits.rest[chat.ID] = s.opt.Now().Add(time.Duration(seconds) * time.Second)
	return &tgError{Code: 429, Description: tgTooMany(seconds), RetryAfter: seconds}
}

// tgTooMany is Telegram's text of a limit.
func tgTooMany(seconds int) string { return fmt.Sprintf("Too Many Requests: retry after %d", seconds) }
