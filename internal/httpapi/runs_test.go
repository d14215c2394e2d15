package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// sse is one event as a reader gets it.
type sse struct{ id, name, data string }

// readEvents reads events until the stream or the reader's patience, counted in
// events, ends; 0 is endless patience.
func (w *world) readEvents(ctx context.Context, run, last string, most int) []sse {
	w.t.Helper()
	r := w.request("GET", "/v1/runs/"+run+"/events", "").WithContext(ctx)
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	res, err := w.srv.Client().Do(r)
	if err != nil {
		w.t.Errorf("events of %s: %v", run, err)
		return nil
	}
	defer func() { _ = res.Body.Close() }()
	var out []sse
	var e sse
	in := bufio.NewScanner(res.Body)
	for in.Buffer(nil, 1<<24); in.Scan(); {
		name, value, _ := strings.Cut(in.Text(), ": ")
		switch name {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			e.data = value
		case "":
			if out, e = append(out, e), (sse{}); len(out) == most {
				return out
			}
		}
	}
	return out
}

func (w *world) startRun(body string, headers ...string) string {
	w.t.Helper()
	var made struct {
		RunID string `json:"run_id"`
	}
	got := w.call("POST", "/v1/runs", body, headers...)
	if err := json.Unmarshal([]byte(got.body), &made); err != nil || got.status != http.StatusAccepted {
		w.t.Fatalf("got %d %s, %v, want 202", got.status, got.body, err)
	}
	return made.RunID
}

// TestRunReaderWaits: a reader is kept alive while nothing happens, and told what
// happens then.
func TestRunReaderWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{keepAlive: 10 * time.Millisecond})
	hold := make(chan struct{})
	w.up.Queue(upstreamtest.Step{Text: "late", Hold: hold})
	s := w.openLines(t, w.request("GET", "/v1/runs/"+w.startRun(`{"input":"Wait."}`)+"/events", ""))
	for alive := 0; alive < 3; {
		if line, ok := s.line(); !ok {
			t.Fatal("the stream ended")
		} else if line == ": keepalive" {
			alive++
		}
	}
	close(hold)
	if rest := strings.Join(s.rest(), "\n"); !strings.Contains(rest, `"content":"late"`) || !strings.Contains(rest, "event: run.completed") {
		t.Errorf("got %q, want the answer and the end", rest)
	}
}

// TestRunReaders: several readers, each cut behind every event and come back with
// Last-Event-ID, get the whole log (F11).
func TestRunReaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{answer: func(*upstreamtest.Request) upstreamtest.Step {
		return upstreamtest.Step{Chunks: strings.SplitAfter("one two three four five six seven eight", " "), Between: 5 * time.Millisecond}
	}})
	run := w.startRun(`{"input":"Count."}`)
	cut := make([][]sse, 6)
	var readers sync.WaitGroup
	for n := range cut {
		readers.Go(func() {
			last := ""
			for {
				got := w.readEvents(t.Context(), run, last, n+1)
				if len(got) == 0 {
					return // 204: there is no more
				}
				cut[n] = append(cut[n], got...)
				last = got[len(got)-1].id
			}
		})
	}
	readers.Wait()
	all := w.readEvents(t.Context(), run, "", 0)
	for i, e := range all {
		if e.id != fmt.Sprint(i+1) {
			t.Fatalf("event %d has the id %s", i+1, e.id)
		}
	}
	if len(all) < 3 || all[len(all)-1].name != "run.completed" || !strings.Contains(all[len(all)-1].data, `"output":"one two three four five six seven eight"`) {
		t.Errorf("got the log %+v", all)
	}
	for n := range cut {
		if diff := cmp.Diff(all, cut[n], cmp.AllowUnexported(sse{})); diff != "" {
			t.Errorf("cut behind %d (-whole +got):\n%s", n+1, diff)
		}
	}
}

