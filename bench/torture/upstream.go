package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// upstreamRig has a model server misbehave in every way it knows.
var upstreamRig = rig{
	name: "upstream", fault: "F10 an upstream that hangs, refuses, breaks off, sends rubbish, never ends", rounds: 100, run: misbehave,
	want: "answer or error within the deadline + 1 s, no false end, 0 turns stored twice, 0 goroutines left",
	off:  "no deadline for the first byte", bareRounds: 2,
	bare: []change{{"internal/upstream/client.go", "time.AfterFunc(first, ", "time.AfterFunc(1000*first, "}},
}

// behaviour is one way to misbehave.
type behaviour struct {
	name     string
	answer   func(w http.ResponseWriter, r *http.Request)
	deadline time.Duration // the product's own
	atOnce   int
	share    int  // of the rounds, one in so many
	whole    bool // the answer arrives in spite of it
	plain    bool // the client does not stream
}

const (
	firstByte = 120 * time.Second // what the product waits for an answer to begin
	between   = 60 * time.Second  // and for its next piece
)

// behaviours are all of them. The slow ones run concurrently with the others.
func behaviours() []behaviour {
	return []behaviour{
		{name: "hang", answer: hang, deadline: firstByte, atOnce: 100},
		{name: "silence", answer: first(hang), deadline: between, atOnce: 100},
		{name: "429", answer: status(http.StatusTooManyRequests)},
		{name: "500", answer: status(http.StatusInternalServerError)},
		{name: "half-closed", answer: first(func(http.ResponseWriter, *http.Request) {})},
		{name: "cut", answer: first(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })},
		{name: "garbage", answer: first(text("data: {]}\x00\xff\n\n"))},
		{name: "drip", answer: drip, whole: true},
		{name: "100 MB line", answer: first(endless("x", 100<<20)), atOnce: 4},
		{name: "endless", answer: first(endless(piece("more "), 1<<40)), atOnce: 2, share: 10},
		{name: "wrong type", answer: typed("text/html", "<html><body>Welcome!</body></html>")},
		{name: "empty", answer: typed("application/json", "")},
		{name: "truncated JSON", answer: typed("application/json", `{"id":"c","object":"chat.completion","choices":[{"index":0,"mess`), plain: true},
		{name: "closes", answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
		{name: "redirect", answer: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}},
	}
}

// misbehave is the whole rig.
func misbehave(ctx context.Context, b *bench, rounds int) (*tally, error) {
	all := make(map[string]behaviour)
	for _, k := range behaviours() {
		all[k.name] = k
	}
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		said, ok := newest(body)
		name, _, _ := strings.Cut(said, " number ")
		if k, known := all[name]; err == nil && ok && known {
			k.answer(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, piece("Fine."), ending)
	}))
	defer model.Close()
	s, err := b.serve(ctx, model.URL+"/v1", "HERMES_FALLBACK=off")
	if err != nil {
		return nil, err
	}
	defer s.kill()
	if _, _, whole, err := chat(ctx, s.addr, "warm", "hello", true, nil); err != nil || !whole {
		return nil, fmt.Errorf("a plain turn: %w", err)
	}
	before, err := s.quiet(ctx, model)
	if err != nil {
		return nil, err
	}
	m := &misbehaving{b: b, s: s, t: &tally{}, rounds: rounds}
	var slow sync.WaitGroup
	for _, k := range behaviours() {
		if k.deadline > 0 {
			slow.Go(func() { m.all(ctx, k) })
			continue
		}
		m.all(ctx, k)
	}
	slow.Wait()
	after, err := s.quietUntil(ctx, model, before)
	if err != nil {
		return nil, err
	}
	if after > before {
		m.t.miss("%.0f goroutines before, %.0f after", before, after)
	}
	s.stop()
	doubled, err := m.count(ctx)
	if err != nil {
		return nil, err
	}
	m.t.done = fmt.Sprintf("%d behaviours, %d turns", len(all), m.turns)
	m.t.figure = fmt.Sprintf("%d late, %d false ends, %d stored twice, goroutines %.0f before and %.0f after; the longest without a deadline in play took %.1f s (%s)",
		m.late, m.wrong, doubled, before, after, m.slowest.Seconds(), m.slow)
	return m.t, nil
}

// misbehaving is the rig at work.
type misbehaving struct {
	b      *bench
	s      *subject
	t      *tally
	rounds int

	mu                 sync.Mutex
	turns, late, wrong int
	slowest            time.Duration // of those that nothing keeps waiting
	slow               string        // which that was
}

