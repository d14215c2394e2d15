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

// turnBlocks is into how many blocks the turns are cut. Hermes, the durable relay and the upstream alone take a block each
// in turn, so that whatever else the machine does meets all three alike.
const turnBlocks = 20

// lane is one of several servers that are measured in alternation.
type lane struct {
	base    string
	session string // "" sends none
	cpu     func() time.Duration
	used    time.Duration
	took    []time.Duration
}

// block takes a block of turns, each session of which has fifty.
func (l *lane) block(ctx context.Context, w *writer, from, turns int) error {
	const perSession = 50
	before := l.cpu()
	for i := from; i < from+turns; i++ {
		session := l.session
		if session != "" {
			session = fmt.Sprintf("%s:%d", session, i/perSession)
		}
		begun := time.Now()
		if _, err := chat(ctx, l.base, session, w.message(i)); err != nil {
			return err
		}
		l.took = append(l.took, time.Since(begun))
	}
	l.used += l.cpu() - before
	return nil
}

// turn measures one stateful turn at a time, against the durable relay and the upstream alone.
func (b *bench) turn(ctx context.Context) error {
	s, err := b.startServer(ctx, "")
	if err != nil {
		return err
	}
	defer s.Stop()
	relay, err := b.startRelay(ctx, true)
	if err != nil {
		return err
	}
	defer relay.Stop()
	none := func() time.Duration { return 0 }
	lanes := []*lane{
		{base: s.Base, session: "turn", cpu: s.CPU}, {base: relay.Base, session: "turn", cpu: relay.CPU},
		{base: b.upstream.server.URL, cpu: none},
	}
	w := newWriter(1)
	for _, l := range lanes[:2] { // warm up
		warm := *l
		warm.session = "warm"
		if err := warm.block(ctx, w, 0, 100); err != nil {
			return err
		}
	}
	each := 4000 / b.scale / turnBlocks
	for n := range turnBlocks {
		for _, l := range lanes {
			if err := l.block(ctx, w, n*each, each); err != nil {
				return err
			}
		}
	}
	return b.turned(lanes[0], lanes[1], lanes[2])
}

// turned adds the rows of turn.
func (b *bench) turned(ours, relay, direct *lane) error {
	fsync, err := b.fsync()
	if err != nil {
		return err
	}
	turns := time.Duration(len(ours.took))
	cpu, relayed := ours.used/turns, relay.used/turns
	o, r, d := spreadOf(ours.took), spreadOf(relay.took), spreadOf(direct.took)
	b.add("CPU per turn, one at a time", "< 0.60 ms", "%s", ms(cpu))
	b.bar("CPU per turn as a multiple of the durable relay's", "<= 2.0 x", times(cpu, relayed) <= 2,
		"%.2f x (%s)", times(cpu, relayed), ms(relayed))
	b.add("one turn, p50 (the durable relay, the upstream alone)", "", "%s (%s, %s)", ms(o.p50), ms(r.p50), ms(d.p50))
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

// load measures turns per second over 64 sessions at once, against the durable relay in alternation.
func (b *bench) load(ctx context.Context) error {
	s, err := b.startServer(ctx, "")
	if err != nil {
		return err
	}
	defer s.Stop()
	relay, err := b.startRelay(ctx, true)
	if err != nil {
		return err
	}
	defer relay.Stop()
	const rounds = 2
	var ours, theirs float64
	var took []time.Duration
	var used time.Duration
	for range rounds {
		before := s.CPU()
		rate, all, err := b.storm(ctx, s.Base, 64)
		if err != nil {
			return err
		}
		used, took, ours = used+s.CPU()-before, append(took, all...), ours+rate/rounds
		if rate, _, err = b.storm(ctx, relay.Base, 64); err != nil {
			return err
		}
		theirs += rate / rounds
	}
	direct, _, err := b.storm(ctx, b.upstream.server.URL, 64)
	if err != nil {
		return err
	}
	b.add("turns/s, 64 at once (the upstream alone)", "> 1,500", "%.0f (%.0f)", ours, direct)
	b.bar("turns/s at 64 as a share of the durable relay's", ">= 0.6 x", ours/theirs >= 0.6, "%.2f x (%.0f)", ours/theirs, theirs)
	b.add("CPU per turn, 64 at once", "", "%.3f ms", float64(used.Microseconds())/1000/float64(len(took)))
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
