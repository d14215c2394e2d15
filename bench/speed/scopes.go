package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/hermes-memory/hermes/bench/served"
)

// talks takes turns in the sessions of a server, each with words of its own.
type talks struct {
	s     *served.Server
	words map[string]*writer
	said  map[string]int
}

func newTalks(s *served.Server) *talks {
	return &talks{s: s, words: make(map[string]*writer), said: make(map[string]int)}
}

// turn takes a turn in a session, and returns how long it took.
func (t *talks) turn(ctx context.Context, session string) (time.Duration, error) {
	if t.words[session] == nil {
		t.words[session] = newWriter(uint64(len(t.words)) + 77)
	}
	text := t.words[session].message(t.said[session])
	t.said[session]++
	begun := time.Now()
	_, err := chat(ctx, t.s.Base, session, text)
	return time.Since(begun), err
}

// series is turns that were taken one after the other.
type series struct {
	took   []time.Duration
	cpu    time.Duration // of the server, background work included
	failed int
	peak   float64 // MiB resident
}

// cpuEach is the processor time of a turn.
func (s *series) cpuEach() time.Duration { return s.cpu / time.Duration(max(1, len(s.took))) }

// spread is the spread of a series that may have no turns.
func (s *series) spread() spread {
	if len(s.took) == 0 {
		return spread{}
	}
	return spreadOf(s.took)
}

// warmFirst are the first turns in a session, which find its memory cold and are not counted.
const warmFirst = 3

// warm takes turns in each of some sessions, each of which follows a turn of the same session.
func (t *talks) warm(ctx context.Context, out *series, each int, sessions ...string) error {
	for _, session := range sessions {
		for range warmFirst {
			if _, err := t.turn(ctx, session); err != nil {
				return fmt.Errorf("a warm turn: %w", err)
			}
		}
		before := t.s.CPU()
		for range each {
			took, err := t.turn(ctx, session)
			if err != nil {
				return fmt.Errorf("a warm turn: %w", err)
			}
			out.took = append(out.took, took)
		}
		out.cpu += t.s.CPU() - before
	}
	return nil
}

// each takes a number of turns, in the session that next names each time. A failed turn is counted. After the server has
// ended, all further turns count as failed.
func (t *talks) each(ctx context.Context, turns int, next func(i int) string) *series {
	out := &series{}
	before := t.s.CPU()
	for i := range turns {
		took, err := t.turn(ctx, next(i))
		if err == nil {
			out.took = append(out.took, took)
			out.cpu, out.peak = t.s.CPU()-before, max(out.peak, t.s.Peak())
			continue
		}
		if out.failed++; errors.Is(err, syscall.ECONNREFUSED) {
			out.failed = turns - len(out.took)
			break
		}
	}
	return out
}
