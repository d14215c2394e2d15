package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
)

// TestOperator: settings and findings are for the operator alone.
func TestOperator(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	if got := w.call("GET", "/api/config", ""); got.status != http.StatusOK || !strings.Contains(got.body, `"value":"set"`) {
		t.Errorf("settings: got %d %s", got.status, got.body)
	}
	if got := w.call("GET", "/api/doctor", ""); got.status != http.StatusOK || !strings.Contains(got.body, `"ok":false`) {
		t.Errorf("findings, one failed: got %d %s", got.status, got.body)
	}
	key := w.key("alice", owner.AllScopes()...)
	for _, path := range []string{"/api/config", "/api/doctor"} {
		if got := w.with(key, "GET", path, ""); got.status != http.StatusForbidden || !strings.Contains(got.body, "local_owner_only") {
			t.Errorf("%s of another owner: got %d %s, want 403", path, got.status, got.body)
		}
	}
}

// TestForgetShows: a dry run shows what goes, and the certificate its number in the audit.
func TestForgetShows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.chat("s", "I met Wilhelmina. It rained.\nWilhelmina sang.")
	for i := range 25 {
		w.chat("t", fmt.Sprintf("Wilhelmina said %d.", i))
	}
	var told struct {
		Samples []struct {
			Text      string
			Seq       int64
			SessionID string `json:"session_id"`
		}
		At       time.Time
		AuditSeq int64 `json:"audit_seq"`
		Version  string
		Left     int
	}
	dry := w.call("POST", "/api/memory/forget", `{"about":"Wilhelmina","dry_run":true}`)
	if err := json.Unmarshal([]byte(dry.body), &told); err != nil || len(told.Samples) != 20 || told.AuditSeq != 0 || !told.At.IsZero() {
		t.Fatalf("got %s, %v, want 20 samples and no certificate", dry.body, err)
	}
	seen := make(map[string]bool)
	for _, s := range told.Samples {
		seen[s.SessionID+": "+s.Text] = true
		if !strings.Contains(s.Text, "Wilhelmina") || strings.Contains(s.Text, "rained") {
			t.Errorf("got the sample %+v", s)
		}
	}
	if !seen["s: I met Wilhelmina."] && !seen["t: Wilhelmina said 0."] {
		t.Errorf("got %v", seen)
	}
	w.call("DELETE", "/api/sessions/nonesuch", "") // another entry
	done := w.call("POST", "/api/memory/forget", `{"about":"Wilhelmina"}`)
	told.Samples = nil
	if err := json.Unmarshal([]byte(done.body), &told); err != nil || told.Samples != nil || told.Version != "test" || told.At.IsZero() || told.Left != 0 {
		t.Fatalf("got %s, %v", done.body, err)
	}
	rows, words := w.audit()
	if told.AuditSeq != int64(len(rows)) || words[len(words)-1] != "memory.forget ok" {
		t.Errorf("got entry %d of %v", told.AuditSeq, words)
	}
}
