package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// statements are what an answer with "facts" or "data" holds, one a line.
func statements(t *testing.T, r reply) string {
	t.Helper()
	var out struct {
		Facts, Data []struct{ Statement string }
	}
	if err := json.Unmarshal([]byte(r.body), &out); err != nil || r.status != http.StatusOK {
		t.Fatalf("got %d %s, %v", r.status, r.body, err)
	}
	var all strings.Builder
	for _, f := range append(out.Facts, out.Data...) {
		all.WriteString(f.Statement + "\n")
	}
	return all.String()
}

// TestSessionKeyOfItsOwn opens a session with a session key. Messages without the header
// belong to the memory of that key, and the API shows the memory that turns are given.
func TestSessionKeyOfItsOwn(t *testing.T) {
	t.Parallel()
	const keyHeader = "X-Hermes-Session-Key"
	w := newWorld(t, options{})
	for _, id := range []string{"mine", "archive"} {
		if r := w.call("POST", "/api/sessions", `{"id":"`+id+`","session_key":"team"}`); r.status != http.StatusCreated {
			t.Fatalf("create %s: got %d %s", id, r.status, r.body)
		}
	}
	if r := w.chat("mine", "My sister is called Wilhelmina."); r.header.Get(keyHeader) != "" {
		t.Errorf("a key that was not sent is told: %q", r.header.Get(keyHeader))
	}
	if r := w.call("POST", "/api/sessions/archive/messages", `{"messages":[{"role":"user","content":"We use Erlang because of uptime."}]}`); r.status >= 400 {
		t.Fatalf("append: got %d %s", r.status, r.body)
	}
	w.chat("other", "My brother is called Theobald.", keyHeader, "team")

	const foreign = `{"id":"foreign","session_key":"team","started_at":"2026-01-02T10:00:00Z","messages":[{"role":"user","content":"My cousin is called Engelbert."}]}`
	if r := w.call("POST", "/api/sessions/import", foreign+"\n"); !strings.Contains(r.body, `"imported":1`) {
		t.Fatalf("import: got %d %s", r.status, r.body)
	}

	if r := w.call("GET", "/api/sessions/mine", ""); !strings.Contains(r.body, `"session_key":"team"`) {
		t.Errorf("the session has lost its key: %s", r.body)
	}
	for what, r := range map[string]reply{
		"the key":                              w.call("GET", "/api/memory?session_key=team", ""),
		"a session that was made with the key": w.call("GET", "/api/sessions/mine/state", ""),
		"a session that was sent the key":      w.call("GET", "/api/sessions/other/state", ""),
		"facts of a session":                   w.call("GET", "/api/memory?session_id=mine", ""),
	} {
		got := statements(t, r)
		for _, word := range []string{"Wilhelmina", "Erlang", "Theobald", "Engelbert"} {
			if !strings.Contains(got, word) {
				t.Errorf("%s: does not know of %s, but of %q", what, word, got)
			}
		}
	}
	if r := w.call("GET", "/api/sessions/mine/state", ""); !strings.Contains(r.body, "Theobald") || strings.Contains(r.body, `"next":""`) {
		t.Errorf("the state shows no memory block: %s", r.body)
	}
	if got := statements(t, w.call("GET", "/api/sessions/mine/timeline?topic=Erlang", "")); !strings.Contains(got, "Erlang") {
		t.Errorf("timeline: got %q", got)
	}
	if got := statements(t, w.call("GET", "/api/sessions/mine/state?scope=lineage", "")); !strings.Contains(got, "Wilhelmina") || strings.Contains(got, "Theobald") {
		t.Errorf("what the lineage itself has taught: got %q", got)
	}
	if r := w.call("GET", "/api/sessions/mine/state?scope=everything", ""); r.status != http.StatusBadRequest {
		t.Errorf("an unknown scope: got %d", r.status)
	}

	w.chat("mine", "What is my brother called?")
	if sent := string(w.up.Last().Body); !strings.Contains(sent, "Theobald") {
		t.Errorf("the turn was not given what its state shows: %s", sent)
	}
	w.chat("elsewhere", "My aunt is called Kunigunde.")
	if got := statements(t, w.call("GET", "/api/memory?session_key=team", "")); strings.Contains(got, "Kunigunde") {
		t.Errorf("a session without a key fed the key: %q", got)
	}
}
