package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/owner"
)

// newsStream is a stream of events that is read one by one.
type newsStream struct {
	t   *testing.T
	in  *bufio.Scanner
	end func()
}

// news opens a stream with a key, behind the event with an id, if there is one.
func (w *world) news(t *testing.T, key, last string) *newsStream {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := w.request("GET", "/api/events", "", "Authorization", "Bearer "+key, "Last-Event-ID", last).WithContext(ctx)
	res, err := w.srv.Client().Do(r)
	if err != nil || res.StatusCode != http.StatusOK {
		cancel()
		t.Fatalf("events: got %v, %v", res, err)
	}
	end := func() {
		cancel()
		_ = res.Body.Close()
	}
	t.Cleanup(end)
	return &newsStream{t, bufio.NewScanner(res.Body), end}
}

// next is the next event; its name is "" when the stream has ended.
func (s *newsStream) next() (e sse) {
	for s.in.Scan() {
		name, value, _ := strings.Cut(s.in.Text(), ": ")
		switch name {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			e.data = value
		case "":
			if e.name != "" {
				return e
			}
		}
	}
	return e
}

// until reads events until one says something, and returns what all of them said.
func (s *newsStream) until(wanted string) (said string) {
	s.t.Helper()
	for e := s.next(); e.name != ""; e = s.next() {
		var it struct {
			Type, ID, What string
			Seq            *int64
		}
		if err := json.Unmarshal([]byte(e.data), &it); err != nil || e.name != "change" {
			s.t.Fatalf("got %+v, %v", e, err)
		}
		word := it.Type + ":" + it.ID + ":" + it.What
		if it.Seq != nil {
			word += ":" + strconv.FormatInt(*it.Seq, 10)
		}
		if said += word + " "; word == wanted {
			return said
		}
	}
	s.t.Fatalf("got %q and the end, want %q", said, wanted)
	return said
}

// TestNews: a reader hears of the own owner's things that the key may read, without content,
// and goes on where it was.
func TestNews(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	ada, bob := w.key("ada"), w.key("bob")
	all := w.news(t, ada, "")
	ready := all.next()
	if ready.name != "ready" || ready.id == "" {
		t.Fatalf("got %+v first, want ready", ready)
	}
	w.call("POST", "/v1/chat/completions", chatBody("The canary of bob, because of bob.", false), "Authorization", "Bearer "+bob, "X-Hermes-Session-Id", "bob")
	w.call("POST", "/v1/chat/completions", chatBody("We chose Rust because of the canary.", false), "Authorization", "Bearer "+ada, "X-Hermes-Session-Id", "s")
	said := all.until("memory:s:changed")
	for _, want := range []string{"session:s:created", "session:s:message:1"} {
		if !strings.Contains(said, want) {
			t.Errorf("got %q, want %s", said, want)
		}
	}
	if strings.Contains(said, "bob") || strings.Contains(said, "canary") {
		t.Errorf("got %q, want nothing of others and no content", said)
	}
	run := w.run("s", "And?", "Authorization", "Bearer "+ada)
	if said := all.until("run:" + run + ":ended"); !strings.Contains(said, "run:"+run+":started") {
		t.Errorf("got %q, want the beginning of the run", said)
	}
	w.with(ada, "PATCH", "/api/sessions/s", `{"title":"t"}`)
	all.until("session:s:changed")
	var made struct{ Job struct{ ID string } }
	if err := json.Unmarshal([]byte(w.with(ada, "POST", "/api/jobs", `{"name":"n","schedule":"@daily","prompt":"p"}`).body), &made); err != nil {
		t.Fatal(err)
	}
	all.until("job:" + made.Job.ID + ":created")
	w.with(ada, "POST", "/api/jobs/"+made.Job.ID+"/run", "")
	all.until("job_run:" + made.Job.ID + ":changed")
	w.with(ada, "DELETE", "/api/sessions/s", "")
	if said := all.until("session:s:deleted"); strings.Contains(said, "key:") {
		t.Errorf("got %q, want no keys without the scope admin", said)
	}
	if e := w.news(t, ada, ready.id).next(); e.name != "ready" || e.id != ready.id {
		t.Errorf("going on: got %+v, want to begin at %s", e, ready.id)
	}
	again := w.news(t, ada, ready.id)
	again.next()
	if got := again.until("session:s:deleted"); !strings.HasPrefix(got, "session:s:created") {
		t.Errorf("going on: got %q, want all of it", got)
	}
	for _, last := range []string{"1", "9007199254740991"} {
		if e := w.news(t, ada, last).next(); e.name != "reset" {
			t.Errorf("after %s: got %+v, want reset", last, e)
		}
	}
}