// TestDetachedGoesOn: a detached turn ends as if its client had stayed; without
// the header nothing is kept of it but the turn.
func TestDetachedGoesOn(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	w := newWorld(t, options{patience: time.Millisecond, answer: func(*upstreamtest.Request) upstreamtest.Step {
		<-gate
		return upstreamtest.Step{Chunks: []string{"Here", " I am."}}
	}})
	ctx, leave := context.WithCancel(t.Context())
	r := w.request("POST", "/v1/chat/completions", chatBody("Are you there?", true), "X-Hermes-Session-Id", "s", "X-Hermes-Detach", "true").WithContext(ctx)
	res, err := w.srv.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(res.Body).ReadString('\n')
	if err != nil || !strings.Contains(line, `"role":"assistant"`) {
		t.Errorf("got %q, %v, want the role", line, err)
	}
	leave()
	_ = res.Body.Close()
	close(gate)
	run := res.Header.Get("X-Hermes-Run-Id")
	events := w.readEvents(t.Context(), run, "", 0)
	if n := len(events); n == 0 || events[n-1].name != "run.completed" || !strings.Contains(events[n-1].data, `"output":"Here I am."`) {
		t.Errorf("got the events %+v of %q", events, run)
	}
	if got := w.call("GET", "/api/sessions/s/messages", ""); !strings.Contains(got.body, `"Here I am."`) {
		t.Errorf("got the transcript %s", got.body)
	}
	w.chat("s", "And without?")
	list, err := w.live.Runs(t.Context(), owner.Local(), live.Filter{Limit: 10})
	if err != nil || len(list) != 1 {
		t.Errorf("got %d records, %v, want the detached one alone", len(list), err)
	}
}

// TestRunApproval: a tool that needs approval waits in a run, with its deadline to
// be seen, and is refused in a plain chat completion.
func TestRunApproval(t *testing.T) {
	t.Parallel()
	call := upstreamtest.Step{ToolCalls: []upstreamtest.ToolCall{{ID: "call_1", Name: "memory", Arguments: `{"action":"save","statement":"Alex likes tea."}`}}}
	w := newWorld(t, options{Tools: []string{"memory"}, Approve: []string{"mem*"}})
	w.up.Queue(call, upstreamtest.Step{Text: "Refused."})
	w.chat("plain", "Remember it.")
	if last := string(w.up.Last().Body); !strings.Contains(last, "needs a person's approval") || !strings.Contains(last, "/v1/runs") {
		t.Errorf("the model was shown %s, want why the call was not run", last)
	}
	w.up.Queue(call, upstreamtest.Step{Text: "Done."})
	run := w.startRun(`{"input":"Remember it.","session_id":"s"}`)
	events := w.readEvents(t.Context(), run, "", 2)
	if len(events) != 2 || events[1].name != "approval.request" || !strings.Contains(events[1].data, `"call_id":"call_1"`) {
		t.Fatalf("got %+v", events)
	}
	if got := w.call("GET", "/v1/runs/"+run, ""); !strings.Contains(got.body, `"status":"waiting_for_approval"`) || !strings.Contains(got.body, `"deadline":"2026-03-01T12:01:00Z"`) {
		t.Errorf("got %s", got.body)
	}
	if got := w.call("POST", "/v1/runs/"+run+"/approval", `{"approve":true}`); got.status != 200 || strings.Contains(got.body, "waiting_for_approval") {
		t.Errorf("approve: got %d %s", got.status, got.body)
	}
	var names []string
	for _, e := range w.readEvents(t.Context(), run, events[1].id, 0) {
		names = append(names, e.name)
	}
	want := []string{"approval.resolved", "tool.started", "tool.completed", "message.delta", "run.completed"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("events behind the request (-want +got):\n%s", diff)
	}
	if got := w.call("GET", "/api/memory?session_id=s", ""); !strings.Contains(got.body, "Alex likes tea.") {
		t.Errorf("got the memory %s", got.body)
	}
}

// TestRunApprovalElsewhere: any server of a database decides about a call, however long its id is.
func TestRunApprovalElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{Tools: []string{"memory"}, Approve: []string{"memory"}, alternate: true})
	for i, id := range []string{"call_1", "call_2", "call_3" + strings.Repeat("x", 9000), "call_4" + strings.Repeat("x", 9000)} {
		w.up.Queue(upstreamtest.Step{ToolCalls: []upstreamtest.ToolCall{{ID: id, Name: "memory", Arguments: `{"action":"save","statement":"Alex likes tea."}`}}},
			upstreamtest.Step{Text: "Done."})
		run := w.startRun(fmt.Sprintf(`{"input":"Remember it.","session_id":"s%d"}`, i))
		events := w.readEvents(t.Context(), run, "", 2)
		if len(events) != 2 || events[1].name != "approval.request" {
			t.Fatalf("call %d: got %+v", i, events)
		}
		if i%2 == 1 { // the other server takes the next request
			w.call("GET", "/v1/runs/"+run, "")
		}
		if got := w.call("POST", "/v1/runs/"+run+"/approval", `{"approve":true}`); got.status != http.StatusOK || strings.Contains(got.body, "waiting_for_approval") {
			t.Errorf("call %d: approve: got %d %s", i, got.status, got.body)
			w.call("POST", "/v1/runs/"+run+"/stop", "")
			w.call("POST", "/v1/runs/"+run+"/stop", "")
		}
		w.readEvents(t.Context(), run, "", 0)
	}
}

