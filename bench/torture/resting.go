package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/bench/served"
	"github.com/hermes-memory/hermes/internal/gateway"
)

// restingRig measures what the chat platforms cost while nothing is said, and what they add to
// a turn. A round is a hundred turns: the CPU of two hundred turns moves by 0.3 ms from run to run.
var restingRig = rig{
	name: "resting", fault: "chat platforms out of reach, idle, and with short turns", rounds: 6, run: rest,
	want: "ready < 100 ms with no platform in reach; idle ≤ +8 MiB, ≤ 40 goroutines more; event → commit p99 ≤ 10 ms beside the fsync; ≤ 1 ms of CPU more for a turn",
	off:  "each platform is asked who the bot is before the server starts", bareRounds: 1,
	bare: []change{{"internal/cli/gateway.go", "		bots = append(bots, b)", "		_ = checkPlatform(context.Background(), b)\n		bots = append(bots, b)"}},
}

const (
	latestReady   = 100 * time.Millisecond
	mostIdle      = 8.0 // MiB
	mostRoutines  = 40.0
	latestCommit  = 10 * time.Millisecond
	mostTurnCPU   = time.Millisecond
	restingStarts = 5
)

// rest is the whole rig.
func rest(ctx context.Context, b *bench, rounds int) (*tally, error) {
	t := &tally{}
	for _, step := range []func(context.Context, *bench, int, *tally) error{ready, idleCost, commitTime, turnCost} {
		if err := step(ctx, b, rounds, t); err != nil {
			return nil, err
		}
		if b.bare {
			break // the proof is about the start
		}
	}
	t.done = fmt.Sprintf("%d starts, %d turns", 3*restingStarts, 2*100*rounds)
	return t, nil
}

// figure adds a figure.
func (t *tally) add(format string, args ...any) {
	if t.figure != "" {
		t.figure += "; "
	}
	t.figure += fmt.Sprintf(format, args...)
}

// ready starts servers whose platforms refuse connections, or take them and never answer.
func ready(ctx context.Context, b *bench, _ int, t *tally) error {
	var lc net.ListenConfig
	silent, err := lc.Listen(ctx, "tcp", "127.0.0.1:0") // connections are taken by the kernel
	if err != nil {
		return err
	}
	defer func() { _ = silent.Close() }()
	took := map[string]time.Duration{}
	where := map[string]string{"without platforms": "", "refused": "http://127.0.0.1:1", "silent": "http://" + silent.Addr().String()}
	for name, address := range where {
		var all []time.Duration
		for range restingStarts {
			one, err := b.startAt(ctx, address)
			if errors.Is(err, errNotReady) {
				one = time.Minute
			} else if err != nil {
				return err
			}
			if all = append(all, one); one == time.Minute {
				break
			}
		}
		took[name] = percentile(all, 50)
		if took[name] >= latestReady {
			t.miss("ready after %s, platforms %s", ms(took[name]), name)
		}
	}
	t.add("ready after %s without platforms, %s with connections refused, %s with no answers", ms(took["without platforms"]), ms(took["refused"]), ms(took["silent"]))
	return nil
}

// startAt starts a server whose platforms are all at an address; none for "".
func (b *bench) startAt(ctx context.Context, address string) (time.Duration, error) {
	s, err := b.subject("http://127.0.0.1:1/v1")
	if err != nil {
		return 0, err
	}
	if address != "" {
		all := map[gateway.Platform]string{}
		for _, p := range []gateway.Platform{gateway.Telegram, gateway.Discord, gateway.Slack, gateway.WhatsApp} {
			all[p] = address
		}
		if err := s.onPlatforms(all, nil); err != nil {
			return 0, err
		}
	}
	if err := s.start(ctx); err != nil {
		return 0, err
	}
	s.kill()
	return s.took, nil
}

// idleCost compares servers with and without platforms while nothing happens.
func idleCost(ctx context.Context, b *bench, _ int, t *tally) error {
	var sizes, routines [2][]float64
	for range 3 {
		for kind := range 2 {
			size, n, err := b.idleServer(ctx, kind == 1)
			if err != nil {
				return err
			}
			sizes[kind], routines[kind] = append(sizes[kind], size), append(routines[kind], n)
		}
	}
	size, n := middle(sizes[1])-middle(sizes[0]), middle(routines[1])-middle(routines[0])
	t.add("idle %.1f MiB and %.0f goroutines, without platforms %.1f MiB and %.0f", middle(sizes[1]), middle(routines[1]), middle(sizes[0]), middle(routines[0]))
	if size > mostIdle || n > mostRoutines {
		t.miss("%.1f MiB and %.0f goroutines more while idle", size, n)
	}
	return nil
}

// idleServer is the size of a server, and its goroutines, after a while without work.
func (b *bench) idleServer(ctx context.Context, connected bool) (size, routines float64, err error) {
	s, err := b.subject("http://127.0.0.1:1/v1")
	if err != nil {
		return 0, 0, err
	}
	if connected {
		m, err := openMessengers(ctx, 1)
		if err != nil {
			return 0, 0, err
		}
		defer m.close()
		if err := m.meet(ctx, s); err != nil {
			return 0, 0, err
		}
	} else if err := s.start(ctx); err != nil {
		return 0, 0, err
	}
	defer s.kill()
	if err := served.Quiet(ctx, s.cmd.Process.Pid); err != nil {
		return 0, 0, err
	}
	idle.CloseIdleConnections()
	pause(ctx, time.Second)
	routines, err = s.metric(ctx, "go_goroutines")
	return s.memory(), routines, err
}

