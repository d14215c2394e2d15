package cli_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// student is a model server that answers turns with "ok", and background calls
// as it is told.
type student struct {
	*upstreamtest.Server
	mu   sync.Mutex
	next upstreamtest.Step
}

func newStudent(t *testing.T) *student {
	t.Helper()
	st := &student{}
	st.Server = upstreamtest.New(t, upstreamtest.Options{Default: func(r *upstreamtest.Request) upstreamtest.Step {
		if r.Model != "student" {
			return upstreamtest.Reply("ok")
		}
		st.mu.Lock()
		defer st.mu.Unlock()
		return st.next
	}})
	return st
}

func (st *student) says(s upstreamtest.Step) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.next = s
}

// env is what makes a hermes use it.
func (st *student) env(more ...string) []string {
	return append([]string{"HERMES_UPSTREAM_URL=" + st.URL + "/v1", "HERMES_MODEL=turns"}, more...)
}

// TestStudyKilled kills the server while a model reads in the background, and
// again behind its answer: what was to be found is there once.
func TestStudyKilled(t *testing.T) {
	t.Parallel()
	st := newStudent(t)
	st.says(upstreamtest.Step{Hang: true})
	home := t.TempDir()
	env := st.env("HERMES_MEMORY_MODEL=student", "HERMES_EMBEDDINGS_MODEL=embed")
	s := serve(t, home, env, "--addr", "127.0.0.1:0")
	s.say("demo", "By the way, the roof terrace opens at seven, and lunch is late.")
	for range 4 {
		s.say("demo", "And so on.")
	}
	for r := range st.Arrivals() {
		if r.Model == "student" {
			break
		}
	}
	s.kill()
	st.says(upstreamtest.Reply(`{"statements": [
		{"message": 0, "quote": "the roof terrace opens at seven", "statement": "the roof terrace opens at seven"},
		{"message": 0, "quote": "lunch is late", "statement": "lunch is early"}]}`))
	s = serve(t, home, env, "--addr", "127.0.0.1:0")
	found := func() int {
		var out struct {
			Data []struct {
				Statement  string
				ProposedBy string `json:"proposed_by"`
			}
		}
		if err := json.Unmarshal([]byte(s.get("/api/memory?session_id=demo")), &out); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, f := range out.Data {
			if f.ProposedBy == "student" && f.Statement == "the roof terrace opens at seven" {
				n++
			}
		}
		return n
	}
	eventually(t, "the fact to be found", func() bool { return found() == 1 })
	s.kill()
	s = serve(t, home, env, "--addr", "127.0.0.1:0")
	eventually(t, "the fact to be there after another kill", func() bool { return found() == 1 })
	if out := s.get("/v1/capabilities"); !strings.Contains(out, `"background":{"model":"student","embeddings_model":"embed"}`) {
		t.Errorf("capabilities: %s", out)
	}
	if got := strings.Count(s.log.String(), "memory is studied in the background"); got != 1 {
		t.Errorf("the log says so %d times, want once", got)
	}
	s.stop()
	cmd := command(t, home, env, "rebuild", "--verify")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("rebuild --verify: %v\n%s", err, out)
	}
}

// get fetches a document that must be there.
func (s *server) get(path string) string {
	s.t.Helper()
	return callAPI(s.t, s.addr, http.MethodGet, path, "", http.StatusOK, nil)
}

// TestStudyOff: without a setting, a turn is one call and nothing else is sent.
func TestStudyOff(t *testing.T) {
	t.Parallel()
	st := newStudent(t)
	s := serve(t, t.TempDir(), st.env(), "--addr", "127.0.0.1:0")
	for i := range 12 {
		s.say("demo", "We have another boat in the harbour.")
		if got := len(st.Requests()); got != i+1 {
			t.Fatalf("after turn %d: got %d calls", i+1, got)
		}
	}
	if out := s.get("/v1/capabilities"); !strings.Contains(out, `"background":{"model":"","embeddings_model":""}`) {
		t.Errorf("capabilities: %s", out)
	}
	if strings.Contains(s.log.String(), "studied") {
		t.Error("the log speaks of background work")
	}
	s.stop()
}