// TestRunDecidedTwice: of two opposite decisions about a call, at two servers, one is taken, and the other
// one is told so.
func TestRunDecidedTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{Tools: []string{"memory"}, Approve: []string{"memory"}, alternate: true})
	for i := range 10 {
		w.up.Queue(upstreamtest.Step{ToolCalls: []upstreamtest.ToolCall{{ID: "call", Name: "memory", Arguments: `{"action":"save","statement":"Alex likes tea."}`}}},
			upstreamtest.Step{Text: "Done."})
		run := w.startRun(fmt.Sprintf(`{"input":"Remember it.","session_id":"s%d"}`, i))
		if events := w.readEvents(t.Context(), run, "", 2); len(events) != 2 {
			t.Fatalf("got %+v", events)
		}
		var got [2]int
		var both sync.WaitGroup
		for n, body := range []string{`{"approve":false}`, `{"approve":true}`} {
			both.Go(func() { got[n] = w.call("POST", "/v1/runs/"+run+"/approval", body).status })
		}
		both.Wait()
		taken := 0
		for _, e := range w.readEvents(t.Context(), run, "", 0) {
			if e.name == "approval.resolved" && strings.Contains(e.data, `"approved":true`) {
				taken = 1
			}
		}
		if got[taken] != http.StatusOK || got[1-taken] != http.StatusConflict {
			t.Errorf("run %d: got %d for the decision that was taken, and %d for the other one", i, got[taken], got[1-taken])
		}
	}
}

// TestTooManyRuns: who has too many open is told when to come back.
func TestTooManyRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{RunsWait: true, limits: live.Limits{OwnersOpen: 2}})
	for range 2 {
		w.startRun(`{"input":"Hello?"}`)
	}
	got := w.call("POST", "/v1/runs", `{"input":"Hello?"}`)
	if got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" || !strings.Contains(got.body, "too_many_runs") {
		t.Errorf("got %d %s, Retry-After %q", got.status, got.body, got.header.Get("Retry-After"))
	}
	if got = w.call("POST", "/v1/runs", `{"input":"Hello?"}`, "Authorization", "Bearer "+w.key("bob")); got.status != http.StatusAccepted {
		t.Errorf("of another owner: got %d %s", got.status, got.body)
	}
}

// TestForgetRuns: what is forgotten is in no run any more, nor in a byte of the
// files; a run under way is stopped with its session.
func TestForgetRuns(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	w := newWorld(t, options{patience: time.Millisecond, answer: func(r *upstreamtest.Request) upstreamtest.Step {
		if strings.Contains(string(r.Body), "Wait.") {
			<-hold
		}
		return upstreamtest.Step{Chunks: []string{"The zeb", "ra is ", "fine."}, Between: 5 * time.Millisecond}
	}})
	t.Cleanup(func() { close(hold) }) // before the upstream is closed
	first := w.run("a", "How is the animal?")
	kept := w.run("b", "How is the animal?") // its words go, too
	got := w.call("POST", "/api/memory/forget", `{"about":"zebra"}`)
	if !strings.Contains(got.body, `"left":0`) {
		t.Errorf("got the certificate %s", got.body)
	}
	for _, run := range []string{first, kept} {
		if got := w.call("GET", "/v1/runs/"+run, ""); got.status != http.StatusNotFound {
			t.Errorf("got %d %s, want the run gone", got.status, got.body)
		}
	}
	waits := w.startRun(`{"input":"Wait.","session_id":"a"}`)
	w.readEvents(t.Context(), waits, "", 1)
	if got := w.call("DELETE", "/api/sessions/a", ""); got.status != 200 {
		t.Errorf("delete the session of a run: got %d %s", got.status, got.body)
	}
	if got := w.call("GET", "/v1/runs/"+waits, ""); got.status != http.StatusNotFound {
		t.Errorf("got %d %s, want the run gone with its session", got.status, got.body)
	}
}
