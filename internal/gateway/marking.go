package gateway

import "sync"

// markKey names a message that people see marks at.
type markKey struct {
	bot     *Bot
	at      Place
	message MessageID
}

// marking are the marks that are to be shown, by message. The marks of one message are shown one
// after the other: requests that are under way together can be done by the platform in any order.
type marking struct {
	mu sync.Mutex
	by map[markKey][]Mark // the next mark, or none while one is being shown; no entry for a message that has neither
}

func newMarking() marking { return marking{by: make(map[markKey][]Mark)} }

// add notes the mark to be shown next at a message. One that was noted before, and is not being shown,
// is dropped. It reports whether the caller must see to the marks of the message.
func (k *marking) add(key markKey, mark Mark) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, busy := k.by[key]
	k.by[key] = []Mark{mark}
	return !busy
}

// next takes the next mark of a message; false if there is none, which ends the showing.
func (k *marking) next(key markKey) (Mark, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	list := k.by[key]
	if len(list) == 0 {
		delete(k.by, key)
		return 0, false
	}
	k.by[key] = nil
	return list[0], true
}
