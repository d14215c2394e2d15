package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// revokeRig takes a key away from who is using it.
var revokeRig = rig{
	name: "revoke", fault: "T3 a key is revoked under 1,000 open streams, with 200 streams of other keys, of the same and of another owner", rounds: 10, run: revoke,
	want: "all closed ≤ 2 s, none of them with an end that passes for one, 401 from then on; the other streams go on to their end",
	off:  "what goes on with a key is not ended", bareRounds: 1,
	bare: []change{{"internal/owner/watch.go", "	for _, cancel := range w.open[key] {\n\t\tcancel(ended(key))\n\t}\n", ""}},
}

const (
	// mostStored is how many stored responses are streamed at once: they go on as
	// runs, and those of an owner wait for each other beyond sixteen.
	mostStored     = 4
	revokedStreams = 1000
	otherStreams   = 100 // of each other key
	closedWithin   = 2 * time.Second
)

// streamKinds are the streams there are, and what each of them ends with.
var streamKinds = []struct{ name, path, body, end string }{
	{"events of a run", "", "", "run.completed"},
	{"chat", "/v1/chat/completions", `{"stream":true,"messages":[{"role":"user","content":"hi"}]}`, `"finish_reason":"stop"`},
	{"response", "/v1/responses", `{"stream":true,"store":false,"input":"hi"}`, "response.completed"},
	{"stored response", "/v1/responses", `{"stream":true,"input":"hi"}`, "response.completed"},
}

// teller is a model that says a word a second until it is told to end.
type teller struct {
	mu  sync.Mutex
	end chan struct{}
}

// renew begins another round; those who talk in it are ended by the channel.
func (m *teller) renew() chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.end = make(chan struct{})
	return m.end
}

// ServeHTTP implements http.Handler.
func (m *teller) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	end := m.end
	m.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		fmt.Fprint(w, piece("word "))
		_ = http.NewResponseController(w).Flush() // the server may have let go
		select {
		case <-tick.C:
		case <-end:
			fmt.Fprint(w, ending)
			return
		case <-r.Context().Done():
			return
		}
	}
}

// listener is a client with one stream open.
type listener struct {
	kind    int
	key     string
	session string
	begun   sync.Once
	opened  func()       // tells that the first word came
	words   atomic.Int64 // pieces that came
	closed  time.Time
	whole   bool // it came to its proper end
	status  int
	done    chan struct{}
	problem error
}

// listen opens a stream and reads it to its end. run is whose events are read.
func (l *listener) listen(ctx context.Context, addr, run string) {
	defer close(l.done)
	defer l.begun.Do(l.opened)
	kind := streamKinds[l.kind]
	method, path := "POST", kind.path
	if path == "" {
		method, path = "GET", "/v1/runs/"+run+"/events"
	}
	header := bearer(l.key)
	header["X-Hermes-Session-Id"] = l.session // or they would wait for each other
	res, err := begin(ctx, addr, method, path, header, []byte(kind.body))
	if err != nil {
		l.problem = err
		return
	}
	defer func() { _ = res.Body.Close() }()
	l.status = res.StatusCode
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		if strings.Contains(lines.Text(), "word ") {
			l.words.Add(1)
			l.begun.Do(l.opened)
		}
		l.whole = l.whole || strings.Contains(lines.Text(), kind.end)
	}
	l.closed = time.Now()
}

// revocations is what came of all rounds.
type revocations struct {
	s                                       *subject
	model                                   *teller
	t                                       *tally
	closed, late, false, others, cut, still int
	slowest, answered                       time.Duration
	sessions                                int
}

// revoke is the whole rig.
func revoke(ctx context.Context, b *bench, rounds int) (*tally, error) {
	c := &revocations{model: &teller{}, t: &tally{}}
	model := httptest.NewServer(c.model)
	defer model.Close()
	var err error
	if c.s, err = b.serve(ctx, model.URL+"/v1", "API_SERVER_KEY="+operatorKey); err != nil {
		return nil, err
	}
	defer c.s.kill()
	_, twin, err := c.s.newKey(ctx, "twin", "ada")
	if err != nil {
		return nil, err
	}
	_, other, err := c.s.newKey(ctx, "other", "bob")
	if err != nil {
		return nil, err
	}
	for n := range rounds {
		if err := c.round(ctx, n, twin, other); err != nil {
			return nil, fmt.Errorf("round %d: %w", n+1, err)
		}
		b.say("revoke: %d rounds", n+1)
	}
	c.t.done = fmt.Sprintf("%d keys revoked under %d streams of four kinds, with %d of other keys", rounds, rounds*revokedStreams, c.others)
	c.t.figure = fmt.Sprintf("%d closed, the last after %d ms, %d later than 2 s, %d with a false end; the revocation itself answered within %d ms; of the other streams %d cut; %d requests let in afterwards",
		c.closed, c.slowest.Milliseconds(), c.late, c.false, c.answered.Milliseconds(), c.cut, c.still)
	if c.late+c.false+c.cut+c.still > 0 {
		c.t.miss("%d closed late, %d with a false end, %d others cut, %d let in", c.late, c.false, c.cut, c.still)
	}
	return c.t, nil
}

