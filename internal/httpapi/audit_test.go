package httpapi_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/owner"
)

type auditRow struct {
	Actor, Action, Outcome, Target, Detail string
	Kind                                   string `json:"target_kind"`
	Request                                string `json:"request_id"`
}

// audit is the local owner's list, oldest first, as "action outcome".
func (w *world) audit() (rows []auditRow, words []string) {
	w.t.Helper()
	var list struct{ Data []auditRow }
	if err := json.Unmarshal([]byte(w.call("GET", "/api/audit?limit=200", "").body), &list); err != nil {
		w.t.Fatal(err)
	}
	for i := len(list.Data) - 1; i >= 0; i-- {
		rows = append(rows, list.Data[i])
		words = append(words, list.Data[i].Action+" "+list.Data[i].Outcome)
	}
	return rows, words
}

// TestAudit does what is recorded, and what is not.
func TestAudit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.chat("canary-one", "We use Rust because of latency.")
	w.call("GET", "/api/sessions/canary-one", "")
	w.call("POST", "/api/keys", `{"name":"phone","owner":"local"}`, "X-Request-Id", "mine")
	w.call("DELETE", "/api/keys/phone", "")
	w.call("DELETE", "/api/keys/canary-key", "")
	w.call("POST", "/api/memory/forget", `{"about":"Rust","dry_run":true}`)
	w.call("POST", "/api/sessions/prune", `{"dry_run":true}`)
	w.call("GET", "/api/sessions/export", "")
	w.call("POST", "/api/jobs", `{"name":"canary-job","schedule":"@daily","prompt":"canary-prompt"}`)
	w.call("DELETE", "/api/sessions/canary-one", "")
	w.call("DELETE", "/api/sessions/canary-one", "")
	w.call("POST", "/api/memory/forget", `{"about":"canary-thing"}`)
	rows, got := w.audit()
	want := []string{
		"key.create ok", "key.revoke ok", "key.revoke key_not_found", "session.export ok", "job.create ok",
		"session.delete ok", "session.delete session_not_found", "memory.forget ok",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("audit (-want +got):\n%s", diff)
	}
	if r := rows[0]; r.Request != "mine" || r.Actor != "configured" || r.Kind != "key" || r.Target == "" || r.Target != rows[1].Target {
		t.Errorf("got %+v and %+v", r, rows[1])
	}
	if rows[2].Target != "" || rows[4].Target == "" || rows[7].Detail != "about" {
		t.Errorf("got %+v", rows)
	}
	if rows[5].Target == "" || rows[5].Target != rows[6].Target {
		t.Errorf("the session: got %+v and %+v", rows[5], rows[6])
	}
	if body := w.call("GET", "/api/audit", "").body; strings.Contains(body, "canary") {
		t.Errorf("the audit holds content: %s", body)
	}
	var one struct{ Data []auditRow }
	if err := json.Unmarshal([]byte(w.call("GET", "/api/audit?session_id=canary-one", "").body), &one); err != nil || len(one.Data) != 2 {
		t.Errorf("by session: got %+v, %v", one, err)
	}
	if body := w.call("GET", "/api/audit/verify", "").body; !strings.Contains(body, `"intact":true`) || !strings.Contains(body, `"entries":8`) {
		t.Errorf("got %s", body)
	}
	files, err := filepath.Glob(filepath.Join(w.dir, "state.db*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte("canary-one")) {
			t.Errorf("%s still names the session that was deleted", filepath.Base(file))
		}
	}
}

// TestAuditRefusals: guessing keys makes one entry a minute.
func TestAuditRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	guess := func() { w.call("GET", "/v1/models", "", "Authorization", "Bearer canary") }
	for range 5 {
		guess()
	}
	w.clock.Advance(time.Minute)
	guess()
	rows, _ := w.audit()
	if len(rows) != 2 || rows[0].Detail != "refused=1" || rows[1].Detail != "refused=5" || rows[1].Action != "auth.refused" {
		t.Errorf("got %+v", rows)
	}
}

// TestAuditIsOneOwners: an administrator sees the own owner's list.
func TestAuditIsOneOwners(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	key := w.key("alice", owner.Admin, owner.SessionsWrite)
	w.call("DELETE", "/api/sessions/x", "")
	w.call("DELETE", "/api/sessions/y", "", "Authorization", "Bearer "+key)
	body := w.call("GET", "/api/audit", "", "Authorization", "Bearer "+key).body
	if strings.Count(body, `"action"`) != 1 || !strings.Contains(body, `"actor":"key:alice"`) {
		t.Errorf("got %s", body)
	}
}

// TestEveryChangeIsRecorded: a route that changes something is recorded, or
// stands here with the reason.
func TestEveryChangeIsRecorded(t *testing.T) {
	t.Parallel()
	reasons := map[string]string{
		"POST /v1/chat/completions":         "turns have receipts",
		"POST /v1/messages":                 "turns have receipts",
		"POST /v1/messages/count_tokens":    "only counts",
		"POST /v1/responses":                "turns have receipts",
		"POST /v1/responses/compact":        "changes nothing",
		"POST /v1/responses/input_tokens":   "changes nothing",
		"POST /v1/responses/{id}/cancel":    "takes nothing away",
		"POST /v1/conversations":            "adds only",
		"POST /v1/conversations/{id}":       "metadata",
		"POST /v1/conversations/{id}/items": "adds only",
		"POST /v1/runs":                     "turns have receipts",
		"POST /api/sessions":                "adds only",
		"PATCH /api/sessions/{id}":          "a title or a prompt",
		"POST /api/sessions/{id}/compress":  "takes nothing away",
		"POST /api/sessions/{id}/fork":      "adds only",
		"POST /api/sessions/{id}/messages":  "adds only",
		"POST /gateway/webhook":             "turns have receipts",
		"POST /platforms/{platform}":        "turns have receipts",
		"POST /platforms/{platform}/{part}": "turns have receipts",
		"POST /api/sessions/mirror":         "writes files from the data",
		"POST /api/pairings":                "the gateway records it",
		"DELETE /api/pairings":              "the gateway records it",
		"POST /api/page/token":              "its handler records it, once the caller is known",
		"POST /api/provider/test":           "changes nothing",
		"POST /mcp":                         "its tools use the other routes",
	}
	listed := make(map[string]bool)
	for _, name := range httpapi.Audited() {
		listed[name] = true
	}
	for _, v := range httpapi.Table() {
		name := v.Method + " " + v.Path
		if _, excused := reasons[name]; v.Method != "GET" && listed[name] == excused {
			t.Errorf("%s: got recorded %v and excused %v, want one: see audited()", name, listed[name], excused)
		}
		delete(listed, name)
	}
	if len(listed) > 0 {
		t.Errorf("no such routes: %v", listed)
	}
}
