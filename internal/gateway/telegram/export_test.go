package telegram

import "time"

// Hasten shortens all waits of an adapter after failures.
func (a *Adapter) Hasten() *Adapter {
	a.pace.poll, a.pace.dead = 2*time.Second, 4*time.Second
	a.pace.first, a.pace.longest, a.pace.conflict = 2*time.Millisecond, 20*time.Millisecond, 20*time.Millisecond
	return a
}

// GiveUpPolls sets the time after which a poll without an answer is given up.
func (a *Adapter) GiveUpPolls(after time.Duration) *Adapter {
	a.pace.dead = after
	return a
}
