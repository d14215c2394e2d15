// Command torture kills a server under load, again and again, and counts what
// became of what it had acknowledged: runs, jobs, and the events that readers
// had seen. It wants to see nothing lost and nothing doubled.
//
//	go build -o bin/hermes ./cmd/hermes && go run ./bench/torture -hermes bin/hermes -rounds 200
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"time"
)

func main() {
	hermes := flag.String("hermes", "bin/hermes", "the program")
	rounds := flag.Int("rounds", 200, "how often it is killed")
	flag.Parse()
	if err := torture(context.Background(), *hermes, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(1)
	}
}

// torture is the whole program: rounds, a last start, the count.
func torture(ctx context.Context, hermes string, rounds int) error {
	home, err := os.MkdirTemp("", "torture")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(home) }()
	model := newModel()
	defer model.Close()
	s := &subject{hermes: hermes, home: home, upstream: model.URL + "/v1"}
	c := &clients{seen: make(map[string]map[string]string), done: make(map[string]bool)}
	began := time.Now()
	for n := range rounds {
		if err := s.start(ctx); err != nil {
			return fmt.Errorf("round %d: %w", n+1, err)
		}
		round, stop := context.WithCancel(ctx)
		var working sync.WaitGroup
		working.Go(func() { c.startRuns(round, s.addr) })
		working.Go(func() { c.createJobs(round, s.addr) })
		working.Go(func() { c.follow(round, s.addr) })
		pause(ctx, 300*time.Millisecond+rand.N(600*time.Millisecond)) //nolint:gosec // when to kill is no secret
		s.kill()
		stop()
		working.Wait()
	}
	if err := s.start(ctx); err != nil {
		return err
	}
	defer s.kill()
	if err := c.settle(ctx, s.addr); err != nil {
		return err
	}
	r, err := c.check(ctx, s)
	if err != nil {
		return err
	}
	r.rounds, r.took, r.calls = rounds, time.Since(began), model.calls.Load()
	return r.print()
}

// subject is the server that is killed.
type subject struct {
	hermes, home, upstream, addr string
	cmd                          *exec.Cmd
}

// start starts the server and waits until it answers.
func (s *subject) start(ctx context.Context) error {
	addr, err := freeAddr(ctx)
	if err != nil {
		return err
	}
	s.addr = addr
	s.cmd = exec.CommandContext(ctx, s.hermes, "serve", "--addr", addr) //nolint:gosec // the program under test
	s.cmd.Env = []string{"HERMES_HOME=" + s.home, "HOME=" + s.home, "HERMES_PROBE=false", "HERMES_UPSTREAM_URL=" + s.upstream, "HERMES_MODEL=m", "TZ=UTC"}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	for range 1000 {
		if status, _, err := call(ctx, addr, "GET", "/readyz", "", nil); err == nil && status == 200 {
			return nil
		}
		pause(ctx, 10*time.Millisecond)
	}
	s.kill()
	return fmt.Errorf("the server did not answer")
}

// pause waits for a while, or the end.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// kill ends it as a power cut would.
func (s *subject) kill() {
	_ = s.cmd.Process.Kill() // it may be gone
	_ = s.cmd.Wait()         // how it ended is known
}
