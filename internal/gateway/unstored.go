package gateway

import (
	"maps"
	"sync"
	"time"
)

// unstored are the messages that a platform has taken while the store took no writes, by their ids. They
// are not sent again: a chat would get one with each try until the store works.
type unstored struct {
	mu sync.Mutex
	by map[string]receipt
}

// receipt is what is remembered of such a message.
type receipt struct {
	message MessageID
	sentAt  time.Time
	text    string // a hash
}

// newUnstored returns no messages.
func newUnstored() unstored { return unstored{by: make(map[string]receipt)} }

// add remembers a message.
func (u *unstored) add(s *Send) {
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.DeleteFunc(u.by, func(_ string, r receipt) bool { return r.sentAt.Add(giveUpAfter).Before(s.SentAt) }) // of messages that were erased
	if _, known := u.by[s.ID]; !known {
		u.by[s.ID] = receipt{s.Message, s.SentAt, hashOf(s.Text)}
	}
}

// remove forgets a message that is stored.
func (u *unstored) remove(id string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.by, id)
}

// complete makes a message Sent that the platform has taken, and reports whether it has. A message whose
// text has changed since is to be edited.
func (u *unstored) complete(s *Send) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	r, taken := u.by[s.ID]
	if !taken {
		return false
	}
	s.State, s.Message, s.SentAt, s.Error = Sent, r.message, r.sentAt, ""
	if hashOf(s.Text) != r.text {
		s.State = ToEdit
	}
	return true
}