// all has a model misbehave in one way, again and again.
func (m *misbehaving) all(ctx context.Context, k behaviour) {
	places := make(chan struct{}, max(10, k.atOnce))
	if k.atOnce > 0 {
		places = make(chan struct{}, k.atOnce)
	}
	var turns sync.WaitGroup
	for n := range max(1, m.rounds/max(1, k.share)) {
		places <- struct{}{}
		turns.Go(func() {
			defer func() { <-places }()
			m.one(ctx, k, n)
		})
	}
	turns.Wait()
	m.b.say("upstream: %s done", k.name)
}

// one takes one turn with a model that misbehaves.
func (m *misbehaving) one(ctx context.Context, k behaviour, n int) {
	stream := !k.plain && (n%2 == 0 || k.deadline > 0)
	began := time.Now()
	said := fmt.Sprintf("%s number %d", k.name, n)
	status, answer, whole, err := chat(ctx, m.s.addr, said, said, stream, nil)
	took := time.Since(began)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turns++
	limit := k.deadline
	if limit == 0 {
		limit = firstByte
		if took > m.slowest {
			m.slowest, m.slow = took, k.name
		}
	}
	if took > limit+time.Second || err != nil {
		m.late++
		m.t.miss("%s took %.1f s: %v", said, took.Seconds(), err)
	}
	if whole != k.whole {
		m.wrong++
		m.t.miss("%s: status %d, told as whole: %v, %q", said, status, whole, answer[:min(len(answer), 80)])
	}
}

// count looks for turns that are stored twice, or as whole though they were not.
func (m *misbehaving) count(ctx context.Context) (doubled int, err error) {
	all, err := checkFile(ctx, m.s.file(), m.t)
	if err != nil {
		return 0, err
	}
	asked, answered := make(map[string]int), make(map[string]int)
	for _, x := range all {
		switch {
		case x.role == "user":
			asked[x.root]++
		case x.role == "assistant":
			answered[x.root]++
			if x.finish == "stop" && x.root != "warm" && !strings.HasPrefix(x.root, "drip") {
				m.t.miss("%s is stored as whole", x.root)
			}
		}
	}
	for root, n := range asked {
		if n > 1 || answered[root] > 1 {
			doubled++
			m.t.miss("%s is stored %d times, with %d answers", root, n, answered[root])
		}
	}
	if len(asked) != m.turns+1 {
		m.t.miss("%d inputs are stored, %d were sent", len(asked), m.turns+1)
	}
	return doubled, nil
}

// quiet is the number of goroutines without requests.
func (s *subject) quiet(ctx context.Context, model *httptest.Server) (float64, error) {
	idle.CloseIdleConnections()
	model.CloseClientConnections()
	pause(ctx, 500*time.Millisecond)
	return s.metric(ctx, "go_goroutines")
}

// quietUntil waits until there are no more than before, for ten seconds.
func (s *subject) quietUntil(ctx context.Context, model *httptest.Server, before float64) (n float64, err error) {
	for range 20 {
		if n, err = s.quiet(ctx, model); err != nil || n <= before {
			return n, err
		}
	}
	return n, nil
}

const ending = "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"

// piece is one event of a stream; the text has no need of quoting.
func piece(text string) string {
	return `data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"` + text + `"},"finish_reason":null}]}` + "\n\n"
}

func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// first begins a stream properly, and then goes wrong.
func first(then http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, piece("It begins "), piece("well, "))
		_ = http.NewResponseController(w).Flush() // the client may have gone
		then(w, r)
	}
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, s) }
}

func typed(kind, s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		fmt.Fprint(w, s)
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "1")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		fmt.Fprint(w, `{"error":{"message":"Not now.","type":"server_error","code":"not_now"}}`)
	}
}

// endless sends a text over and over, up to a size, or until the client stops reading.
func endless(s string, size int64) http.HandlerFunc {
	block := []byte(strings.Repeat(s, (64<<10)/len(s)))
	return func(w http.ResponseWriter, r *http.Request) {
		if s == "x" {
			fmt.Fprint(w, "data: ")
		}
		for sent := int64(0); sent < size && r.Context().Err() == nil; sent += int64(len(block)) {
			if _, err := io.Copy(w, bytes.NewReader(block)); err != nil {
				return
			}
		}
	}
}

// drip answers one byte at a time.
func drip(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, c := range []byte(piece("Slowly.") + ending) {
		_, _ = w.Write([]byte{c}) // the client may have gone
		_ = http.NewResponseController(w).Flush()
		pause(r.Context(), 2*time.Millisecond)
	}
}
