package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// delay is how long the upstream takes for a job.
const delay = 200 * time.Millisecond

// upstream is the scripted model server, in this process. A job asks for a model
// of its own, and so is known by it.
type upstream struct {
	server *upstreamtest.Server
	rounds int

	mu          sync.Mutex
	calls       map[string]int
	last        map[string]time.Time
	overlapping int
	counted     int
}

func startUpstream(rounds int) (*upstream, error) {
	u := &upstream{rounds: rounds, calls: make(map[string]int), last: make(map[string]time.Time)}
	var err error
	u.server, err = upstreamtest.Start(upstreamtest.Options{Quiet: true, Default: u.answer})
	if err != nil {
		return nil, fmt.Errorf("start upstream: %w", err)
	}
	return u, nil
}

func (u *upstream) answer(r *upstreamtest.Request) upstreamtest.Step {
	s := upstreamtest.Step{Chunks: []string{"All ", "is ", "well."}, Usage: &upstreamtest.Usage{Input: 100, Output: 3}}
	if !strings.HasPrefix(r.Model, "job-") {
		return s
	}
	s.Before = delay
	u.mu.Lock()
	defer u.mu.Unlock()
	now := time.Now()
	if last, ok := u.last[r.Model]; ok && now.Sub(last) < delay {
		u.overlapping++
	}
	u.calls[r.Model]++
	u.last[r.Model] = now
	u.counted++
	return s
}

// fired is how many calls jobs have made.
func (u *upstream) fired() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.counted
}

// doubled is how many calls were made beyond one for each slot.
func (u *upstream) doubled() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	n := 0
	for _, calls := range u.calls {
		n += max(0, calls-u.rounds)
	}
	return n
}

// overlaps is how many calls came while another of the same job was answered.
func (u *upstream) overlaps() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.overlapping
}
