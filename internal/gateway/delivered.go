package gateway

import "sync"

// mostDelivered is how many ids of messages a half of delivered holds.
const mostDelivered = 4096

// delivered are the newest messages that are stored as sent, by their ids. A platform tells up to three times that it
// has a message, and that changes nothing then: what it tells of these messages is not looked up. A message that is
// lacking here is looked up, so that older ones are dropped, a half at a time.
type delivered struct {
	mu          sync.Mutex
	now, before map[string]struct{}
}

// note notes the state of a message that was stored.
func (d *delivered) note(s *Send) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s.State != Sent {
		delete(d.now, s.ID)
		delete(d.before, s.ID)
		return
	}
	if d.now == nil || len(d.now) >= mostDelivered {
		d.now, d.before = make(map[string]struct{}), d.now
	}
	d.now[s.ID] = struct{}{}
}

// has reports whether a message is stored as sent. It may report false of one that is.
func (d *delivered) has(id string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, now := d.now[id]
	_, before := d.before[id]
	return now || before
}
