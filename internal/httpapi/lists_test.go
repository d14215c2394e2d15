package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// told is the names of a list's rows, and its cursor.
func (w *world) told(path string, name func(map[string]any) string) (names, cursor string) {
	w.t.Helper()
	var list struct {
		Data []map[string]any
		Next string `json:"next_cursor"`
	}
	got := w.call("GET", path, "")
	if err := json.Unmarshal([]byte(got.body), &list); err != nil || got.status != http.StatusOK {
		w.t.Fatalf("%s: got %d %s, %v", path, got.status, got.body, err)
	}
	for _, row := range list.Data {
		names += name(row) + " "
	}
	return strings.TrimSpace(names), list.Next
}

func text(row map[string]any, name string) string {
	s, _ := row[name].(string)
	return s
}

// TestScopes: scopes of memory are listed by key or lineage, and sessions by their key.
func TestScopes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.chat("a", "We chose Rust because of latency.", "X-Hermes-Session-Key", "team")
	w.chat("b", "We use Kafka.")
	w.chat("c", "We use Redis.", "X-Hermes-Session-Key", "team")
	name := func(row map[string]any) string {
		return text(row, "session_key") + text(row, "_lineage_root_id") + ":" + strings.Repeat("s", int(row["sessions"].(float64)))
	}
	if got, _ := w.told("/api/memory/scopes", name); got != "team:ss b:s" {
		t.Errorf("got %q", got)
	}
	first, cursor := w.told("/api/memory/scopes?limit=1", name)
	second, end := w.told("/api/memory/scopes?limit=1&cursor="+cursor, name)
	if first != "team:ss" || second != "b:s" || end != "" {
		t.Errorf("in pages: got %q and %q, with the cursor %q", first, second, end)
	}
	if got, _ := w.told("/api/memory/scopes?q=TEA", name); got != "team:ss" {
		t.Errorf("found: got %q", got)
	}
	if got, _ := w.told("/api/sessions?session_key=team", func(row map[string]any) string { return text(row, "id") }); got != "c a" {
		t.Errorf("sessions of the key: got %q", got)
	}
	if got := w.call("GET", "/api/memory/scopes?cursor=x", ""); got.status != http.StatusBadRequest {
		t.Errorf("a wrong cursor: got %d %s", got.status, got.body)
	}
}

// TestSelectedRuns: runs are selected by their state and their lineage.
func TestSelectedRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	first := w.run("a", "One.")
	w.clock.Advance(time.Second)
	second := w.run("b", "Two.")
	w.call("POST", "/api/sessions/a/compress", "")
	id := func(row map[string]any) string { return text(row, "run_id") }
	for query, want := range map[string]string{
		"": second + " " + first, "?session_id=a": first, "?session_id=b&status=completed": second, "?status=open": "", "?session_id=nonesuch": "",
	} {
		if got, _ := w.told("/v1/runs"+query, id); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	if got := w.call("GET", "/v1/runs?status=x", ""); got.status != http.StatusBadRequest || !strings.Contains(got.body, "invalid_status") {
		t.Errorf("a wrong status: got %d %s", got.status, got.body)
	}
}

// TestAllRunsOfJobs: the ledger of all jobs names them, and is read in pages.
func TestAllRunsOfJobs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	for _, name := range []string{"one", "two"} {
		var made struct{ Job struct{ ID string } }
		got := w.call("POST", "/api/jobs", `{"name":"`+name+`","schedule":"@daily","prompt":"p"}`)
		if err := json.Unmarshal([]byte(got.body), &made); err != nil || got.status != http.StatusCreated {
			t.Fatalf("got %d %s, %v", got.status, got.body, err)
		}
		w.call("POST", "/api/jobs/"+made.Job.ID+"/run", "")
	}
	name := func(row map[string]any) string { return text(row, "job_name") + ":" + text(row, "status") }
	all, _ := w.told("/api/jobs/runs", name)
	first, cursor := w.told("/api/jobs/runs?limit=1", name)
	second, end := w.told("/api/jobs/runs?limit=1&cursor="+url.QueryEscape(cursor), name)
	if all != first+" "+second || end != "" || !strings.Contains(all, "one:due") || !strings.Contains(all, "two:due") {
		t.Errorf("got %q, in pages %q and %q, with the cursor %q", all, first, second, end)
	}
	if got, _ := w.told("/api/jobs/runs?status=failed", name); got != "" {
		t.Errorf("failed: got %q", got)
	}
	for query, code := range map[string]string{"status=x": "invalid_status", "since=x": "invalid_time", "before=x": "invalid_before", "cursor=!": "invalid_cursor"} {
		if got := w.call("GET", "/api/jobs/runs?"+query, ""); got.status != http.StatusBadRequest || !strings.Contains(got.body, code) {
			t.Errorf("%s: got %d %s", query, got.status, got.body)
		}
	}
}
