package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// runsRig kills a server under runs, jobs and readers of events.
var runsRig = rig{
	name: "runs", fault: "kill -9 under runs, jobs and their readers", rounds: 200, run: killRuns,
	want: "0 lost, 0 given up, 0 doubled, 0 events missing or told twice",
}

// killRuns is the whole rig: rounds, a last start, the count.
func killRuns(ctx context.Context, b *bench, rounds int) (*tally, error) {
	model := newModel()
	defer model.Close()
	s, err := b.subject(model.URL + "/v1")
	if err != nil {
		return nil, err
	}
	c := &clients{seen: make(map[string]map[string]string), done: make(map[string]bool)}
	for n := range rounds {
		if err := s.start(ctx); err != nil {
			return nil, fmt.Errorf("round %d: %w", n+1, err)
		}
		round, stop := context.WithCancel(ctx)
		var working sync.WaitGroup
		working.Go(func() { c.startRuns(round, s.addr) })
		working.Go(func() { c.createJobs(round, s.addr) })
		working.Go(func() { c.follow(round, s.addr) })
		pause(ctx, 300*time.Millisecond+rand.N(600*time.Millisecond))
		s.kill()
		stop()
		working.Wait()
	}
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	defer s.kill()
	if err := c.settle(ctx, s.addr); err != nil {
		return nil, err
	}
	r, err := c.check(ctx, s)
	if err != nil {
		return nil, err
	}
	r.rounds, r.calls = rounds, model.calls.Load()
	return r.tally(), nil
}
