package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// chatStopRig stops answers of chats, one by a command, and all with the server.
var chatStopRig = rig{
	name: "chatstop", fault: "`/stop` while an answer is written; SIGTERM while 50 answers are written on four platforms, with a grace too short for them",
	rounds: 4, run: stopChats,
	want: "stopped < 1 s, the part kept; exit 0 within the grace, all 50 ended by the next server, each once",
	off:  "a turn that outlasts the grace is not put back", bareRounds: 1,
	bare: []change{{"internal/live/carrier.go", "	case errors.Is(cause, errLeaving):\n		return Queued\n", ""}},
}

const (
	stopStreams = 50
	// stopGrace is the grace of a server that is stopped; the answers take twice as long.
	stopGrace = 6 * time.Second
	stopLines = 60
)

// stopping is the rig at work.
type stopping struct {
	b     *bench
	s     *subject
	f     *fakes
	t     *tally
	names int

	mu                      sync.Mutex
	stops, kept             int
	slowest, exit, resumed  time.Duration
	streams, whole, doubled int
}

// stopChats is the whole rig.
func stopChats(ctx context.Context, b *bench, rounds int) (*tally, error) {
	model, err := upstreamtest.Start(upstreamtest.Options{Quiet: true, Default: liner(0, 2*stopGrace/stopLines)})
	if err != nil {
		return nil, err
	}
	defer model.Close()
	f := newFakes(ctx, company{people: stopStreams/4 + 1, owners: true})
	defer f.close()
	c := &stopping{b: b, f: f, t: &tally{}}
	if c.s, err = f.subject(b, model.URL+"/v1", ""); err != nil {
		return nil, err
	}
	c.s.args = []string{"--grace", stopGrace.String()}
	if err := f.start(ctx, c.s); err != nil {
		return nil, err
	}
	defer func() { c.s.kill() }()
	for n := range rounds {
		if !b.bare {
			if err := c.stopEach(ctx); err != nil {
				return nil, fmt.Errorf("round %d: %w", n+1, err)
			}
		}
		if err := c.stopServer(ctx); err != nil {
			return nil, fmt.Errorf("round %d: %w", n+1, err)
		}
		b.say("chatstop: %d rounds", n+1)
	}
	if code := c.s.stop(); code != 0 {
		c.t.miss("the last stop ended with %d: %s", code, c.s.log.String())
	}
	f.broken(c.t)
	if _, err := c.s.read(ctx, c.t); err != nil {
		return nil, err
	}
	c.t.done = fmt.Sprintf("%d `/stop`, %d stops of the server with %d answers", c.stops, rounds, c.streams)
	c.t.figure = fmt.Sprintf("stopped after at most %d ms, %d parts kept; exit after at most %.1f s of a grace of %s, %d of %d ended once by the next server (%.1f s), %d doubled",
		c.slowest.Milliseconds(), c.kept, c.exit.Seconds(), stopGrace, c.whole, c.streams, c.resumed.Seconds(), c.doubled)
	return c.t, nil
}

// begun is one answer that is being written.
type begun struct {
	f           *fake
	who         string
	name, event string
}

// begin has people write, and waits until all answers are being written.
func (c *stopping) begin(ctx context.Context, n int) ([]*begun, error) {
	list := make([]*begun, n)
	for i := range list {
		c.names++
		b := &begun{f: c.f.all[i%len(c.f.all)], who: person(i / len(c.f.all)), name: messageName(c.names)}
		b.event = b.f.say(b.who, asks(b.name, stopLines))
		list[i] = b
	}
	for _, b := range list {
		if err := until(ctx, "a stream on "+string(b.f.platform), func() (bool, error) {
			events, err := oneOf(ctx, c.s.file(), `SELECT r.events > 3 FROM runs r JOIN chat_events e ON e.owner_id = r.owner_id AND e.run_id = r.id
				WHERE e.platform = ? AND e.event_id = ? AND r.state = 'running'`, string(b.f.platform), b.event)
			return events == "1", err
		}); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// stopEach stops one answer on each platform by a command.
func (c *stopping) stopEach(ctx context.Context) error {
	list, err := c.begin(ctx, len(c.f.all))
	if err != nil {
		return err
	}
	return together(list, func(b *begun) error { return c.stopOne(ctx, b) })
}

// stopOne stops one answer: its turn is over, and its part is at the platform.
func (c *stopping) stopOne(ctx context.Context, b *begun) error {
	began := time.Now()
	b.f.say(b.who, "/stop")
	err := until(ctx, "the end of a turn", func() (bool, error) {
		state, err := oneOf(ctx, c.s.file(), `SELECT r.state FROM runs r JOIN chat_events e ON e.owner_id = r.owner_id AND e.run_id = r.id
			WHERE e.platform = ? AND e.event_id = ?`, string(b.f.platform), b.event)
		return state == "cancelled", err
	})
	took := time.Since(began)
	if err != nil {
		return err
	}
	err = until(ctx, "the part of a stopped answer on "+string(b.f.platform), func() (bool, error) {
		h := b.f.heard()[b.name]
		return h != nil && len(h.got()) > 0, nil
	})
	if err != nil {
		return err
	}
	part, err := oneOf(ctx, c.s.file(), `SELECT content FROM messages WHERE role = 'assistant' AND finish_reason = 'cancelled' AND content LIKE ?`, b.name+" %")
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stops++
	c.slowest = max(c.slowest, took)
	if took >= time.Second {
		c.t.miss("/stop on %s took %s", b.f.platform, took)
	}
	if !strings.HasPrefix(strings.Join(linesOf(b.name, stopLines), ""), part) || part == "" {
		c.t.miss("/stop on %s kept %q", b.f.platform, part)
		return nil
	}
	c.kept++
	return nil
}

// stopServer stops the server while answers are written, and lets the next one end them.
func (c *stopping) stopServer(ctx context.Context) error {
	list, err := c.begin(ctx, stopStreams)
	if err != nil {
		return err
	}
	began := time.Now()
	code := c.s.stop()
	took := time.Since(began)
	if c.exit = max(c.exit, took); code != 0 || took > stopGrace+time.Second {
		c.t.miss("the stop ended with %d after %s: %s", code, took, c.s.log.String())
	}
	if err := c.f.start(ctx, c.s); err != nil {
		return err
	}
	began = time.Now()
	c.streams += len(list)
	for _, b := range list {
		if err := until(ctx, "an answer", func() (bool, error) {
			return b.f.heard()[b.name].whole() || c.b.bare, nil
		}); err != nil {
			c.t.miss("%s: %v", b.name, err)
		}
	}
	c.resumed = max(c.resumed, time.Since(began))
	pause(ctx, 3*time.Second)
	for _, b := range list {
		h := b.f.heard()[b.name]
		stored, err := oneOf(ctx, c.s.file(), `SELECT count(*) FROM messages WHERE role = 'assistant' AND content = ?`, strings.Join(linesOf(b.name, stopLines), ""))
		if err != nil {
			return err
		}
		all, err := oneOf(ctx, c.s.file(), `SELECT count(*) FROM messages WHERE role = 'assistant' AND undone_at IS NULL AND content LIKE ?`, b.name+" %")
		if err != nil {
			return err
		}
		switch {
		case !h.whole() || stored == "0":
			c.t.miss("%s on %s: %s at the platform, stored %s times", b.name, b.f.platform, h.String(), stored)
		case h.repeats() > 0 || all != "1":
			c.doubled++
			c.t.miss("%s on %s: %d repeats, %s answers stored", b.name, b.f.platform, h.repeats(), all)
		default:
			c.whole++
		}
	}
	return nil
}
