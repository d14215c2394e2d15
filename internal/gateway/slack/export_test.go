package slack

import "time"

// Hasten shortens all waits of an adapter after failures.
func (a *Adapter) Hasten() *Adapter {
	a.pace.first, a.pace.longest, a.pace.look = 10*time.Millisecond, 100*time.Millisecond, 10*time.Millisecond
	return a
}

// GiveUpSilence sets the time after which a socket without a sign is given up.
func (a *Adapter) GiveUpSilence(after time.Duration) *Adapter {
	a.pace.silence = after
	return a
}

// GiveUpNames sets the time after which names are not waited for.
func (a *Adapter) GiveUpNames(after time.Duration) *Adapter {
	a.pace.lookup = after
	return a
}