// round opens the streams, revokes a key, and looks at what becomes of all.
func (c *revocations) round(ctx context.Context, n int, twin, other string) error {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	end := c.model.renew()
	stop := sync.OnceFunc(func() { close(end) })
	defer stop()
	id, gone, err := c.s.newKey(ctx, fmt.Sprintf("gone-%d", n), "ada")
	if err != nil {
		return err
	}
	theirs, err := c.open(ctx, gone, revokedStreams)
	if err != nil {
		return err
	}
	var rest []*listener
	for _, key := range []string{twin, other} {
		more, err := c.open(ctx, key, otherStreams)
		if err != nil {
			return err
		}
		rest = append(rest, more...)
	}
	before := make([]int64, len(rest))
	for i, l := range rest {
		before[i] = l.words.Load()
	}
	revoked := time.Now()
	if err := c.s.ask(ctx, operatorKey, "DELETE", "/api/keys/"+id, nil, http.StatusOK, &struct{}{}); err != nil {
		return err
	}
	c.answered = max(c.answered, time.Since(revoked))
	c.await(theirs, revoked)
	c.refused(ctx, gone)
	pause(ctx, max(0, closedWithin+time.Second-time.Since(revoked)))
	for i, l := range rest {
		if l.words.Load() <= before[i] {
			c.cut++
			c.t.miss("a stream of another key (%s) has stood still", streamKinds[l.kind].name)
		}
	}
	stop()
	return c.finish(ctx, rest)
}

// open opens streams of every kind with a key, and waits for their first word.
func (c *revocations) open(ctx context.Context, key string, count int) ([]*listener, error) {
	var run struct {
		RunID string `json:"run_id"`
	}
	if err := c.s.ask(ctx, key, "POST", "/v1/runs", []byte(`{"input":"hi"}`), http.StatusAccepted, &run); err != nil {
		return nil, err
	}
	var begun sync.WaitGroup
	all := make([]*listener, count)
	for i := range all {
		begun.Add(1)
		c.sessions++
		kind := len(streamKinds) - 1
		if i >= mostStored {
			kind = i % kind
		}
		all[i] = &listener{kind: kind, key: key, session: fmt.Sprintf("stream/%d", c.sessions), opened: begun.Done, done: make(chan struct{})}
		go all[i].listen(ctx, c.s.addr, run.RunID) // ends with ctx, if not before
	}
	begun.Wait()
	for _, l := range all {
		if l.words.Load() == 0 {
			<-l.done
			return nil, fmt.Errorf("a stream (%s) did not begin: status %d, %w", streamKinds[l.kind].name, l.status, l.problem)
		}
	}
	return all, nil
}

// await waits for the streams of a revoked key to close.
func (c *revocations) await(all []*listener, since time.Time) {
	patience := time.NewTimer(5 * closedWithin)
	defer patience.Stop()
	over := false
	for _, l := range all {
		if !over {
			select {
			case <-l.done:
			case <-patience.C:
				over = true
			}
		}
		select {
		case <-l.done:
		default:
			c.late++
			continue
		}
		c.closed++
		took := l.closed.Sub(since)
		c.slowest = max(c.slowest, took)
		if took > closedWithin {
			c.late++
		}
		if l.whole {
			c.false++
		}
	}
}

// refused asks for one thing after the other with a key that is gone.
func (c *revocations) refused(ctx context.Context, key string) {
	for _, ask := range [][3]string{
		{"POST", "/v1/chat/completions", streamKinds[1].body}, {"POST", "/v1/responses", streamKinds[2].body}, {"POST", "/v1/runs", `{"input":"hi"}`},
		{"GET", "/v1/runs", ""}, {"GET", "/api/sessions", ""}, {"GET", "/v1/models", ""}, {"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`},
	} {
		status, body, err := send(ctx, c.s.addr, ask[0], ask[1], bearer(key), []byte(ask[2]))
		if err != nil || status != http.StatusUnauthorized || !json.Valid(body) {
			c.still++
			c.t.miss("%s %s with the revoked key: status %d, %v", ask[0], ask[1], status, err)
		}
	}
}

// finish sees that the other streams come to their end.
func (c *revocations) finish(ctx context.Context, rest []*listener) error {
	ctx, leave := context.WithTimeout(ctx, 30*time.Second)
	defer leave()
	for _, l := range rest {
		c.others++
		select {
		case <-l.done:
		case <-ctx.Done():
			return fmt.Errorf("a stream of another key (%s) does not end", streamKinds[l.kind].name)
		}
		if !l.whole {
			c.cut++
			c.t.miss("a stream of another key (%s) was cut", streamKinds[l.kind].name)
		}
	}
	return nil
}