// TestNewsByScope: a key hears of what it may read only, and administrators hear of keys.
func TestNewsByScope(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	jobs := w.news(t, w.key("local", owner.Jobs), "")
	admin := w.news(t, localKey, "")
	jobs.next()
	admin.next()
	w.chat("s", "We chose Rust because of latency.")
	w.call("POST", "/api/keys", `{"name":"phone"}`)
	var made struct{ Job struct{ ID string } }
	if err := json.Unmarshal([]byte(w.call("POST", "/api/jobs", `{"name":"n","schedule":"@daily","prompt":"p"}`).body), &made); err != nil {
		t.Fatal(err)
	}
	want := "job:" + made.Job.ID + ":created"
	if said := jobs.until(want); said != want+" " {
		t.Errorf("with the scope jobs: got %q", said)
	}
	if said := admin.until(want); !strings.Contains(said, "key:") || !strings.Contains(said, "session:s:created") {
		t.Errorf("the administrator: got %q", said)
	}
}

// TestNewsEndWithDevelopment: a stream that the development key has opened ends when the first key is
// made, and the request that makes the key with it is answered.
func TestNewsEndWithDevelopment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{development: true})
	open := w.news(t, owner.DevelopmentKey, "")
	open.next()
	got := w.with(owner.DevelopmentKey, "POST", "/api/keys", `{"name":"first","owner":"local","scopes":["admin"]}`)
	var made struct{ Key string }
	if err := json.Unmarshal([]byte(got.body), &made); err != nil || got.status != http.StatusCreated || made.Key == "" {
		t.Fatalf("got %d %s, %v, want a key", got.status, got.body, err)
	}
	for e := open.next(); e.name != ""; e = open.next() {
		if !strings.Contains(e.data, `"key"`) {
			t.Errorf("got %+v, want the end", e)
		}
	}
	if audited := w.with(made.Key, "GET", "/api/audit", ""); !strings.Contains(audited.body, `"key.create"`) {
		t.Errorf("got %s, want the key in the audit", audited.body)
	}
}

// TestNewsEnd: streams are bounded, and end with their key and with the server.
func TestNewsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	key := w.key("ada")
	token := w.signIn(key, "").Token
	var open []*newsStream
	for range 20 {
		open = append(open, w.news(t, token, ""))
		open[len(open)-1].next()
	}
	got := w.with(key, "GET", "/api/events", "")
	if got.status != http.StatusTooManyRequests || !strings.Contains(got.body, "too_many_event_streams") || got.header.Get("Retry-After") == "" {
		t.Errorf("the 21st: got %d %s, want 429", got.status, got.body)
	}
	other := w.news(t, localKey, "")
	other.next()
	if _, err := w.keyring.Revoke(t.Context(), "ada"); err != nil {
		t.Fatal(err)
	}
	for _, s := range open {
		if e := s.next(); e.name != "" {
			t.Errorf("after the key: got %+v, want the end", e)
		}
	}
	w.hub.Close()
	for e := other.next(); e.name != ""; e = other.next() {
		if !strings.Contains(e.data, `"key"`) {
			t.Errorf("got %+v, want the end", e)
		}
	}
	if got := w.with(localKey, "GET", "/api/events", ""); got.status != http.StatusOK {
		t.Errorf("afterwards: got %d %s", got.status, got.body)
	}
}
