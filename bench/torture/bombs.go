package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// bombsRig sends what is small to make and large to read.
var bombsRig = rig{
	name: "bombs", fault: "T9, T10 fifty at once of bodies that are deep, wide, long, doubled, packed or without length, and of queries", rounds: 3, run: throwBombs,
	want: "400 or 413 (a queue that is full: 503); ≤ 128 MiB more memory; every search ≤ 300 ms or refused",
	off:  "no bound on the bodies that are read at once", bareRounds: 1,
	bare: []change{{"internal/httpapi/bodies.go", "size: min(", "size: 0 * min("}},
}

// bomb is a body, and where it is sent to.
type bomb struct {
	name    string
	paths   []string
	body    func() io.Reader
	length  bool // it is announced
	header  map[string]string
	allowed []int // statuses, in addition to 503
}

// stopAt ends a server that takes too much, in MiB: the machine is also others'.
const stopAt = 1500

// bombSize is a little less than the largest body there may be.
const bombSize = 9_900_000

func bombs() []bomb {
	turns := []string{"/v1/chat/completions", "/v1/messages", "/v1/responses", "/v1/runs"}
	all := append([]string{"/api/sessions", "/api/sessions/s/messages", "/api/memory", "/api/memory/forget", "/api/jobs", "/api/keys", "/mcp"},
		turns...)
	again := func(head, part, end string) func() io.Reader {
		text := head + strings.Repeat(part, (bombSize-len(head)-len(end))/len(part)) + end
		return func() io.Reader { return strings.NewReader(text) }
	}
	message := `{"model":"m","max_tokens":9,"input":"x","messages":[{"role":"user","content":"x"}]`
	return []bomb{
		{name: "deep", paths: all, body: again(`{"messages":`, "[", ""), length: true, allowed: []int{400, 413}},
		{name: "wide", paths: all, body: again(`{"model":"m","messages":[{}`, ",{}", "]}"), length: true, allowed: []int{400, 413}},
		{name: "wide input", paths: []string{"/v1/responses"}, body: again(`{"model":"m","input":[{}`, ",{}", "]}"), length: true, allowed: []int{400}},
		{name: "many names", paths: all, body: names, length: true, allowed: []int{200, 201, 202, 400, 413}},
		{name: "a name twice", paths: turns, body: func() io.Reader { return strings.NewReader(message + `,"model":"n"}`) }, length: true, allowed: []int{400}},
		{name: "1e400", paths: turns, body: func() io.Reader { return strings.NewReader(message + `,"temperature":1e400}`) }, length: true, allowed: []int{200, 202, 400}},
		{name: "a long number", paths: turns, body: again(message+`,"temperature":1`, "0", "}"), length: true, allowed: []int{200, 202, 400}},
		{name: "no UTF-8", paths: turns, body: func() io.Reader { return strings.NewReader(strings.Replace(message, "x", "\xff\xfe", -1) + "}") }, length: true, allowed: []int{400}},
		{name: "a long text", paths: all, body: again(`{"model":"m","max_tokens":9,"input":"x","messages":[{"role":"user","content":"`, "a ", `"}]}`), length: true, allowed: []int{200, 201, 202, 400, 413}},
		{name: "a long input", paths: []string{"/v1/responses", "/v1/runs"}, body: again(`{"model":"m","input":"`, "a ", `"}`), length: true, allowed: []int{200, 202, 400}},
		{name: "an import", paths: []string{"/api/sessions/import"}, body: again(`{"id":"i","started_at":0,"messages":[{"role":"user","content":"`, "a ", `"}]}`), length: true, allowed: []int{200}},
		{name: "escapes", paths: turns, body: again(`{"model":"m","max_tokens":9,"input":"x","messages":[{"role":"user","content":"`, `\u0041`, `"}]}`), length: true, allowed: []int{200, 202, 400}},
		{name: "packed", paths: all, body: packed, length: true, header: map[string]string{"Content-Encoding": "gzip"}, allowed: []int{400, 413, 415}},
		{name: "without length", paths: all, body: func() io.Reader { return io.LimitReader(spaces{}, 64<<20) }, allowed: []int{400, 413}},
		{name: "a lying length", paths: turns, body: again("", " ", ""), allowed: []int{400, 413}},
	}
}

// names are a million members.
func names() io.Reader {
	var b bytes.Buffer
	b.WriteString(`{"model":"m"`)
	for i := 0; b.Len() < bombSize; i++ {
		b.WriteString(`,"` + strconv.Itoa(i) + `":0`)
	}
	b.WriteString("}")
	return &b
}

// packed is a gigabyte of spaces as gzip has it.
func packed() io.Reader {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.Copy(w, io.LimitReader(spaces{}, 1<<30)) // into memory
	_ = w.Close()
	return &b
}

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// throwBombs is the whole rig.
func throwBombs(ctx context.Context, b *bench, rounds int) (*tally, error) {
	m := newModel()
	defer m.Close()
	s, err := b.serve(ctx, m.URL+"/v1")
	if err != nil {
		return nil, err
	}
	defer s.kill()
	t := &thrown{s: s, t: &tally{}, statuses: make(map[int]int)}
	if err := t.fill(ctx); err != nil {
		return nil, err
	}
	for i := range 50 { // as it is when it works
		_, _, _, _ = chat(ctx, s.addr, fmt.Sprintf("warm %d", i), "hello", true, nil)
	}
	t.base = s.memory()
	all := bombs()
	for range rounds {
		for _, x := range all {
			t.now = 0
			t.all(ctx, x)
			b.say("bombs: %s: %.0f MiB more", x.name, t.now)
			if t.peak > stopAt {
				t.t.miss("%.0f MiB more at %s: the server was ended", t.peak, t.worst)
				t.t.figure = fmt.Sprintf("more than %.0f MiB more at once, by %s", t.peak, t.worst)
				return t.t, nil
			}
		}
		t.search(ctx)
	}
	t.t.done = fmt.Sprintf("%d bombs of %d kinds, %d queries, %d rounds", t.sent, len(all), t.queries, rounds)
	t.t.figure = fmt.Sprintf("%.0f MiB more than the %.0f before; statuses %v; slowest search %d ms", t.peak, t.base, t.statuses, t.slowest.Milliseconds())
	if t.peak > 128 {
		t.t.miss("%.0f MiB more, at %s", t.peak, t.worst)
	}
	if status, _, _, err := chat(ctx, s.addr, "after", "hello", true, nil); err != nil || status != http.StatusOK {
		t.t.miss("a turn behind it all: %d, %v", status, err)
	}
	return t.t, nil
}

