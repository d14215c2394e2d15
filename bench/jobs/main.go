// Command jobs measures what a thousand jobs due in the same second do to a
// server: whether every slot fires once and never concurrently with another slot of its job, and
// how long the API takes meanwhile. It starts the built server and a scripted
// upstream itself; the upstream takes 200 ms for a job and none for a turn.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// jobsEach is how many jobs an owner has: as many as one may.
const jobsEach = 100

func main() {
	binary := flag.String("hermes", "", "the server to measure; empty builds it")
	jobs := flag.Int("jobs", 1000, "how many jobs are due in the same second")
	rounds := flag.Int("rounds", 2, "how many minutes they are due in")
	flag.Parse()
	if err := measure(context.Background(), *binary, *jobs, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "jobs:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, binary string, jobs, rounds int) error {
	dir, err := os.MkdirTemp("", "hermes-jobs-")
	if err != nil {
		return fmt.Errorf("make a place to work: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if binary == "" {
		binary = filepath.Join(dir, "hermes")
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", binary, "./cmd/hermes")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build: %w\n%s", err, out)
		}
	}
	up, err := startUpstream(rounds)
	if err != nil {
		return err
	}
	defer up.server.Close()
	s, err := startServer(ctx, binary, filepath.Join(dir, "home"), up.server.URL+"/v1")
	if err != nil {
		return err
	}
	defer s.Stop()
	quiet, err := s.probe(ctx, func() bool { return true }, 10*time.Second)
	if err != nil {
		return err
	}
	// Jobs made at the end of a minute would be due before the last one is made.
	if left := time.Until(time.Now().Truncate(time.Minute).Add(time.Minute)); left < 20*time.Second {
		<-time.After(left)
	}
	if err := s.makeJobs(ctx, jobs); err != nil {
		return err
	}
	due := time.Now().Truncate(time.Minute).Add(time.Minute)
	<-time.After(time.Until(due) - time.Second)
	cpu := s.CPU()
	busy, err := s.probe(ctx, func() bool { return up.fired() < jobs*rounds }, time.Duration(rounds)*time.Minute+30*time.Second)
	if err != nil {
		return err
	}
	cpu = s.CPU() - cpu
	ledger, err := s.ledger(ctx, rounds)
	if err != nil {
		return err
	}
	report(up, quiet, busy, ledger, jobs*rounds, cpu)
	if up.doubled() > 0 || up.overlaps() > 0 || ledger.completed != jobs*rounds {
		return errors.New("a promise was broken")
	}
	return nil
}

func report(up *upstream, quiet, busy []series, l ledger, slots int, cpu time.Duration) {
	fmt.Printf("%s, %s/%s, %d cores, %s\n\n", time.Now().UTC().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(),
		runtime.Version())
	fmt.Println("| measured | figure | aim |\n|---|---|---|")
	fmt.Printf("| slots due, completed in the ledger | %d, %d | all |\n", slots, l.completed)
	fmt.Printf("| slots fired more than once, concurrently with another of their job | %d, %d | 0 |\n", up.doubled(), up.overlaps())
	fmt.Printf("| the last of a round begins after | %.1f s | |\n", l.latest)
	fmt.Printf("| CPU for all of it, requests included | %.1f s | |\n", cpu.Seconds())
	for i := range busy {
		q, b := quiet[i].spread(), busy[i].spread()
		fmt.Printf("| %s: p50, p99, worst of %d | %s, %s, %s (without jobs %s, %s) | p99 < 50 ms |\n", busy[i].name, len(busy[i].took), ms(b.p50), ms(b.p99), ms(b.worst), ms(q.p50), ms(q.p99))
	}
}

// ms prints a duration in milliseconds.
func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }
