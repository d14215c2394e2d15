package whatsapp

import "time"

// Hasten shortens all waits of an adapter.
func (a *Adapter) Hasten() *Adapter {
	a.pace.first, a.pace.longest, a.pace.status = 2*time.Millisecond, 20*time.Millisecond, 200*time.Millisecond
	return a
}
