package gateway

import "sync"

// left are the chats in which a command may have been left for later, because it waits for a turn.
// A turn that begins elsewhere needs no look into the store to know that none waits for it.
type left struct {
	mu sync.Mutex
	by map[laneKey]bool
}

// newLeft returns no chats.
func newLeft() left { return left{by: make(map[laneKey]bool)} }

// leftIn is the key of a lane's chat.
func leftIn(l *lane) laneKey { return laneKey{commanding, l.owner.ID(), l.place} }

// add notes that a command may wait in a chat.
func (f *left) add(l *lane) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.by[leftIn(l)] = true
}

// remove notes that no command waits in a chat.
func (f *left) remove(l *lane) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.by, leftIn(l))
}

// in reports whether a command may wait in a chat.
func (f *left) in(l *lane) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.by[leftIn(l)]
}
