package httpapi_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// limitedKey makes a key with limits, and returns it as a header.
func (w *world) limitedKey(name string, rate, turns *int) (bearer string) {
	w.t.Helper()
	_, secret, err := w.keyring.Create(context.Background(), owner.NewKey{
		Name: name, OwnerID: name, Limits: owner.KeyLimits{RequestsPerMinute: rate, ConcurrentTurns: turns},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return "Bearer " + secret
}

// ask is a chat completion of its own session.
func (w *world) ask(bearer, id string) reply {
	w.t.Helper()
	return w.call("POST", "/v1/chat/completions", `{"messages":[{"role":"user","content":"hi"}]}`, "Authorization", bearer, "X-Hermes-Session-Id", id)
}

func TestRate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	alice, bob := w.limitedKey("alice", new(4), nil), w.limitedKey("bob", new(4), nil)
	free := w.limitedKey("free", new(0), nil)
	for _, c := range []struct {
		name, path string
		bearer     string
		pass       time.Duration // before it
		status     int
		left       string // limit, remaining, reset, and when to try again
	}{
		{"the first", "/v1/models", alice, 0, 200, "4 3 15s "},
		{"a path there is not", "/api/sessions/nonesuch", alice, 0, 404, "4 2 30s "},
		{"what the key may not", "/api/keys", alice, 0, 403, "4 1 45s "},
		{"an open path", "/health", alice, 0, 200, "   "},
		{"the last", "/v1/models", alice, 0, 200, "4 0 1m0s "},
		{"one more", "/v1/models", alice, 0, 429, "4 0 1m0s 15"},
		{"too soon", "/v1/models", alice, 14500 * time.Millisecond, 429, "4 0 45.5s 1"},
		{"another key", "/v1/models", bob, 0, 200, "4 3 15s "},
		{"no limit", "/v1/models", free, 0, 200, "   "},
		{"the owner of the machine", "/v1/models", "Bearer " + localKey, 0, 200, "   "},
		{"an unknown key", "/v1/models", "Bearer nonesuch", 0, 401, "   "},
		{"in time", "/v1/models", alice, 500 * time.Millisecond, 200, "4 0 1m0s "},
		{"after a minute", "/v1/models", alice, time.Hour, 200, "4 3 15s "},
	} {
		w.clock.Advance(c.pass)
		got := w.call("GET", c.path, "", "Authorization", c.bearer)
		h := got.header
		left := strings.Join([]string{
			h.Get("X-Ratelimit-Limit-Requests"), h.Get("X-Ratelimit-Remaining-Requests"), h.Get("X-Ratelimit-Reset-Requests"), h.Get("Retry-After"),
		}, " ")
		if got.status != c.status || left != c.left {
			t.Errorf("%s: got %d %q, want %d %q: %s", c.name, got.status, left, c.status, c.left, got.body)
		}
		if c.status == 429 && !strings.Contains(got.body, `"code":"rate_limit_exceeded"`) {
			t.Errorf("%s: got %s, want the documented code", c.name, got.body)
		}
	}
	// A change counts at once.
	if got := w.call("PATCH", "/api/keys/alice", `{"requests_per_minute":1}`); got.status != 200 {
		t.Fatalf("change: %d %s", got.status, got.body)
	}
	if got := w.call("GET", "/v1/models", "", "Authorization", alice); got.status != 200 || got.header.Get("X-Ratelimit-Limit-Requests") != "1" {
		t.Errorf("after the change: got %d, limit %q, want 1", got.status, got.header.Get("X-Ratelimit-Limit-Requests"))
	}
	if got := w.call("GET", "/v1/models", "", "Authorization", alice); got.status != 429 || got.header.Get("Retry-After") == "" {
		t.Errorf("after the change: got %d, want the second one refused", got.status)
	}
	if got := w.call("GET", "/metrics", ""); !strings.Contains(got.body, `hermes_limited_total{reason="rate"} 3`) {
		t.Error("the metrics do not count three refusals")
	}
}

// TestTurnsAtOnce holds the only turn that a key, or the server, may have.
func TestTurnsAtOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		line   claim.LineOptions
		turns  *int
		status int
		code   string
		reason string
	}{
		{"of a key", claim.LineOptions{Room: 8, Patience: time.Millisecond}, new(1), 429, "rate_limit_exceeded", "key_full"},
		{"of the server", claim.LineOptions{Permits: 1, Room: 8, Patience: time.Millisecond}, nil, 503, "overloaded", "too_long"},
		{"of a server without a queue", claim.LineOptions{Permits: 1}, nil, 503, "overloaded", "no_room"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{line: c.line})
			alice := w.limitedKey("alice", nil, c.turns)
			hold := make(chan struct{})
			w.up.Queue(upstreamtest.Step{Text: "at last", Hold: hold})
			var first sync.WaitGroup
			first.Go(func() {
				if got := w.ask(alice, "one"); got.status != 200 {
					t.Errorf("the first: got %d %s", got.status, got.body)
				}
			})
			w.until(func() bool { return len(w.up.Requests()) == 1 })
			for _, path := range []string{"/v1/chat/completions", "/v1/responses"} {
				got := w.call("POST", path, `{"messages":[{"role":"user","content":"hi"}],"input":"hi","store":false}`, "Authorization", alice)
				if got.status != c.status || !strings.Contains(got.body, `"code":"`+c.code+`"`) || !strings.Contains("1 2 3", got.header.Get("Retry-After")) || got.header.Get("Retry-After") == "" {
					t.Errorf("%s: got %d, Retry-After %q, %s, want %d %s", path, got.status, got.header.Get("Retry-After"), got.body, c.status, c.code)
				}
				w.checkSecrets(path, got)
			}
			if got := w.call("GET", "/v1/models", "", "Authorization", alice); got.status != 200 {
				t.Errorf("what is no turn: got %d", got.status)
			}
			close(hold)
			first.Wait()
			if got := w.ask(alice, "two"); got.status != 200 {
				t.Errorf("afterwards: got %d %s", got.status, got.body)
			}
			got := w.call("GET", "/metrics", "").body
			for _, line := range []string{fmt.Sprintf("hermes_limited_total{reason=%q} 2", c.reason), "hermes_turn_places_taken 0", "hermes_turn_queue_length 0"} {
				if !strings.Contains(got, line) {
					t.Errorf("the metrics lack %q", line)
				}
			}
		})
	}
}

