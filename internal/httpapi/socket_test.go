package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// talkSocket is a WebSocket connection of a test.
type talkSocket struct {
	t    *testing.T
	ctx  context.Context
	conn *websocket.Conn
}

// socket opens a connection to /v1/responses.
func (w *world) socket(t *testing.T, headers ...string) *talkSocket {
	t.Helper()
	r := w.request("GET", "/v1/responses", "", headers...)
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(stop)
	conn, res, err := websocket.Dial(ctx, strings.Replace(r.URL.String(), "http", "ws", 1), &websocket.DialOptions{HTTPHeader: r.Header, Host: r.Host})
	if err != nil {
		t.Fatalf("got %v, %v", res, err)
	}
	conn.SetReadLimit(-1)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &talkSocket{t, ctx, conn}
}

// socketEvent is what the tests read of an event.
type socketEvent struct {
	Type     string
	Number   int `json:"sequence_number"`
	Status   int
	Error    struct{ Code, Message string }
	Response struct {
		ID, Status string
		Previous   string `json:"previous_response_id"`
		Output     []struct{ Content []struct{ Text string } }
	}
}

// send sends one event.
func (s *talkSocket) send(event string) {
	s.t.Helper()
	if err := s.conn.Write(s.ctx, websocket.MessageText, []byte(event)); err != nil {
		s.t.Fatal(err)
	}
}

// read is the next event.
func (s *talkSocket) read() (e socketEvent) {
	s.t.Helper()
	_, data, err := s.conn.Read(s.ctx)
	if err == nil {
		err = json.Unmarshal(data, &e)
	}
	if err != nil {
		s.t.Fatalf("%s: %v", data, err)
	}
	return e
}

// create makes a response and returns the event that ends it. Its numbers have no gap.
func (s *talkSocket) create(members string) socketEvent {
	s.t.Helper()
	s.send(`{"type":"response.create","model":"hermes",` + members + `}`)
	for i := 0; ; i++ {
		e := s.read()
		if e.Type == "error" {
			return e
		}
		if e.Number != i {
			s.t.Fatalf("got number %d at %d", e.Number, i)
		}
		switch e.Type {
		case "response.completed", "response.failed", "response.incomplete":
			return e
		}
	}
}

// TestSocketResponses: responses one after another over one connection, stored ones and
// others, continued by previous_response_id.
func TestSocketResponses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	s := w.socket(t)
	w.up.Queue(upstreamtest.Reply("Hello."), upstreamtest.Reply("Cobalt."), upstreamtest.Reply("Again."), upstreamtest.Reply("Kept."), upstreamtest.Reply("Kept still."))
	first := s.create(`"store":false,"input":"The word is cobalt."`)
	if first.Response.Status != "completed" || first.Response.Output[0].Content[0].Text != "Hello." {
		t.Fatalf("got %+v", first)
	}
	second := s.create(`"store":false,"previous_response_id":"` + first.Response.ID + `","input":"Which word?"`)
	if second.Response.Previous != first.Response.ID || second.Response.Output[0].Content[0].Text != "Cobalt." {
		t.Errorf("got %+v, want the continuation", second)
	}
	third := s.create(`"store":false,"previous_response_id":"` + second.Response.ID + `","input":[{"role":"user","content":"And?"}]`)
	want := "[{user The word is cobalt.} {assistant Hello.} {user Which word?} {assistant Cobalt.} {user And?}]"
	if got := fmt.Sprint(w.sentMessages(t)); got != want || third.Response.Status != "completed" {
		t.Errorf("sent %s, want %s", got, want)
	}
	if got := w.call("GET", "/api/sessions/stats", "").body; !strings.Contains(got, `"total_messages":0`) {
		t.Errorf("got %s, want nothing stored", got)
	}
	kept := s.create(`"conversation":"s","input":"Keep this."`)
	after := s.create(`"previous_response_id":"` + kept.Response.ID + `","input":"And this."`)
	if after.Response.Status != "completed" || w.call("GET", "/v1/responses/"+after.Response.ID, "").status != 200 {
		t.Errorf("got %+v, want a stored response", after)
	}
	if got := w.call("GET", "/api/sessions/s/messages", "").body; strings.Count(got, `"seq"`) != 4 {
		t.Errorf("got %s, want two exchanges", got)
	}
}

