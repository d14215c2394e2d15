package provider_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/hermes-memory/hermes/internal/run"
)

// shelf is a provider in memory with one place, which can erase single messages.
type shelf struct {
	// stores says what becomes of what it is told; nil stores it.
	stores func(text string) bool
	// left is what it says is left when it is to forget, one answer after the other.
	left []string

	mu     sync.Mutex
	loses  bool // the answer to the next telling
	keeps  bool // what that telling says
	stored []run.Said
}

// lose loses the answer to the next telling, of which everything is stored or nothing.
func (s *shelf) lose(stored bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loses, s.keeps = true, stored
}

// Told implements run.Provider.
func (s *shelf) Told(_ context.Context, _ run.Place, said []run.Said) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	lost := s.loses
	s.loses = false
	for i := range said {
		known := slices.ContainsFunc(s.stored, func(have run.Said) bool { return have.ID == said[i].ID })
		if known || lost && !s.keeps || s.stores != nil && !s.stores(said[i].Text) {
			continue
		}
		s.stored = append(s.stored, said[i])
	}
	if lost {
		return errors.New("the answer was lost")
	}
	return nil
}

// Recall implements run.Provider.
func (s *shelf) Recall(context.Context, run.Place, string, int) (string, error) {
	return strings.Join(s.texts(), "\n"), nil
}

// Forget implements run.Provider.
func (s *shelf) Forget(_ context.Context, _ run.Place, ids []int64) (run.Passed, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.left) > 0 {
		left := s.left[0]
		if len(s.left) > 1 {
			s.left = s.left[1:]
		}
		if left != "" {
			return run.Passed{Left: left}, nil
		}
	}
	s.stored = slices.DeleteFunc(s.stored, func(have run.Said) bool { return ids == nil || slices.Contains(ids, have.ID) })
	return run.Passed{Confirmed: 1}, nil
}

// texts are what it has.
func (s *shelf) texts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]string, len(s.stored))
	for i := range s.stored {
		out[i] = s.stored[i].Text
	}
	return out
}
