package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// TestEditedTwice: of several edits of one thing at the same moment, which were all made from what was
// read before, one succeeds. The others are told that the thing has changed.
func TestEditedTwice(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]options{"one server": {}, "two servers": {postgres: true, alternate: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, o)
			w.chat("s", "I prefer tabs over spaces.")
			w.call("POST", "/v1/chat/completions", chatBody("I prefer tea over coffee.", false), "X-Hermes-Session-Id", "k", "X-Hermes-Session-Key", "team")
			for _, scope := range []string{"session_id=s", "session_key=team"} {
				edit := "/api/memory/" + firstFact(t, w, scope) + "?" + scope
				w.edits(t, edit, `{"statement":"I prefer version %d of it."}`, http.StatusConflict, "fact_replaced")
			}
			job := madeJob(t, w)
			w.edits(t, "/api/jobs/"+job.ID, `{"name":"version %d","updated_at":"`+job.UpdatedAt+`"}`, http.StatusPreconditionFailed, "job_changed")
		})
	}
}

// edits sends several edits of a thing at once, while a turn of the session s is under way, and checks
// that all but one are refused.
func (w *world) edits(t *testing.T, path, body string, status int, code string) {
	t.Helper()
	const edits = 6
	asked, hold := len(w.up.Requests()), make(chan struct{})
	w.up.Queue(upstreamtest.Step{Text: "late", Hold: hold})
	var all sync.WaitGroup
	all.Go(func() { w.chat("s", "And?") })
	w.until(func() bool { return len(w.up.Requests()) == asked+1 })
	var mu sync.Mutex
	got := make(map[string]int)
	for i := range edits {
		all.Go(func() {
			answer := w.call("PATCH", path, fmt.Sprintf(body, i))
			mu.Lock()
			defer mu.Unlock()
			switch {
			case answer.status == http.StatusOK:
				got["done"]++
			case answer.status == status && strings.Contains(answer.body, `"`+code+`"`):
				got["refused"]++
			default:
				got[fmt.Sprintf("%d %s", answer.status, answer.body)]++
			}
		})
	}
	close(hold)
	all.Wait()
	if diff := cmp.Diff(map[string]int{"done": 1, "refused": edits - 1}, got); diff != "" {
		t.Errorf("%s: got (+), want (-):\n%s", path, diff)
	}
}

// firstFact is the id of the first fact of a scope.
func firstFact(t *testing.T, w *world, scope string) string {
	t.Helper()
	var facts struct{ Data []struct{ ID string } }
	got := w.call("GET", "/api/memory?"+scope, "")
	if err := json.Unmarshal([]byte(got.body), &facts); err != nil || len(facts.Data) == 0 {
		t.Fatalf("got %d %s, %v, want a fact", got.status, got.body, err)
	}
	return facts.Data[0].ID
}

// madeJob is a new job.
func madeJob(t *testing.T, w *world) (job struct {
	ID        string
	UpdatedAt string `json:"updated_at"`
}) {
	t.Helper()
	out := struct{ Job any }{&job}
	got := w.call("POST", "/api/jobs", `{"name":"report","schedule":"@daily","prompt":"p"}`)
	if err := json.Unmarshal([]byte(got.body), &out); err != nil || job.ID == "" {
		t.Fatalf("got %d %s, %v, want a job", got.status, got.body, err)
	}
	return job
}