// TestRunsWait: who asked for a run has been answered, so the run waits.
func TestRunsWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{line: claim.LineOptions{Permits: 1}})
	hold := make(chan struct{})
	w.up.Queue(upstreamtest.Step{Text: "at last", Hold: hold})
	var first sync.WaitGroup
	first.Go(func() { w.ask("Bearer "+localKey, "one") })
	w.until(func() bool { return len(w.up.Requests()) == 1 })
	got := w.call("POST", "/v1/runs", `{"input":"hi"}`)
	if got.status != http.StatusAccepted {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	w.until(func() bool { return strings.Contains(w.call("GET", "/metrics", "").body, "hermes_turn_queue_length 1") })
	close(hold)
	first.Wait()
	events := w.call("GET", "/v1/runs/"+got.header.Get("X-Hermes-Run-Id")+"/events", "").body
	if !strings.Contains(events, "event: run.completed") {
		t.Errorf("got %s, want it completed", events)
	}
}

// TestRevoked ends what goes on with a key when that is revoked: streams of every
// kind, and a request that waits for its place.
func TestRevoked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{
		line: claim.LineOptions{Permits: 100, Room: 8, Patience: time.Hour},
		answer: func(*upstreamtest.Request) upstreamtest.Step {
			return upstreamtest.Step{Chunks: []string{"one"}, Hang: true}
		},
	})
	alice, other := w.limitedKey("alice", nil, new(4)), w.limitedKey("other", nil, nil)
	run := w.call("POST", "/v1/runs", `{"input":"hi"}`, "Authorization", alice).header.Get("X-Hermes-Run-Id")
	streams := map[string]*http.Request{
		"chat":              w.request("POST", "/v1/chat/completions", `{"stream":true,"messages":[{"role":"user","content":"hi"}]}`),
		"response":          w.request("POST", "/v1/responses", `{"stream":true,"store":false,"input":"hi"}`),
		"stored response":   w.request("POST", "/v1/responses", `{"stream":true,"input":"hi"}`),
		"events of the run": w.request("GET", "/v1/runs/"+run+"/events", ""),
	}
	opened := make(map[string]*bufio.Reader)
	for name, r := range streams {
		r.Header.Set("Authorization", alice)
		opened[name] = w.opened(name, r)
	}
	bystander := w.request("POST", "/v1/chat/completions", `{"stream":true,"messages":[{"role":"user","content":"hi"}]}`, "Authorization", other)
	w.opened("bystander", bystander)
	var waiting sync.WaitGroup
	waiting.Go(func() {
		got := w.ask(alice, "fifth")
		if got.status != 401 || !strings.Contains(got.body, "revoked") {
			t.Errorf("who waits: got %d %s, want 401", got.status, got.body)
		}
	})
	w.until(func() bool { return strings.Contains(w.call("GET", "/metrics", "").body, "hermes_turn_queue_length 1") })
	if got := w.call("DELETE", "/api/keys/alice", ""); got.status != 200 {
		t.Fatalf("revoke: %d %s", got.status, got.body)
	}
	waiting.Wait()
	var told []string
	for name, r := range opened {
		var rest strings.Builder
		if _, err := r.WriteTo(&rest); err != nil {
			t.Errorf("%s: got %v, want an orderly end", name, err)
		}
		if strings.Contains(rest.String(), "revoked") {
			told = append(told, name)
		}
	}
	if diff := cmp.Diff(map[string]bool{"chat": true, "response": true}, asSet(told)); diff != "" {
		t.Errorf("who was told why: got (+), want (-):\n%s", diff)
	}
	// The other key's stream stays, and so do the run and the stored response: they
	// are the owner's, and can be stopped.
	w.until(func() bool { return strings.Contains(w.call("GET", "/metrics", "").body, "hermes_turn_places_taken 3") })
	if got := w.call("GET", "/v1/models", "", "Authorization", other); got.status != 200 {
		t.Errorf("another key: got %d %s", got.status, got.body)
	}
}

func asSet(names []string) map[string]bool {
	set := make(map[string]bool)
	for _, n := range names {
		set[n] = true
	}
	return set
}

// opened sends a request and reads the first line of the stream it gets.
func (w *world) opened(name string, r *http.Request) *bufio.Reader {
	w.t.Helper()
	res, err := w.srv.Client().Do(r)
	if err != nil {
		w.t.Fatalf("%s: %v", name, err)
	}
	w.t.Cleanup(func() { _ = res.Body.Close() })
	in := bufio.NewReader(res.Body)
	line, err := in.ReadString('\n')
	if err != nil || res.StatusCode != 200 {
		w.t.Fatalf("%s: got %d %q, %v, want a stream", name, res.StatusCode, line, err)
	}
	return in
}

// until waits for something to be so.
func (w *world) until(so func() bool) {
	w.t.Helper()
	for end := time.Now().Add(30 * time.Second); !so(); {
		if time.Now().After(end) {
			w.t.Fatal("it never came to be so")
		}
		<-time.After(5 * time.Millisecond)
	}
}
