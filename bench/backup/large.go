package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/bench/served"
)

// large fills a home, and measures turns without and with a backup, the backup and the
// restoring.
func (o *options) large(ctx context.Context) error {
	home := filepath.Join(o.dir, "home")
	if err := o.fill(ctx, home); err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(home, "state.db"))
	if err != nil {
		return err
	}
	fmt.Printf("database: %d MiB\n", info.Size()>>20)
	server, err := served.Start(ctx, o.hermes, home, "", "HERMES_PROBE=false")
	if err != nil {
		return err
	}
	stopped := false
	defer func() {
		if !stopped {
			server.Stop()
		}
	}()
	quiet, err := turns(ctx, server.Base, func() error { <-time.After(20 * time.Second); return nil })
	if err != nil {
		return err
	}
	file := filepath.Join(o.dir, "b.tar")
	var took time.Duration
	busy, err := turns(ctx, server.Base, func() error {
		begun := time.Now()
		err := o.command(ctx, home, "backup", file)
		took = time.Since(begun)
		return err
	})
	if err != nil {
		return err
	}
	server.Stop()
	stopped = true
	begun := time.Now()
	if err := o.command(ctx, filepath.Join(o.dir, "other"), "restore", file); err != nil {
		return err
	}
	fmt.Printf("turns without a backup: p50 %v, p99 %v (%d)\nturns during a backup:  p50 %v, p99 %v (%d)\nbackup: %.1f s\nrestore: %.1f s\n",
		at(quiet, 50), at(quiet, 99), len(quiet), at(busy, 50), at(busy, 99), len(busy), took.Seconds(), time.Since(begun).Seconds())
	return nil
}

// words is the size of the vocabulary of the filling.
const words = 20_000

// fill imports conversations until the database has its size.
func (o *options) fill(ctx context.Context, home string) error {
	for part := 0; ; part++ {
		info, err := os.Stat(filepath.Join(home, "state.db"))
		if err == nil && info.Size() >= o.size<<20 {
			return nil
		}
		file := filepath.Join(o.dir, "fill.jsonl")
		if err := conversations(file, part); err != nil {
			return err
		}
		if err := o.command(ctx, home, "sessions", "import", file); err != nil {
			return err
		}
	}
}

// conversations writes 64 MB of conversations.
func conversations(file string, part int) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f)
	random := rand.New(rand.NewPCG(1, uint64(part))) //nolint:gosec // no secret
	for i := range 16 {
		fmt.Fprintf(out, `{"id":"fill-%d-%d","started_at":"2026-01-01T00:00:00Z","messages":[`, part, i)
		for n := range 40 {
			role := [2]string{"user", "assistant"}[n%2]
			if n > 0 {
				fmt.Fprint(out, ",")
			}
			fmt.Fprintf(out, `{"role":%q,"content":"`, role)
			for range 14_000 {
				fmt.Fprintf(out, "w%x ", random.IntN(words))
			}
			fmt.Fprint(out, `"}`)
		}
		fmt.Fprintln(out, "]}")
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// turns takes turns, four at a time, for as long as something else goes on, and returns how long
// each took, in order.
func turns(ctx context.Context, base string, meanwhile func() error) ([]time.Duration, error) {
	asking, stop := context.WithCancel(ctx)
	var mu sync.Mutex
	var took []time.Duration
	var failed error
	var working sync.WaitGroup
	for i := range 4 {
		working.Go(func() {
			for n := 0; asking.Err() == nil; n++ {
				body := fmt.Sprintf(`{"model":"hermes","user":"u%d","messages":[{"role":"user","content":"Turn %d: I like tea number %d."}]}`, i, n, n)
				begun := time.Now()
				_, err := post(ctx, base+"/v1/chat/completions", body)
				mu.Lock()
				took = append(took, time.Since(begun))
				if err != nil {
					failed = err
				}
				mu.Unlock()
				<-time.After(20 * time.Millisecond)
			}
		})
	}
	err := meanwhile()
	stop()
	working.Wait()
	slices.Sort(took)
	if err == nil {
		err = failed
	}
	return took, err
}

// at is a percentile.
func at(took []time.Duration, p int) time.Duration {
	if len(took) == 0 {
		return 0
	}
	return took[min(len(took)-1, len(took)*p/100)].Round(100 * time.Microsecond)
}
