package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// overloadRig has four times as many clients as there are places for turns. A
// round is five seconds at capacity and fifteen over it; -over makes one long one.
var overloadRig = rig{
	name: "overload", fault: "F14 4 × capacity of clients, half of whom do not wait as long as they are told, with limits of 64 turns and 64 waiting, and with the defaults", rounds: 8, run: overload,
	want: "goodput ≥ 80 % of that at capacity, turns at once within the limit, wait of accepted ones ≤ 2 s (p99), ≤ 1 GiB, caches included, drained ≤ 10 s",
	off:  "no bound for turns at once", bareRounds: 1,
	bare: []change{{"internal/claim/line.go", "return l.Permits == 0 || ", "return l.Permits >= 0 || "}},
}

const (
	placesOfOne  = 48 // of 64 places, an owner alone gets three quarters
	atCapacity   = 5 * time.Second
	overCapacity = 15 * time.Second
	// mostMemory is what the server may take, in MiB: it keeps up to 256 MiB of what
	// sessions taught, which the garbage collector lets grow to three times as much.
	mostMemory = 1024
)

// crowd are clients that take turns, and the model that answers them.
type crowd struct {
	s           *subject
	answered    atomic.Int64 // turns
	refused     atomic.Int64
	atOnce, top atomic.Int64 // calls of the model
	counting    atomic.Bool  // the waits

	mu    sync.Mutex
	waits []time.Duration // from a client's request to the call of the model
	wrong []string
}

// overload is the whole rig.
func overload(ctx context.Context, b *bench, rounds int) (*tally, error) {
	limited, err := overloadOne(ctx, b, rounds, "64 places", []string{"HERMES_LIMITS_TURNS=64", "HERMES_LIMITS_QUEUE=64"}, placesOfOne)
	if err != nil || b.bare {
		return limited, err
	}
	usual, err := overloadOne(ctx, b, rounds, "defaults", nil, 4*placesOfOne)
	if err != nil {
		return nil, err
	}
	return &tally{
		done:   limited.done + "; " + usual.done,
		figure: limited.figure + "; " + usual.figure,
		misses: append(limited.misses, usual.misses...),
	}, nil
}

// load is what was measured of one server.
type load struct {
	peak, over float64 // turns a second
	memory     []float64
	drained    time.Duration
	// cpuPeak and cpuOver are what the server worked for each turn, refusals included.
	cpuPeak, cpuOver time.Duration
}

// overloadOne overloads one server.
func overloadOne(ctx context.Context, b *bench, rounds int, name string, env []string, most int64) (*tally, error) {
	c := &crowd{}
	model := httptest.NewServer(http.HandlerFunc(c.model))
	defer model.Close()
	var err error
	if c.s, err = b.serve(ctx, model.URL+"/v1", env...); err != nil {
		return nil, err
	}
	defer c.s.kill()
	at, beyond := atCapacity, overCapacity
	if b.over > 0 {
		rounds, at, beyond = 1, b.over/10, b.over
	}
	var l load
	for n := range rounds {
		before, cpu := c.answered.Load(), c.s.cpu()
		peak, _ := c.rush(ctx, placesOfOne, at, false)
		c.counting.Store(true)
		between, cpuBetween := c.answered.Load(), c.s.cpu()
		over, memory := c.rush(ctx, 4*placesOfOne, beyond, n == rounds-1)
		c.counting.Store(false)
		l.cpuPeak += (cpuBetween - cpu) / time.Duration(max(1, between-before)*int64(rounds))
		l.cpuOver += (c.s.cpu() - cpuBetween) / time.Duration(max(1, c.answered.Load()-between)*int64(rounds))
		l.peak, l.over, l.memory = l.peak+peak/float64(rounds), l.over+over/float64(rounds), append(l.memory, memory...)
		b.say("overload, %s: %.0f turns/s at capacity, %.0f over it", name, peak, over)
	}
	l.drained, err = c.drain(ctx)
	if err == nil && b.over > 0 { // the machine's other work changes in so long a time
		peak, _ := c.rush(ctx, placesOfOne, at, false)
		l.peak = (l.peak + peak) / 2
		b.say("overload, %s: %.0f turns/s at capacity afterwards", name, peak)
	}
	t := c.tally(&l, name, most)
	b.say("overload: %s", t.figure)
	return t, err
}

// drain is how long it takes until nothing is done and nothing waits.
func (c *crowd) drain(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	for busy := 1.0; busy > 0 && time.Since(began) < 20*time.Second; pause(ctx, 20*time.Millisecond) {
		in, err1 := c.s.metric(ctx, "hermes_turn_places_taken")
		waiting, err2 := c.s.metric(ctx, "hermes_turn_queue_length")
		if busy = in + waiting; err1 != nil || err2 != nil {
			return 0, fmt.Errorf("read metrics: %w, %w", err1, err2)
		}
	}
	return time.Since(began), nil
}