// TestSocketErrors: what is refused is an error event with a status, and the connection
// goes on.
func TestSocketErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	s := w.socket(t)
	for members, want := range map[string]string{
		`"input":[]`: "400 invalid_request_error", `"input":"x","background":true`: "400 unsupported_parameter", `"model":"hermes"`: "400 invalid_request_error",
		`"input":"x","previous_response_id":"resp_0"`: "404 previous_response_not_found",
		`"input":"x","conversation":"a\u0000"`:        "400 invalid_session_id",
	} {
		if e := s.create(members); e.Type != "error" || fmt.Sprintf("%d %s", e.Status, e.Error.Code) != want || e.Error.Message == "" {
			t.Errorf("%s: got %+v, want %s", members, e, want)
		}
	}
	for _, frame := range []string{`{"type":"session.update"}`, `nonsense`, `{"input":"x"}`} {
		s.send(frame)
		if e := s.read(); e.Type != "error" || e.Status != 400 {
			t.Errorf("%s: got %+v", frame, e)
		}
	}
	w.up.Queue(upstreamtest.Reply("One."), upstreamtest.Step{Status: 500, Body: `{"error":{"message":"down"}}`}, upstreamtest.Reply("Two."))
	if e := s.create(`"input":"x","store":false`); e.Response.Status != "completed" {
		t.Errorf("got %+v, want a response after errors", e)
	}
	if err := s.conn.Write(s.ctx, websocket.MessageBinary, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if e := s.read(); e.Error.Code != "invalid_event" {
		t.Errorf("got %+v for a binary message", e)
	}
}

// TestSocketForgetsAFailedChain: what failed to continue a response that is not stored
// ends the chain, and another connection does not know it.
func TestSocketForgetsAFailedChain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	s := w.socket(t)
	first := s.create(`"store":false,"input":"x"`)
	next := func(s *talkSocket, input string) string {
		return s.create(`"store":false,"previous_response_id":"` + first.Response.ID + `","input":` + input).Error.Code
	}
	if code := next(w.socket(t), `"x"`); code != "previous_response_not_found" {
		t.Errorf("another connection: got %q", code)
	}
	if code := next(s, `[{"type":"function_call_output","call_id":"none","output":"x"}]`); code != "tool_call_not_found" {
		t.Errorf("the output of no call: got %q", code)
	}
	if code := next(s, `"x"`); code != "previous_response_not_found" {
		t.Errorf("after a failure: got %q", code)
	}
}

// TestSocketWarms: a response without an answer asks no model, and its input is there for
// the next one.
func TestSocketWarms(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	s := w.socket(t)
	empty := s.create(`"generate":false,"input":[]`)
	warm := s.create(`"generate":false,"previous_response_id":"` + empty.Response.ID + `","input":[{"role":"user","content":"The word is slate."},{"role":"assistant","content":"OK."}]`)
	if warm.Response.Status != "completed" || len(warm.Response.Output) != 0 || len(w.up.Requests()) != 0 {
		t.Fatalf("got %+v and %d calls, want a response without any", warm, len(w.up.Requests()))
	}
	s.create(`"store":false,"previous_response_id":"` + warm.Response.ID + `","input":"Which?"`)
	if diff := cmp.Diff("[{user The word is slate.} {assistant OK.} {user Which?}]", fmt.Sprint(w.sentMessages(t))); diff != "" {
		t.Error(diff)
	}
}

// TestSocketBoundsWarming: what warming events bring adds up to a body at most, and a limit
// of the key counts them.
func TestSocketBoundsWarming(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	s := w.socket(t)
	previous := ""
	input := `"input":"` + strings.Repeat("x", 4_000_000) + `"`
	for i, want := range []string{"response.completed", "response.completed", "error"} {
		e := s.create(`"generate":false,"previous_response_id":"` + previous + `",` + input)
		if e.Type != want {
			t.Fatalf("event %d: got %+v, want %s", i, e, want)
		}
		previous = e.Response.ID
	}
	key := w.key("few")
	w.call("PATCH", "/api/keys/few", `{"requests_per_minute":2}`)
	s = w.socket(t, "Authorization", "Bearer "+key)
	s.create(`"generate":false,"input":"x"`)
	if e := s.create(`"generate":false,"input":"x"`); e.Status != http.StatusTooManyRequests {
		t.Errorf("got %+v, want 429", e)
	}
}

