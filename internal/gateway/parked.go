package gateway

import (
	"slices"
	"sync"
)

// parked are the chats in which messages wait until the person writes, by bot. An event of a bot
// without such chats needs no look into the outbox. A chat that moves leaves its old place behind,
// which costs a look and loses nothing.
type parked struct {
	mu sync.Mutex
	by map[*Bot]map[laneKey]bool
}

func newParked() parked { return parked{by: make(map[*Bot]map[laneKey]bool)} }

// note notes whether messages of a chat wait for the person.
func (p *parked) note(b *Bot, l *lane, list []Send) {
	key := laneKey{sending, l.owner.ID(), l.place}
	waits := slices.ContainsFunc(list, func(s Send) bool { return s.State == Parked })
	p.mu.Lock()
	defer p.mu.Unlock()
	if !waits {
		delete(p.by[b], key)
		return
	}
	if p.by[b] == nil {
		p.by[b] = make(map[laneKey]bool)
	}
	p.by[b][key] = true
}

// any reports whether messages of any chat of a bot may wait for a person.
func (p *parked) any(b *Bot) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.by[b]) > 0
}
