package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// How many streams are open at once, and how long each of them talks: twenty
// tokens a second, as fast as people read.
const (
	streamCount  = 1000
	streamTokens = 100
	streamBeat   = 50 * time.Millisecond
)

// streams measures the first token of many streams at once, each a turn in a
// session of its own: all begun at the same moment, and then the same number
// again, begun one after the other while as many are open.
func (b *bench) streams(ctx context.Context) error {
	s, err := b.startServer(ctx, "")
	if err != nil {
		return err
	}
	defer s.Stop()
	w := newWriter(1)
	for i := range 100 { // warm up
		if _, err := chat(ctx, s.Base, "warm", w.message(i)); err != nil {
			return err
		}
	}
	count := streamCount / b.scale
	for n, c := range []struct {
		name   string
		spread time.Duration
	}{
		{"at once", 0},
		{"one after the other", streamTokens * streamBeat},
	} {
		direct, err := b.open20(ctx, b.upstream.server.URL, "", count, c.spread)
		if err != nil {
			return err
		}
		before := s.CPU()
		ours, err := b.open20(ctx, s.Base, fmt.Sprintf("streams:%d", n), count, c.spread)
		if err != nil {
			return err
		}
		cpu := float64((s.CPU() - before).Microseconds()) / float64(count*streamTokens)
		o, d := spreadOf(ours), spreadOf(direct)
		b.add(fmt.Sprintf("%d streams of 20 tokens/s, begun %s: first token p50 and p99 (the upstream alone)", count, c.name), "p99 < 350 ms",
			"%s, %s (%s, %s), %.0f µs CPU per token", ms(o.p50), ms(o.p99), ms(d.p50), ms(d.p99), cpu)
	}
	return nil
}

// open20 opens streams over a time, reads all of them to their end, and returns
// when each had its first token.
func (b *bench) open20(ctx context.Context, base, session string, count int, spread time.Duration) ([]time.Duration, error) {
	first := make([]time.Duration, count)
	failed := make([]error, count)
	var open sync.WaitGroup
	for i := range count {
		open.Go(func() {
			start := time.NewTimer(spread * time.Duration(i) / time.Duration(count))
			defer start.Stop()
			select {
			case <-start.C:
			case <-ctx.Done():
			}
			name := ""
			if session != "" {
				name = fmt.Sprintf("%s:%d", session, i)
			}
			first[i], failed[i] = firstToken(ctx, base, name, slowly+newWriter(uint64(i)).message(0))
		})
	}
	open.Wait()
	return first, errors.Join(failed...)
}
