package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// start measures the time to the first healthy answer and the idle memory.
func (b *bench) start(ctx context.Context) error {
	var took []time.Duration
	var idle float64
	for range 5 {
		s, err := b.startServer(ctx, "")
		if err != nil {
			return err
		}
		took = append(took, s.Took)
		idle = s.Memory()
		s.Stop()
	}
	b.add("start to first healthy answer", "< 100 ms", "%s", ms(spreadOf(took).p50))
	b.add("idle memory", "< 30 MB", "%.1f MiB", idle)
	return nil
}

// turn measures one stateful turn at a time, and the upstream alone.
func (b *bench) turn(ctx context.Context) error {
	s, err := b.startServer(ctx, "")
	if err != nil {
		return err
	}
	defer s.Stop()
	const perSession = 50
	turns := 4000 / b.scale
	var ours, direct []time.Duration
	w := newWriter(1)
	for i := range 100 { // warm up
		if _, err := chat(ctx, s.Base, "warm", w.message(i)); err != nil {
			return err
		}
	}
	before := s.CPU()
	for i := range turns {
		begun := time.Now()
		if _, err := chat(ctx, s.Base, fmt.Sprintf("turn:%d", i/perSession), w.message(i)); err != nil {
			return err
		}
		ours = append(ours, time.Since(begun))
	}
	used := s.CPU() - before
	for i := range turns {
		begun := time.Now()
		if _, err := chat(ctx, b.upstream.server.URL, "", w.message(i)); err != nil {
			return err
		}
		direct = append(direct, time.Since(begun))
	}
	b.add("CPU per turn, one at a time", "< 0.60 ms", "%.3f ms", float64(used.Microseconds())/1000/float64(turns))
	o, d := spreadOf(ours), spreadOf(direct)
	fsync, err := b.fsync()
	if err != nil {
		return err
	}
	b.add("one turn, p50 (the upstream alone)", "", "%s (%s)", ms(o.p50), ms(d.p50))
	b.add("added p50 (one fsync takes)", "< 1 ms + 2 fsyncs", "%s (%s)", ms(o.p50-d.p50), ms(fsync))
	return nil
}

// fsync measures what the disk takes for a durable 4 KiB append.
func (b *bench) fsync() (time.Duration, error) {
	f, err := os.Create(filepath.Join(b.dir, "fsync"))
	if err != nil {
		return 0, fmt.Errorf("measure fsync: %w", err)
	}
	defer func() { _ = f.Close() }()
	var took []time.Duration
	page := make([]byte, 4096)
	for range 200 {
		begun := time.Now()
		if _, err := f.Write(page); err != nil {
			return 0, fmt.Errorf("measure fsync: %w", err)
		}
		if err := f.Sync(); err != nil {
			return 0, fmt.Errorf("measure fsync: %w", err)
		}
		took = append(took, time.Since(begun))
	}
	return spreadOf(took).p50, nil
}

// load measures turns per second over 64 sessions at once.
func (b *bench) load(ctx context.Context) error {
	s, err := b.startServer(ctx, "")
	if err != nil {
		return err
	}
	defer s.Stop()
	before := s.CPU()
	rate, took, err := b.storm(ctx, s.Base, 64)
	if err != nil {
		return err
	}
	cpu := float64((s.CPU() - before).Microseconds()) / 1000 / float64(len(took))
	direct, _, err := b.storm(ctx, b.upstream.server.URL, 64)
	if err != nil {
		return err
	}
	b.add("turns/s, 64 at once (the upstream alone)", "> 1,500", "%.0f (%.0f)", rate, direct)
	b.add("CPU per turn, 64 at once", "", "%.3f ms", cpu)
	b.add("one turn of 64, p50 and p99", "", "%s, %s", ms(spreadOf(took).p50), ms(spreadOf(took).p99))
	b.add("memory after that", "", "%.1f MiB", s.Memory())
	return nil
}

// storm runs a fixed time of turns in parallel, each caller in a session of its
// own.
func (b *bench) storm(ctx context.Context, base string, callers int) (float64, []time.Duration, error) {
	var mu sync.Mutex
	var all []time.Duration
	var failed error
	var wg sync.WaitGroup
	begun := time.Now()
	end := begun.Add(10 * time.Second / time.Duration(b.scale))
	for c := range callers {
		wg.Go(func() {
			w := newWriter(uint64(c))
			var mine []time.Duration
			for i := 0; time.Now().Before(end); i++ {
				t := time.Now()
				if _, err := chat(ctx, base, fmt.Sprintf("load:%d", c), w.message(i)); err != nil {
					mu.Lock()
					failed = err
					mu.Unlock()
					return
				}
				mine = append(mine, time.Since(t))
			}
			mu.Lock()
			all = append(all, mine...)
			mu.Unlock()
		})
	}
	wg.Wait()
	return float64(len(all)) / time.Since(begun).Seconds(), all, failed
}

// token measures the time to the first token of a stream.
func (b *bench) token(ctx context.Context) error {
	s, err := b.startServer(ctx, "")
	if err != nil {
		return err
	}
	defer s.Stop()
	var ours, direct []time.Duration
	w := newWriter(7)
	for i := range 400 / b.scale {
		d, err := firstToken(ctx, s.Base, fmt.Sprintf("token:%d", i/20), w.message(i))
		if err != nil {
			return err
		}
		ours = append(ours, d)
		if d, err = firstToken(ctx, b.upstream.server.URL, "", w.message(i)); err != nil {
			return err
		}
		direct = append(direct, d)
	}
	b.add("first token, one stream (the upstream alone)", "< 1.5 ms over it", "%s (%s)", ms(spreadOf(ours).p50), ms(spreadOf(direct).p50))
	return nil
}

// open measures the first turn in a session of 10,000 messages after a restart.
func (b *bench) open(ctx context.Context) error {
	s, err := b.startServer(ctx, "")
	if err != nil {
		return err
	}
	messages := 10_000 / b.scale
	if err := b.fill(ctx, s, "long", 0, messages); err != nil {
		return err
	}
	if _, err := chat(ctx, s.Base, "long", "one more thing"); err != nil { // folds
		return err
	}
	s.Stop()
	again, err := b.startServer(ctx, s.Home)
	if err != nil {
		return err
	}
	defer again.Stop()
	if _, err := chat(ctx, again.Base, "warm", "hello"); err != nil {
		return err
	}
	begun := time.Now()
	if _, err := chat(ctx, again.Base, "long", "What did we say about the release?"); err != nil {
		return err
	}
	first := time.Since(begun)
	var later []time.Duration
	w := newWriter(3)
	for i := range 50 {
		begun = time.Now()
		if _, err := chat(ctx, again.Base, "long", w.message(i)); err != nil {
			return err
		}
		later = append(later, time.Since(begun))
	}
	b.add(fmt.Sprintf("first turn after a restart, %d messages", messages), "< 1 ms over a usual one", "%s (later ones %s)", ms(first),
		ms(spreadOf(later).p50))
	return nil
}
