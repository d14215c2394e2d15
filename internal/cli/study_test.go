package cli_test

import (
	"net/http"
	"os"
	"path/filepath"
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

// TestStudyKilled kills the server while a model works in the background, and again
// behind its answer: the title it gave is there, and was asked for twice in all.
func TestStudyKilled(t *testing.T) {
	t.Parallel()
	st := newStudent(t)
	st.says(upstreamtest.Step{Hang: true})
	home := t.TempDir()
	env := st.env("HERMES_MEMORY_MODEL=student", "HERMES_EMBEDDINGS_MODEL=embed")
	s := serve(t, home, env, "--addr", "127.0.0.1:0")
	s.say("demo", "Could you have a look at whether, in spring, my kitchen renovation can start?")
	for r := range st.Arrivals() {
		if r.Model == "student" {
			break
		}
	}
	s.say("demo", "And so on.")
	s.kill()
	st.says(upstreamtest.Reply(`{"title": "Kitchen renovation in spring"}`))
	s = serve(t, home, env, "--addr", "127.0.0.1:0")
	titled := func() bool { return strings.Contains(s.get("/api/sessions/demo"), `"Kitchen renovation in spring"`) }
	eventually(t, "the title to be given", titled)
	s.kill()
	s = serve(t, home, env, "--addr", "127.0.0.1:0")
	eventually(t, "the title to be there after another kill", titled)
	if out := s.get("/v1/capabilities"); !strings.Contains(out, `"background":{"model":"student","embeddings_model":"embed"}`) {
		t.Errorf("capabilities: %s", out)
	}
	const told = "memory is studied in the background"
	eventually(t, "the log to say so", func() bool { return strings.Contains(s.log.String(), told) })
	if got := strings.Count(s.log.String(), told); got != 1 {
		t.Errorf("the log says so %d times, want once", got)
	}
	s.stop()
	asked := 0
	for _, r := range st.Requests() {
		if r.Model == "student" {
			asked++
		}
	}
	if asked != 2 {
		t.Errorf("got %d calls, want the lost one and one more", asked)
	}
	cmd := command(t, home, env, "rebuild", "--verify")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("rebuild --verify: %v\n%s", err, out)
	}
}

// TestFoundFacts opens a home with facts that a model found in an older version: they
// are gone, what they replaced holds again, and a rebuild gives the same state.
func TestFoundFacts(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	old := database(t, home)
	for _, name := range []string{"version1.sql", "findings.sql"} {
		script, err := os.ReadFile(filepath.Join("..", "sqlite", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := old.ExecContext(t.Context(), string(script)); err != nil {
			t.Fatal(err)
		}
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if out, err := command(t, home, nil, "rebuild", "--verify").CombinedOutput(); err != nil || !strings.Contains(string(out), "identical") {
			t.Errorf("rebuild --verify: %v\n%s", err, out)
		}
	}
	db := database(t, home)
	if got := ask[string](t, db, `PRAGMA integrity_check`); got != "ok" {
		t.Errorf("integrity check: got %q", got)
	}
	const current = `SELECT count(*) FROM facts WHERE superseded_by IS NULL AND coalesce(links, '') NOT LIKE '%f_found%' AND statement LIKE ?`
	for statement, want := range map[string]int{
		"My cat is called Quetzal": 1, "We use PostgreSQL for the ledger": 1, "I live in Oslo%": 1, "cat is called Quetzal": 0,
	} {
		if got := ask[int](t, db, current, statement); got != want {
			t.Errorf("%q: got %d current facts, want %d", statement, got, want)
		}
	}
	if n := ask[int](t, db, `SELECT count(*) FROM meta WHERE name = 'facts_lost'`); n != 0 {
		t.Error("the facts are still to be distilled again")
	}
}

// get fetches a document that must be there.
func (s *server) get(path string) string {
	s.t.Helper()
	return callAPI(s.t, s.addr, http.MethodGet, path, "", http.StatusOK, nil)
}

// calls is the number of calls of a model. The list of models is not one.
func (st *student) calls() int {
	n := 0
	for _, r := range st.Requests() {
		if r.Method == http.MethodPost {
			n++
		}
	}
	return n
}

// TestStudyOff: without a setting, a turn is one call and nothing else is sent.
func TestStudyOff(t *testing.T) {
	t.Parallel()
	st := newStudent(t)
	s := serve(t, t.TempDir(), st.env(), "--addr", "127.0.0.1:0")
	for i := range 12 {
		s.say("demo", "We have another boat in the harbour.")
		if got := st.calls(); got != i+1 {
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