// thrown is the rig at work.
type thrown struct {
	s *subject
	t *tally

	mu            sync.Mutex
	sent, queries int
	statuses      map[int]int
	base, peak    float64 // MiB
	now           float64 // the peak of this kind
	worst         string
	slowest       time.Duration
}

// fill gives the searches something to look through.
func (t *thrown) fill(ctx context.Context) error {
	var body strings.Builder
	body.WriteString(`{"messages":[`)
	for i := range 5000 {
		if i > 0 {
			body.WriteByte(',')
		}
		fmt.Fprintf(&body, `{"role":"user","content":"Message %d of words w%x w%x, because of reason %d."}`, i, rand.Uint32()%5000, rand.Uint32()%5000, i)
	}
	body.WriteString("]}")
	status, answer, err := send(ctx, t.s.addr, "POST", "/api/sessions/talk/messages", nil, []byte(body.String()))
	if status == http.StatusNotFound { // it is made first
		if _, _, err = send(ctx, t.s.addr, "POST", "/api/sessions", nil, []byte(`{"id":"talk"}`)); err != nil {
			return err
		}
		status, answer, err = send(ctx, t.s.addr, "POST", "/api/sessions/talk/messages", nil, []byte(body.String()))
	}
	if err != nil || status != http.StatusOK {
		return fmt.Errorf("fill: status %d %.200s, %w", status, answer, err)
	}
	return nil
}

// all throws fifty at once of one kind, and looks at the memory meanwhile.
func (t *thrown) all(ctx context.Context, x bomb) {
	text, err := io.ReadAll(x.body())
	if err != nil {
		t.t.miss("%s: %v", x.name, err)
		return
	}
	watch, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		for watch.Err() == nil {
			now := t.s.memory() - t.base
			t.mu.Lock()
			t.now = max(t.now, now)
			if now > t.peak {
				t.peak, t.worst = now, x.name
			}
			t.mu.Unlock()
			if now > stopAt {
				t.s.kill()
				return
			}
			pause(watch, 5*time.Millisecond)
		}
	}()
	var thrown sync.WaitGroup
	for i := range 50 {
		thrown.Go(func() { t.one(ctx, x, x.paths[i%len(x.paths)], text) })
	}
	thrown.Wait()
}

// one throws one bomb.
func (t *thrown) one(ctx context.Context, x bomb, path string, text []byte) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+t.s.addr+path, bytes.NewReader(text))
	if err != nil {
		return
	}
	if !x.length {
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(text)), -1
	}
	req.Header.Set("Authorization", "Bearer hermes")
	for name, value := range x.header {
		req.Header.Set(name, value)
	}
	res, err := idle.Do(req)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sent++
	if err != nil {
		if ctx.Err() != nil {
			t.t.miss("%s to %s: no answer in a minute", x.name, path)
		}
		return // it was told to go away while it still sent
	}
	defer func() { _ = res.Body.Close() }()
	t.statuses[res.StatusCode]++
	for _, status := range append(x.allowed, http.StatusServiceUnavailable) {
		if res.StatusCode == status {
			return
		}
	}
	said, _ := io.ReadAll(io.LimitReader(res.Body, 200)) // for the report
	t.t.miss("%s to %s: got %d %s", x.name, path, res.StatusCode, said)
}

// search asks what is dear to answer.
func (t *thrown) search(ctx context.Context) {
	for _, q := range []string{
		strings.Repeat("a OR ", 3000) + "b", prefixes(61, 1), prefixes(8, 1), prefixes(8, 3), strings.Repeat("(", 500) + "a" + strings.Repeat(")", 500),
		strings.Repeat("NOT ", 1000) + "a", `"` + strings.Repeat("word ", 500) + `"`, "message words reason", "w*", "C++ a-b user@example.com \" ns:tenant*", strings.Repeat("x", 4000),
		"message OR words OR reason OR because OR of",
	} {
		began := time.Now()
		status, answer, err := send(ctx, t.s.addr, "GET", "/api/search?q="+url.QueryEscape(q), nil, nil)
		took := time.Since(began)
		t.queries++
		if status == http.StatusOK {
			t.slowest = max(t.slowest, took)
		}
		if err != nil || status >= 500 && status != http.StatusServiceUnavailable && status != http.StatusGatewayTimeout ||
			status == http.StatusOK && took > 300*time.Millisecond {
			t.t.miss("search %.40q: %d %.200s in %d ms, %v", q, status, answer, took.Milliseconds(), err)
		}
	}
}

// prefixes are the beginnings of many words.
func prefixes(n, size int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(string(rune('a'+i%26)), size) + "* OR ")
	}
	return b.String() + "z"
}
