package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hermes-memory/hermes/bench/served"
)

// What limit gives to a server, in MiB: the hard limit, and the limit that Go's runtime is told, a tenth below it.
const (
	limitHard = 512
	limitSoft = 460
)

// limit measures a server with a million messages: its start, and turns under a memory limit.
func (b *bench) limit(ctx context.Context) error {
	g := group{"limit", 4000 / b.scale, 250}
	home, err := b.filled(ctx, g)
	if err != nil {
		return err
	}
	if err := b.started(ctx, home, g); err != nil {
		return err
	}
	return b.limited(ctx, home, g, 2000/b.scale)
}

// started measures the start, and what the server reads before its first request.
func (b *bench) started(ctx context.Context, home string, g group) error {
	var took []time.Duration
	for range 5 {
		s, err := b.startServer(ctx, home)
		if err != nil {
			return err
		}
		took = append(took, s.Took)
		s.Stop()
	}
	full, err := b.readAtStart(ctx, home)
	if err != nil {
		return err
	}
	empty, err := b.readAtStart(ctx, "")
	if err != nil {
		return err
	}
	name := fmt.Sprintf("start with %s messages: ", thousands(g.sessions*g.messages))
	c := spreadOf(took)
	b.bar(name+"first healthy answer", "< 100 ms", c.p50 < 100*time.Millisecond, "%s, at most %s", ms(c.p50), ms(c.p99))
	b.bar(name+"read before the first request", "<= 1 MiB more than an empty server", full-empty <= 1,
		"%.1f MiB (an empty server %.1f MiB)", full, empty)
	return nil
}

// readAtStart is what a server on a home reads when it is left alone, in MiB.
func (b *bench) readAtStart(ctx context.Context, home string) (float64, error) {
	s, err := b.startServer(ctx, home)
	if err != nil {
		return 0, err
	}
	defer s.Stop()
	if err := s.Quiet(ctx); err != nil {
		return 0, err
	}
	return s.BytesRead()
}

// limited measures turns at random under the limit.
func (b *bench) limited(ctx context.Context, home string, g group, turns int) error {
	launcher, how, err := b.launcher(ctx)
	if err != nil {
		return err
	}
	s, err := served.Start(ctx, launcher, home, b.upstream.server.URL+"/v1", "HERMES_MODEL=scripted-model",
		fmt.Sprintf("GOMEMLIMIT=%dMiB", limitSoft))
	if err != nil {
		return err
	}
	defer s.Stop()
	t, warm := newTalks(s), &series{}
	if err := t.warm(ctx, warm, 40, g.some(5)...); err != nil {
		return err
	}
	random := t.each(ctx, turns, g.random(2))
	if random.failed > 0 {
		b.lastWords()
	}
	w, r := warm.spread(), random.spread()
	name := fmt.Sprintf("%s messages in %s scopes, %s: ", thousands(g.sessions*g.messages), thousands(g.sessions), how)
	b.bar(name+"failed turns", "0", random.failed == 0, "%d of %d", random.failed, turns)
	b.bar(name+"memory", "<= 400 MiB", random.peak <= 400, "at most %.0f MiB", random.peak)
	b.bar(name+"a turn at random, p95", "<= 5 x a warm turn", len(random.took) > 0 && times(r.p95, w.p50) <= 5,
		"%s (%.1f x a warm turn of %s), p50 %s", ms(r.p95), times(r.p95, w.p50), ms(w.p50), ms(r.p50))
	return nil
}

// launcher is a program that runs the server under the memory limit, and says by what means.
func (b *bench) launcher(ctx context.Context) (path, how string, err error) {
	var line string
	if b.cgroup != "" {
		line, how, err = b.inCgroup()
	} else {
		line, how, err = b.underUlimit(ctx)
	}
	if err != nil {
		return "", "", err
	}
	path = filepath.Join(b.dir, "limited")
	script := fmt.Sprintf("#!/bin/sh\n%s || exit 1\nexec '%s' \"$@\" 2>'%s'\n", line, b.binary, path+".log")
	return path, how, os.WriteFile(path, []byte(script), 0o700)
}

// lastWords prints the beginning of what a limited server said. The dump of its goroutines would hide the table.
func (b *bench) lastWords() {
	said, err := os.ReadFile(filepath.Join(b.dir, "limited.log"))
	if err == nil {
		fmt.Fprintf(os.Stderr, "%s\n", said[:min(len(said), 300)])
	}
}

// inCgroup makes a cgroup with the limit in the one that -cgroup names.
func (b *bench) inCgroup() (line, how string, err error) {
	dir, err := os.MkdirTemp(b.cgroup, "hermes-limit-")
	if err != nil {
		return "", "", fmt.Errorf("make a cgroup: %w", err)
	}
	b.rooms = append(b.rooms, dir)
	file := filepath.Join(dir, "memory.max")
	if _, err := os.Stat(file); err != nil {
		file = filepath.Join(dir, "memory.limit_in_bytes") // version 1
	}
	if err := os.WriteFile(file, fmt.Append(nil, limitHard<<20), 0o600); err != nil {
		return "", "", fmt.Errorf("limit a cgroup: %w", err)
	}
	return fmt.Sprintf("echo $$ > '%s/cgroup.procs'", dir), fmt.Sprintf("cgroup of %d MiB, GOMEMLIMIT %d MiB", limitHard, limitSoft), nil
}

// underUlimit limits the address space. Go reserves much of it without using it, so the limit has room for what an idle
// server has reserved beyond what is resident.
func (b *bench) underUlimit(ctx context.Context) (line, how string, err error) {
	s, err := b.startServer(ctx, "")
	if err != nil {
		return "", "", err
	}
	defer s.Stop()
	room := s.Reserved() - s.Memory()
	return fmt.Sprintf("ulimit -v %d", int(limitHard+room)<<10),
		fmt.Sprintf("ulimit -v of %d MiB over %.0f MiB reserved when idle, GOMEMLIMIT %d MiB", limitHard, room, limitSoft), nil
}
