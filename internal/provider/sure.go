package provider

import (
	"sync"

	"github.com/hermes-memory/hermes/internal/run"
)

// Sure remembers up to which id places were told, as long as the outcome of the last call
// is known. A provider that stores a message as often as it is sent looks for the ids first
// where it is not sure.
type Sure struct {
	mu     sync.Mutex
	newest map[string]int64
}

// Take reports whether all messages are newer than what a place was told. Until Set, the
// outcome for the place is unknown.
func (s *Sure) Take(place string, said []run.Said) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	last, sure := s.newest[place]
	delete(s.newest, place)
	for i := range said {
		sure = sure && said[i].ID > last
	}
	return sure
}

// Set says that a place has what it was told, and that its newest id is among some.
func (s *Sure) Set(place string, said []run.Said, stored map[int64]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.newest == nil || len(s.newest) >= maxPlaces {
		s.newest = make(map[string]int64)
	}
	newest := int64(0)
	for i := range said {
		newest = max(newest, said[i].ID)
	}
	for id := range stored { // an earlier process may have told newer ones
		newest = max(newest, id)
	}
	s.newest[place] = newest
}

// Leave forgets a place.
func (s *Sure) Leave(place string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.newest, place)
}
