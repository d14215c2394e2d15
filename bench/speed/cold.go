package main

import (
	"context"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/bench/served"
)

// What a round of cold turns has. A round ends early when its turns take long.
const (
	coldRounds = 5
	coldWarm   = 10 // turns of the yardstick in a round
	coldTurns  = 20
	coldLong   = 20 * time.Second
)

// cold measures turns in sessions whose memory was not used by the turn before: sessions that take turns, and the first
// turn after a restart. The yardstick is a warm turn in the same round.
func (b *bench) cold(ctx context.Context) error {
	long := 100_000 / b.scale
	if err := b.alternating(ctx, group{"two", 2, long}, group{"three", 3, long * 6 / 10}); err != nil {
		return err
	}
	return b.restarted(ctx, group{"one", 1, long})
}

// alternating measures the sessions of each group, which take turns.
func (b *bench) alternating(ctx context.Context, groups ...group) error {
	home, err := b.filled(ctx, groups...)
	if err != nil {
		return err
	}
	s, err := b.startServer(ctx, home)
	if err != nil {
		return err
	}
	defer s.Stop()
	if err := s.Quiet(ctx); err != nil {
		return err
	}
	for _, g := range groups {
		if err := b.alternate(ctx, s, g); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) alternate(ctx context.Context, s *served.Server, g group) error {
	t, warm := newTalks(s), &series{}
	var took []time.Duration
	for range coldRounds {
		if err := t.warm(ctx, warm, coldWarm, g.session(0)); err != nil {
			return err
		}
		begun := time.Now()
		for i := 0; i < coldTurns && time.Since(begun) < coldLong; i++ {
			d, err := t.turn(ctx, g.session((i+1)%g.sessions)) // session 0 took the warm turns
			if err != nil {
				return err
			}
			took = append(took, d)
		}
	}
	w, c := warm.spread(), spreadOf(took)
	b.bar(fmt.Sprintf("%d sessions of %s messages that take turns", g.sessions, thousands(g.messages)), "<= 3 x a warm turn, p50 and p95",
		times(c.p50, w.p50) <= 3 && times(c.p95, w.p95) <= 3,
		"%s (%.1f x a warm turn), p95 %s (%.1f x)", ms(c.p50), times(c.p50, w.p50), ms(c.p95), times(c.p95, w.p95))
	return nil
}

// restarted measures the first turn after a restart, and what a server holds that has one session.
func (b *bench) restarted(ctx context.Context, g group) error {
	home, err := b.filled(ctx, g)
	if err != nil {
		return err
	}
	var first []time.Duration
	warm, held, peak := &series{}, 0.0, 0.0
	for range coldRounds {
		s, err := b.startServer(ctx, home)
		if err != nil {
			return err
		}
		err = b.opened(ctx, s, g, &first, warm)
		held, peak = max(held, s.Memory()), max(peak, s.Peak())
		s.Stop()
		if err != nil {
			return err
		}
	}
	w, c := warm.spread(), spreadOf(first)
	b.bar(fmt.Sprintf("the first turn after a restart, %s messages", thousands(g.messages)), "<= 10 x a warm turn, < 30 ms",
		times(c.p50, w.p50) <= 10 && c.p95 < 30*time.Millisecond,
		"%s (%.1f x a warm turn), p95 %s", ms(c.p50), times(c.p50, w.p50), ms(c.p95))
	b.add("the yardstick: a warm turn there", "", "%s, p95 %s", ms(w.p50), ms(w.p95))
	b.bar(fmt.Sprintf("memory of a server with a session of %s messages", thousands(g.messages)), "<= 128 MiB", held <= 128,
		"%.0f MiB, at most %.0f MiB", held, peak)
	return nil
}

// opened takes the first turn of a server that has just been started, and warm ones after it.
func (b *bench) opened(ctx context.Context, s *served.Server, g group, first *[]time.Duration, warm *series) error {
	t := newTalks(s)
	took, err := t.turn(ctx, g.session(0))
	if err != nil {
		return err
	}
	*first = append(*first, took)
	if err := t.warm(ctx, warm, coldWarm, g.session(0)); err != nil {
		return err
	}
	return s.Quiet(ctx)
}
