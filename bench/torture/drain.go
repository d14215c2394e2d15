package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// drainRig stops a server in the middle of its work.
var drainRig = rig{
	name: "drain", fault: "F21 SIGTERM with 200 streams open; every second time with a grace too short for them", rounds: 10, run: drain,
	want: "readiness false and new work refused ≤ 100 ms, streams whole within the grace or cut at it and marked, exit 0, 0 lost",
	off:  "no grace", bareRounds: 2,
	bare: []change{{"internal/cli/serve.go", "	if err := srv.Shutdown(grace); err != nil {",
		"	_ = grace\n	if err := srv.Close(); err != nil {"}},
}

const (
	drainStreams = 200
	drainText    = cutText + "enough, and more than that. "
)

// drained counts what became of the streams of all rounds.
type drained struct {
	t                             *tally
	whole, marked, lost, accepted int
	unready, end, over            time.Duration // the longest
}

// drain is the whole rig.
func drain(ctx context.Context, b *bench, rounds int) (*tally, error) {
	model, err := upstreamtest.Start(upstreamtest.Options{Quiet: true, Default: echo(150 * time.Millisecond)})
	if err != nil {
		return nil, err
	}
	defer model.Close()
	d := &drained{t: &tally{}}
	for n := range rounds {
		grace := 25 * time.Second
		if n%2 == 1 {
			grace = time.Second
		}
		if err := d.round(ctx, b, model.URL+"/v1", grace); err != nil {
			return nil, fmt.Errorf("round %d: %w", n+1, err)
		}
	}
	d.t.done = fmt.Sprintf("%d stops, %d streams", rounds, rounds*drainStreams)
	d.t.figure = fmt.Sprintf("not ready after at most %d ms, %d turns taken on later; %d streams whole (the last after %.1f s), %d cut at the grace and marked (at most %.1f s beyond it), %d lost",
		d.unready.Milliseconds(), d.accepted, d.whole, d.end.Seconds(), d.marked, d.over.Seconds(), d.lost)
	if d.unready > 100*time.Millisecond {
		d.t.miss("ready for %s", d.unready)
	}
	if d.accepted+d.lost > 0 {
		d.t.miss("%d turns taken on while stopping, %d lost", d.accepted, d.lost)
	}
	return d.t, nil
}

// round opens streams, stops the server, and sees what the clients and the file have.
func (d *drained) round(ctx context.Context, b *bench, upstream string, grace time.Duration) error {
	s, err := b.subject(upstream)
	if err != nil {
		return err
	}
	s.args = []string{"--grace", grace.String()}
	if err := s.start(ctx); err != nil {
		return err
	}
	defer func() { s.kill() }()
	defer idle.CloseIdleConnections()
	seen, whole := make([]string, drainStreams), make([]bool, drainStreams)
	var begun, open sync.WaitGroup
	for i := range drainStreams {
		begun.Add(1)
		open.Go(func() {
			res, err := begin(ctx, s.addr, "POST", "/v1/chat/completions", map[string]string{"X-Hermes-Session-Id": fmt.Sprintf("drain/%d", i)},
				chatBody(fmt.Sprintf("%s%d", drainText, i), true))
			begun.Done()
			if err != nil {
				return
			}
			defer func() { _ = res.Body.Close() }()
			body, _ := io.ReadAll(res.Body) // a cut shows in what came
			seen[i], whole[i] = readAnswer(body, true)
		})
	}
	begun.Wait()
	signalled := time.Now()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	d.watch(ctx, s, signalled)
	code := s.wait(grace + 20*time.Second)
	took := time.Since(signalled)
	open.Wait()
	if code != 0 {
		d.t.miss("exit %d: %.200s", code, s.log.String())
	}
	if d.over = max(d.over, took-grace); took < grace {
		d.end = max(d.end, took)
	}
	before := d.whole
	if err := d.compare(ctx, s, seen, whole); err != nil {
		return err
	}
	if cut := drainStreams - (d.whole - before); cut > 0 && grace > 10*time.Second {
		d.t.miss("%d streams were cut within the grace", cut)
	}
	return nil
}

// watch asks a stopping server whether it is ready, and for new turns, each time
// over a new connection.
func (d *drained) watch(ctx context.Context, s *subject, since time.Time) {
	for time.Since(since) < 3*time.Second {
		status, _, err := call(ctx, s.addr, "GET", "/readyz", "", nil)
		if err != nil || status != http.StatusOK {
			break
		}
	}
	d.unready = max(d.unready, time.Since(since))
	for range 5 {
		if status, _, err := call(ctx, s.addr, "POST", "/v1/chat/completions", "", chatBody("Too late.", false)); err == nil &&
			status == http.StatusOK {
			d.accepted++
		}
	}
}

// compare holds the file against what the clients saw.
func (d *drained) compare(ctx context.Context, s *subject, seen []string, whole []bool) error {
	if err := s.settle(ctx, d.t); err != nil {
		return err
	}
	rows, err := checkFile(ctx, s.file(), d.t)
	if err != nil {
		return err
	}
	asked, answers := make(map[string]bool), make(map[string]stored)
	for _, m := range rows {
		if m.role == "user" {
			asked[m.root] = true
		} else {
			answers[m.root] = m
		}
	}
	for i := range seen {
		root := fmt.Sprintf("drain/%d", i)
		full, got := answerTo(fmt.Sprintf("%s%d", drainText, i)), answers[root]
		kept := got.partly(seen[i], full)
		if whole[i] {
			kept = seen[i] == full && got.whole(full)
		}
		switch {
		case asked[root] && kept && whole[i]:
			d.whole++
		case asked[root] && kept:
			d.marked++
		default:
			d.lost++
			d.t.miss("%s: the client saw %.40q (whole: %v), stored is %.40q, %s", root, seen[i], whole[i], got.text, got.finish)
		}
	}
	return nil
}

// whole reports whether an answer is stored as one that came to its end.
func (s stored) whole(full string) bool { return s.text == full && s.finish == "stop" }

// partly reports whether what is stored has all that was seen of an answer, and
// is marked as broken off, empty or whole.
func (s stored) partly(seen, full string) bool {
	return strings.HasPrefix(s.text, seen) && (s.finish == "cancelled" || s.text == "" || s.text == full)
}