// middle is the median of some figures.
func middle(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// commitTime measures the requests of WhatsApp to the webhook, which end with the commit.
func commitTime(ctx context.Context, b *bench, rounds int, t *tally) error {
	m, s, stop, err := b.quick(ctx)
	if err != nil {
		return err
	}
	defer stop()
	var ids []string
	for n := range 100 * rounds {
		for _, talk := range m.talks {
			if talk.platform == gateway.WhatsApp && talk.name == fmt.Sprintf("wa%02d", n%10) {
				id := talk.next()
				ids = append(ids, id)
				talk.say(sayID(id))
			}
		}
		pause(ctx, 50*time.Millisecond)
	}
	if open := m.settle(ctx, ids, 5*time.Minute); len(open) > 0 {
		t.miss("%v have no answer", open)
	}
	fsync, err := syncs(s.home)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	took, sync := percentile(m.posted, 99), percentile(fsync, 99)
	t.add("event → commit p50 %.1f ms, p99 %.1f ms of %d (an fsync p50 %.1f ms, p99 %.1f ms)",
		float64(percentile(m.posted, 50).Microseconds())/1000, float64(took.Microseconds())/1000, len(m.posted),
		float64(percentile(fsync, 50).Microseconds())/1000, float64(sync.Microseconds())/1000)
	if took-sync > latestCommit {
		t.miss("an event is committed after %s, an fsync takes %s", ms(took), ms(sync))
	}
	return nil
}

// quick starts a server on all platforms, before a model that answers at once.
func (b *bench) quick(ctx context.Context) (*messengers, *subject, func(), error) {
	m, err := openMessengers(ctx, 10)
	if err != nil {
		return nil, nil, nil, err
	}
	model := newNarrator(func(string) style { return style{pieces: 2} })
	stop := func() { model.Close(); m.close() }
	s, err := b.subject(model.URL + "/v1")
	if err == nil {
		err = m.meet(ctx, s)
	}
	if err != nil {
		stop()
		return nil, nil, nil, err
	}
	return m, s, func() { s.kill(); stop() }, nil
}

// syncs are how long it takes to make a page of a file durable, again and again.
func syncs(dir string) ([]time.Duration, error) {
	f, err := os.Create(filepath.Join(dir, "sync"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var out []time.Duration
	for range 200 {
		began := time.Now()
		if _, err := f.Write(make([]byte, 8192)); err != nil {
			return nil, err
		}
		if err := f.Sync(); err != nil {
			return nil, err
		}
		out = append(out, time.Since(began))
	}
	return out, nil
}

// turnCost compares turns on WhatsApp, where no answer is edited, with runs without a client.
func turnCost(ctx context.Context, b *bench, rounds int, t *tally) error {
	m, s, stop, err := b.quick(ctx)
	if err != nil {
		return err
	}
	defer stop()
	turns := 100 * rounds
	still := s.cpu()
	pause(ctx, 10*time.Second)
	still = s.cpu() - still
	spent := func(work func() error) (time.Duration, error) {
		began, cpu := time.Now(), s.cpu()
		if err := work(); err != nil {
			return 0, err
		}
		pause(ctx, time.Second)
		quiet := time.Duration(float64(still) * time.Since(began).Seconds() / 10)
		return (s.cpu() - cpu - quiet) / time.Duration(turns), nil
	}
	run, err := spent(func() error { return runs(ctx, s, turns) })
	if err != nil {
		return err
	}
	chatted, err := spent(func() error { return chats(ctx, m, turns) })
	if err != nil {
		return err
	}
	t.add("CPU of a turn %.2f ms, of a run without a client %.2f ms", float64(chatted.Microseconds())/1000, float64(run.Microseconds())/1000)
	if chatted-run > mostTurnCPU {
		t.miss("a turn costs %s more than a run", chatted-run)
	}
	return nil
}

// runs takes turns as runs, ten at once, each in the session of the one ten before.
func runs(ctx context.Context, s *subject, turns int) error {
	for n := 0; n < turns; n += 10 {
		var open []string
		for i := range 10 {
			text := sayID(fmt.Sprintf("ru%02dn%05d", i, n))
			body, _ := json.Marshal(map[string]string{"input": text, "session_id": fmt.Sprintf("run/%d", i)}) // strings: cannot fail
			status, answer, err := call(ctx, s.addr, "POST", "/v1/runs", "", body)
			var out struct {
				RunID string `json:"run_id"`
			}
			if err != nil || status != 202 || json.Unmarshal(answer, &out) != nil {
				return fmt.Errorf("begin a run: status %d, %w", status, err)
			}
			open = append(open, out.RunID)
		}
		pause(ctx, 1500*time.Millisecond) // as long as messages are gathered
		for _, id := range open {
			var run struct{ Status string }
			if err := get(ctx, s.addr, "/v1/runs/"+id, &run); err != nil || run.Status != "completed" {
				return fmt.Errorf("run %s is %q: %w", id, run.Status, err)
			}
		}
	}
	return nil
}

// chats takes turns on WhatsApp, one in each of ten chats at once. The burst of a chat lasts for
// five messages, so that the chats rest between.
func chats(ctx context.Context, m *messengers, turns int) error {
	for n := 0; n < turns; n += 10 {
		var ids []string
		for _, t := range m.talks {
			if t.platform == gateway.WhatsApp {
				id := t.next()
				ids = append(ids, id)
				t.say(sayID(id))
			}
		}
		if open := m.settle(ctx, ids, time.Minute); len(open) > 0 {
			return fmt.Errorf("%v have no answer", open)
		}
	}
	return nil
}