// tally holds what was measured against what is wanted.
func (c *crowd) tally(l *load, name string, most int64) *tally {
	t := &tally{done: fmt.Sprintf("%s: %d turns and %d refusals", name, c.answered.Load(), c.refused.Load())}
	top, wait := slices.Max(l.memory), p99(c.waits)
	t.figure = fmt.Sprintf("%s: %.0f turns/s at capacity, %.0f over it (%.0f %%; the server's CPU for each %.2f and %.2f ms), at most %d at once, p99 of the wait %d ms, %.0f MiB, drained after %.1f s",
		name, l.peak, l.over, 100*l.over/l.peak, l.cpuPeak.Seconds()*1000, l.cpuOver.Seconds()*1000,
		c.top.Load(), wait.Milliseconds(), top, l.drained.Seconds())
	if l.over < 0.8*l.peak {
		t.miss("%s: goodput %.0f %% of that at capacity", name, 100*l.over/l.peak)
	}
	if c.top.Load() > most {
		t.miss("%s: %d turns at once", name, c.top.Load())
	}
	if wait > 2*time.Second {
		t.miss("%s: p99 of the wait %s", name, wait)
	}
	if top > mostMemory {
		t.miss("%s: %.0f MiB", name, top)
	}
	if l.drained > 10*time.Second {
		t.miss("%s: drained after %s", name, l.drained)
	}
	for _, wrong := range c.wrong {
		t.miss("%s: %s", name, wrong)
	}
	return t
}

// rush has clients take turns for a while, and returns how many there were in a
// second, and the server's memory in the course of it. cut has them leave in the
// middle of what they are doing.
func (c *crowd) rush(ctx context.Context, clients int, d time.Duration, cut bool) (perSecond float64, memory []float64) {
	here, leave := context.WithCancel(ctx)
	defer leave()
	over := make(chan struct{})
	began, before := time.Now(), c.answered.Load()
	var working sync.WaitGroup
	for i := range clients {
		working.Go(func() { c.client(here, i, over) })
	}
	for time.Since(began) < d {
		pause(ctx, time.Second)
		memory = append(memory, c.s.memory())
	}
	perSecond = float64(c.answered.Load()-before) / time.Since(began).Seconds()
	close(over)
	if cut {
		leave()
	}
	working.Wait()
	return perSecond, memory
}

// client takes one turn after the other in a session of its own, and in another
// when that has grown: what a turn costs grows with what its model is shown, and
// who is at capacity takes more of them.
func (c *crowd) client(ctx context.Context, i int, over <-chan struct{}) {
	session := ""
	for n := 0; ; n++ {
		if n%100 == 0 {
			session = fmt.Sprintf("load/%d/%d", i, time.Now().UnixNano())
		}
		select {
		case <-over:
			return
		default:
		}
		text := fmt.Sprintf("Load %d", time.Now().UnixNano())
		//nolint:bodyclose // read closes it
		res, err := begin(ctx, c.s.addr, "POST", "/v1/chat/completions", map[string]string{"X-Hermes-Session-Id": session},
			chatBody(text, n%2 == 0))
		if err != nil {
			c.complain(ctx, "client %d: %v", i, err)
			return
		}
		whole, again := c.read(ctx, res, n%2 == 0)
		if whole {
			c.answered.Add(1)
		}
		if i%2 == 0 && again > 0 {
			again = 100 * time.Millisecond
		}
		select {
		case <-over:
		case <-time.After(again):
		}
	}
}

// read reads an answer, or how long to stay away.
func (c *crowd) read(ctx context.Context, res *http.Response, stream bool) (whole bool, again time.Duration) {
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		c.complain(ctx, "reading: %v", err)
		return false, 0
	}
	if res.StatusCode == http.StatusServiceUnavailable && bytes.Contains(body, []byte(`"overloaded"`)) {
		c.refused.Add(1)
		seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
		if err != nil {
			c.complain(ctx, "refused without Retry-After")
		}
		return false, time.Duration(max(1, seconds)) * time.Second
	}
	if _, whole = readAnswer(body, stream); !whole {
		c.complain(ctx, "status %d: %.200s", res.StatusCode, body)
	}
	return whole, 0
}

// complain notes an event that must not happen.
func (c *crowd) complain(ctx context.Context, format string, args ...any) {
	if ctx.Err() != nil {
		return // it has left
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
}

// model answers after a twentieth of a second, and counts.
func (c *crowd) model(w http.ResponseWriter, r *http.Request) {
	now := c.atOnce.Add(1)
	defer c.atOnce.Add(-1)
	for top := c.top.Load(); now > top && !c.top.CompareAndSwap(top, now); top = c.top.Load() {
	}
	var in struct {
		Stream   bool
		Messages []struct{ Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Messages) == 0 {
		http.Error(w, "cannot read this", http.StatusBadRequest)
		return
	}
	_, sent, _ := strings.Cut(in.Messages[len(in.Messages)-1].Content, " ")
	if at, err := strconv.ParseInt(sent, 10, 64); err == nil && c.counting.Load() {
		c.mu.Lock()
		c.waits = append(c.waits, time.Since(time.Unix(0, at)))
		c.mu.Unlock()
	}
	pause(r.Context(), 50*time.Millisecond)
	if in.Stream {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, piece("Fine."), ending)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Fine."},"finish_reason":"stop"}]}`)
}
