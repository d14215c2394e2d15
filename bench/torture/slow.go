package main

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// slowRig has readers stop in the middle of an answer. A round is one reader.
var slowRig = rig{
	name: "slow", fault: "F12 readers that stop reading in the middle of a long answer", rounds: 10, run: stallReaders,
	want: "all of them let go ≤ 10 s after, other turns' p99 ≤ 2 × without them",
	off:  "no bound for a write", bareRounds: 3,
	bare: []change{{"internal/httpapi/event_writer.go", "const writeTimeout = 8 * time.Second", "const writeTimeout = 10 * time.Hour"}},
}

// stallReaders is the whole rig.
func stallReaders(ctx context.Context, b *bench, rounds int) (*tally, error) {
	long := slices.Repeat([]string{strings.Repeat("on ", 4<<10)}, 600) // 7 MiB
	model, err := upstreamtest.Start(upstreamtest.Options{Quiet: true, Default: func(r *upstreamtest.Request) upstreamtest.Step {
		if text, _ := newest(r.Body); strings.HasPrefix(text, "Stall") {
			return upstreamtest.Step{Chunks: long}
		}
		return echo(0)(r)
	}})
	if err != nil {
		return nil, err
	}
	defer model.Close()
	s, err := b.serve(ctx, model.URL+"/v1")
	if err != nil {
		return nil, err
	}
	defer s.kill()
	usual := s.turns(ctx, "usual", 5*time.Second)
	for n := range rounds {
		conn, err := s.stall(ctx, n)
		if err != nil {
			return nil, err
		}
		defer func() { _ = conn.Close() }()
	}
	began, let := time.Now(), 0
	stalled := s.turns(ctx, "beside", 8*time.Second)
	for let < rounds && time.Since(began) < 30*time.Second {
		if let, err = s.letGo(ctx); err != nil {
			return nil, err
		}
		pause(ctx, 100*time.Millisecond)
	}
	took := time.Since(began)
	t := &tally{done: fmt.Sprintf("%d readers, %d turns before and %d during them", rounds, len(usual), len(stalled))}
	before, beside := p99(usual), p99(stalled)
	t.figure = fmt.Sprintf("%d let go after %.1f s; p99 of a turn %d ms before, %d ms during them", let, took.Seconds(), before.Milliseconds(), beside.Milliseconds())
	if let < rounds || took > 10*time.Second {
		t.miss("%d of %d let go after %.1f s", let, rounds, took.Seconds())
	}
	if beside > 2*before {
		t.miss("p99 %s during them, %s before", beside, before)
	}
	return t, nil
}

// p99 of durations; an hour of none.
func p99(all []time.Duration) time.Duration {
	if len(all) == 0 {
		return time.Hour
	}
	slices.Sort(all)
	return all[len(all)*99/100]
}

// turns takes one turn after the other for a while.
func (s *subject) turns(ctx context.Context, session string, d time.Duration) (took []time.Duration) {
	for began, n := time.Now(), 0; time.Since(began) < d; n++ {
		one := time.Now()
		if _, _, whole, err := chat(ctx, s.addr, session, fmt.Sprintf("Turn %d.", n), true, nil); err == nil && whole {
			took = append(took, time.Since(one))
		}
		pause(ctx, 10*time.Millisecond)
	}
	return took
}

// stall begins a long answer and reads nothing of it.
func (s *subject) stall(ctx context.Context, n int) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.addr)
	if err != nil {
		return nil, err
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetReadBuffer(4 << 10) // only makes it quicker
	}
	body := chatBody(fmt.Sprintf("Stall number %d.", n), true)
	_, err = fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer hermes\r\nX-Hermes-Session-Id: stall/%d\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		s.addr, n, len(body), body)
	return conn, err
}

// letGo counts the stalled turns that are over.
func (s *subject) letGo(ctx context.Context) (n int, err error) {
	db, err := openFile(s.file(), true)
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close() }()
	err = db.QueryRowContext(ctx, `SELECT count(*) FROM messages WHERE role = 'assistant' AND root_id LIKE 'stall/%' AND finish_reason = 'cancelled'`).Scan(&n)
	return n, err
}