// TestSocketGates: a connection is let in as a request is, and a limit of the key counts
// its responses.
func TestSocketGates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	upgrade := []string{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}
	for name, c := range map[string]struct {
		header, value string
		want          int
	}{
		"no key":           {"Authorization", "", 401},
		"another key":      {"Authorization", "Bearer wrong", 401},
		"another origin":   {"Origin", "https://evil.example", 403},
		"no such protocol": {"Sec-WebSocket-Version", "1", 400},
	} {
		if got := w.call("GET", "/v1/responses", "", append(upgrade, c.header, c.value)...); got.status != c.want {
			t.Errorf("%s: got %d %s, want %d", name, got.status, got.body, c.want)
		}
	}
	key := w.key("few")
	w.call("PATCH", "/api/keys/few", `{"requests_per_minute":2}`)
	s := w.socket(t, "Authorization", "Bearer "+key)
	if e := s.create(`"input":"x"`); e.Response.Status != "completed" {
		t.Errorf("got %+v", e)
	}
	if e := s.create(`"input":"x"`); e.Status != http.StatusTooManyRequests {
		t.Errorf("got %+v, want 429", e)
	}
}

// TestSocketsShutDown: a server that stops finishes the responses under way, and ends the
// connections.
func TestSocketsShutDown(t *testing.T) {
	t.Parallel()
	sockets := httpapi.NewSockets()
	w := newWorld(t, options{sockets: sockets})
	w.up.Queue(upstreamtest.Step{Chunks: []string{"It ", "rains", "."}, Between: 20 * time.Millisecond})
	s := w.socket(t)
	s.send(`{"type":"response.create","model":"hermes","input":"x"}`)
	if e := s.read(); e.Type != "response.created" {
		t.Fatalf("got %+v", e)
	}
	down := make(chan struct{})
	go func() {
		defer close(down)
		sockets.Shutdown(t.Context())
	}()
	e := s.read()
	for e.Type != "response.completed" {
		e = s.read()
	}
	if e.Response.Output[0].Content[0].Text != "It rains." {
		t.Errorf("got %+v, want the whole answer", e)
	}
	if _, _, err := s.conn.Read(s.ctx); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("got %v, want the end", err)
	}
	<-down
	if got := w.call("GET", "/v1/responses", "", "Connection", "Upgrade", "Upgrade", "websocket"); got.status != http.StatusServiceUnavailable {
		t.Errorf("got %d %s, want 503", got.status, got.body)
	}
}

// TestSocketEndsTheTurn: the turn of a response that is not stored ends with its
// connection, and so does a connection whose key is revoked.
func TestSocketEndsTheTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.up.Queue(upstreamtest.Step{Chunks: []string{"Half "}, Hang: true})
	s := w.socket(t, "X-Hermes-Session-Id", "s")
	s.send(`{"type":"response.create","model":"hermes","store":false,"input":"x"}`)
	for s.read().Type != "response.output_text.delta" {
		continue
	}
	_ = s.conn.CloseNow()
	if got := w.chat("s", "Still there?"); got.status != 200 { // waits for the turn before it
		t.Errorf("got %d %s", got.status, got.body)
	}
	if got := w.call("GET", "/api/sessions/s/messages", "").body; !strings.Contains(got, `"finish_reason":"cancelled"`) {
		t.Errorf("got %s, want a cancelled answer", got)
	}
	other := w.socket(t, "Authorization", "Bearer "+w.key("gone"))
	if _, err := w.keyring.Revoke(t.Context(), "gone"); err != nil {
		t.Fatal(err)
	}
	if _, data, err := other.conn.Read(other.ctx); err == nil || other.ctx.Err() != nil {
		t.Errorf("got %s, %v, want the end", data, err)
	}
}
