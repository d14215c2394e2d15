package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// many measures turns over many small sessions, asked at random, against warm turns on the same server.
func (b *bench) many(ctx context.Context) error {
	g, turns := group{"many", 1500 / b.scale, 300}, 2000/b.scale
	home, err := b.filled(ctx, g)
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
	t, warm := newTalks(s), &series{}
	if err := t.warm(ctx, warm, 40, g.some(10)...); err != nil {
		return err
	}
	random := t.each(ctx, turns, g.random(1))
	if random.failed > 0 {
		return fmt.Errorf("%d of %d turns failed", random.failed, turns)
	}
	w, r := warm.spread(), random.spread()
	name := fmt.Sprintf("%s sessions of %d messages, asked at random: ", thousands(g.sessions), g.messages)
	b.bar(name+"CPU per turn", "<= 2 x warm", random.cpuEach() <= 2*warm.cpuEach(),
		"%s (%.1f x the %s of a warm turn)", ms(random.cpuEach()), times(random.cpuEach(), warm.cpuEach()), ms(warm.cpuEach()))
	b.add(name+"a turn", "", "%s, p95 %s (warm %s, %s)", ms(r.p50), ms(r.p95), ms(w.p50), ms(w.p95))
	b.bar(name+"memory", "<= 256 MiB", random.peak <= 256, "at most %.0f MiB", random.peak)
	return nil
}

// some are the first sessions of a group.
func (g group) some(n int) []string {
	var out []string
	for i := range min(n, g.sessions) {
		out = append(out, g.session(i))
	}
	return out
}

// random picks a session each time, the same ones in every run.
func (g group) random(seed uint64) func(int) string {
	r := rand.New(rand.NewPCG(seed, 18))
	return func(int) string { return g.session(r.IntN(g.sessions)) }
}

// imports measures the import of a long session into an empty server: its rate, and the memory it takes.
func (b *bench) imports(ctx context.Context) error {
	s, err := b.startServer(ctx, "")
	if err != nil {
		return err
	}
	defer s.Stop()
	if err := s.Quiet(ctx); err != nil {
		return err
	}
	idle, messages := s.Memory(), 100_000/b.scale
	begun := time.Now()
	if err := b.fill(ctx, s, "import", 0, messages); err != nil {
		return err
	}
	stored := time.Since(begun)
	if err := indexed(ctx, s); err != nil {
		return err
	}
	found := time.Since(begun)
	if err := s.Quiet(ctx); err != nil { // what the import leaves to background work counts, too
		return err
	}
	each := func(d time.Duration) float64 { return float64(messages) / d.Seconds() }
	name := fmt.Sprintf("import of %s messages: ", thousands(messages))
	b.add(name+"rate", ">= the rate before", "%.0f messages/s, %.0f with the text index, %.2f ms CPU each", each(stored), each(found),
		float64(s.CPU().Microseconds())/1000/float64(messages))
	b.bar(name+"memory above idle", "<= 128 MiB", s.Peak()-idle <= 128, "at most %.0f MiB over %.0f MiB", s.Peak()-idle, idle)
	return nil
}
