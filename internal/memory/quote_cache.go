package memory

import "sync"

// Quote is a message as a model is shown it when it is recalled.
type Quote struct {
	Place Place
	// Line is who said it, when, and the words, in one line.
	Line string
	// Tokens is what the line costs; Exact says that the model's own vocabulary
	// counted them.
	Tokens int
	Exact  bool
	// Printed says that a program printed it.
	Printed bool
}

// quoteCache keeps the quotes of a scope that were used last: what bears on one turn
// mostly bears on the next. What no turn has asked for since the cache was full
// twice over is dropped.
type quoteCache struct {
	mu         sync.Mutex
	young, old map[int64]Quote // by message id
	size       int64           // of the lines in young, in bytes
}

// quotesSize bounds the lines of each of the two halves, in bytes.
const quotesSize = 64 << 10

// Quote returns the quote of a message if it is kept and was counted like that.
func (v *View) Quote(id int64, exact bool) (Quote, bool) {
	s := &v.quotes
	s.mu.Lock()
	defer s.mu.Unlock()
	q, ok := s.young[id]
	if !ok {
		if q, ok = s.old[id]; ok {
			s.put(id, &q)
		}
	}
	return q, ok && q.Exact == exact
}

// KeepQuote keeps the quote of a message for the turns to come.
func (v *View) KeepQuote(id int64, q Quote) {
	s := &v.quotes
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(id, &q)
}

// put adds to the young half; the caller holds the lock.
func (s *quoteCache) put(id int64, q *Quote) {
	if s.young == nil || s.size > quotesSize {
		s.young, s.old, s.size = make(map[int64]Quote), s.young, 0
	}
	if _, ok := s.young[id]; !ok {
		s.size += int64(len(q.Line))
	}
	s.young[id] = *q
}

// Size is about how many bytes the cache holds.
func (s *quoteCache) Size() int64 {
	const entry = 160
	s.mu.Lock()
	defer s.mu.Unlock()
	return 2*s.size + entry*int64(len(s.young)+len(s.old))
}
