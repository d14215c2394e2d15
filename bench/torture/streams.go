package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// streamsRig holds very many streams open. A round is a thousand.
var streamsRig = rig{
	name: "streams", fault: "F13 10,000 idle streams of a run's events, held, then an event for all of them", rounds: 10, run: holdStreams,
	want: "≤ 400 MiB, 0 dropped, the event at all of them within 500 ms (p99)",
	off:  "64 KiB more for each stream", bareRounds: 10,
	bare: []change{{
		"internal/httpapi/run_events.go", "	idle := time.NewTimer(s.KeepAlive)",
		"	ballast := make([]byte, 64<<10)\n	for i := range ballast {\n		ballast[i] = 1\n	}\n	defer func() { ballast[0]++ }()\n	idle := time.NewTimer(s.KeepAlive)",
	}},
}

// held is how long they are held: longer than Go lets garbage lie.
const held = 150 * time.Second

// holder holds the streams.
type holder struct {
	addr, path     string
	began, dropped atomic.Int64
	all            chan struct{} // closed when every reader has the event; no reader leaves before
	mu             sync.Mutex
	told           time.Time // when the model said its word
	arrived        []time.Duration
}

// holdStreams is the whole rig.
func holdStreams(ctx context.Context, b *bench, rounds int) (*tally, error) {
	next := make(chan struct{})
	model := httptest.NewServer(paced(next))
	defer model.Close()
	s, err := b.serve(ctx, model.URL+"/v1")
	if err != nil {
		return nil, err
	}
	defer s.kill()
	count := rounds * 1000
	h := &holder{addr: s.addr, all: make(chan struct{})}
	if err := h.begin(ctx); err != nil {
		return nil, err
	}
	empty := s.memory()
	readers := h.open(ctx, count)
	opened := h.began.Load()
	next <- struct{}{} // an event before the wait, so that the streams are well under way
	pause(ctx, held)
	full, dropped := s.memory(), h.dropped.Load()
	h.tell(func() { next <- struct{}{} })
	h.gather(ctx, count)
	close(h.all)
	next <- struct{}{} // the end
	readers.Wait()
	alone, err := plainly(ctx, count/2) // both ends of a stream are files of this process then
	if err != nil {
		return nil, err
	}
	t := h.tally(count, full)
	t.done = fmt.Sprintf("%d streams held for %s", opened, held)
	t.figure = fmt.Sprintf("%.0f MiB (%.0f without streams), %d dropped, %s (half of these readers on a bare loop: %d ms)",
		full, empty, dropped, t.figure, alone.Milliseconds())
	if dropped > 0 || opened < int64(count) {
		t.miss("%d of %d opened, %d dropped", opened, count, dropped)
	}
	return t, nil
}

// paced is a model that says each of its words when it is time.
func paced(next <-chan struct{}) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost { // the list of models
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		sign := time.NewTicker(20 * time.Second) // of life, or it would be given up
		defer sign.Stop()
		for _, text := range []string{piece("Beginning, "), piece("the word."), ending} {
			for said := false; !said; {
				select {
				case <-next:
					said = true
				case <-sign.C:
					fmt.Fprint(w, ": wait\n\n")
					_ = http.NewResponseController(w).Flush() // the server may be dead
				case <-r.Context().Done():
					return
				}
			}
			fmt.Fprint(w, text)
			_ = http.NewResponseController(w).Flush() // see above
		}
	})
}

// plainly is the p99 of the same readers when a loop without a server behind it
// writes them the event: what their own work is in the figure.
func plainly(ctx context.Context, count int) (time.Duration, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	accepted := make(chan []net.Conn, 1)
	go func() {
		var conns []net.Conn
		defer func() { accepted <- conns }()
		for {
			conn, err := l.Accept()
			if err != nil {
				return // all have come
			}
			conns = append(conns, conn)
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\n\r\nid: 1\nevent: run.started\n\n")
		}
	}()
	h := &holder{addr: l.Addr().String(), path: "/", all: make(chan struct{})}
	readers := h.open(ctx, count)
	_ = l.Close()
	conns := <-accepted
	pause(ctx, time.Second)
	event := []byte("id: 2\nevent: message.delta\ndata: " + strings.Repeat(" ", 120) + "the word.\n\n")
	h.tell(func() {
		for _, conn := range conns {
			_, _ = conn.Write(event) // a reader that has gone is counted
		}
	})
	h.gather(ctx, count)
	close(h.all)
	readers.Wait()
	for _, conn := range conns {
		_ = conn.Close()
	}
	return p99(h.arrived), nil
}

// open opens many streams, and waits until all are.
func (h *holder) open(ctx context.Context, count int) *sync.WaitGroup {
	var readers sync.WaitGroup
	places := make(chan struct{}, 64)
	for range count {
		places <- struct{}{}
		readers.Go(func() { h.hold(ctx, func() { <-places }) })
	}
	for end := time.Now().Add(time.Minute); h.began.Load() < int64(count) && time.Now().Before(end); {
		pause(ctx, 100*time.Millisecond)
	}
	return &readers
}

// tell has the event said, and begins to count its arrivals.
func (h *holder) tell(say func()) {
	h.mu.Lock()
	h.told = time.Now()
	h.mu.Unlock()
	say()
}

// gather waits until every reader has the event, or a minute.
func (h *holder) gather(ctx context.Context, count int) {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); pause(ctx, 50*time.Millisecond) {
		h.mu.Lock()
		got := len(h.arrived)
		h.mu.Unlock()
		if got >= count {
			return
		}
	}
}

// begin has a run wait for its model.
func (h *holder) begin(ctx context.Context) error {
	status, body, err := call(ctx, h.addr, "POST", "/v1/runs", "", []byte(`{"input":"Say it when it is time.","session_id":"streams"}`))
	var out struct {
		RunID string `json:"run_id"`
	}
	if err != nil || status != 202 || json.Unmarshal(body, &out) != nil {
		return fmt.Errorf("begin a run: status %d, %w", status, err)
	}
	h.path = "/v1/runs/" + out.RunID + "/events"
	return nil
}

// tally is what became of the event that all were sent, and of the memory.
func (h *holder) tally(count int, full float64) *tally {
	t := &tally{}
	p99 := p99(h.arrived)
	t.figure = fmt.Sprintf("the event reached %d, p99 %d ms", len(h.arrived), p99.Milliseconds())
	if full > 400 {
		t.miss("%.0f MiB", full)
	}
	if len(h.arrived) < count {
		t.miss("%d of %d got the event", len(h.arrived), count)
	}
	if p99 > 500*time.Millisecond {
		t.miss("p99 %d ms", p99.Milliseconds())
	}
	return t
}

// hold opens one stream and reads it to its end.
func (h *holder) hold(ctx context.Context, opened func()) {
	opened = sync.OnceFunc(opened)
	defer opened()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", h.addr)
	if err != nil {
		h.dropped.Add(1)
		return
	}
	defer func() { _ = conn.Close() }()
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer hermes\r\n\r\n", h.path, h.addr); err != nil {
		h.dropped.Add(1)
		return
	}
	in := bufio.NewReaderSize(conn, 512)
	for {
		line, err := in.ReadString('\n')
		switch {
		case err != nil:
			h.dropped.Add(1)
			return
		case strings.Contains(line, "event: run.started"):
			h.began.Add(1)
			opened()
		case strings.Contains(line, "the word."):
			h.mu.Lock()
			h.arrived = append(h.arrived, time.Since(h.told))
			h.mu.Unlock()
			<-h.all
			return
		}
	}
}
