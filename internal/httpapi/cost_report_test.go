package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestCostReport: the costs of all sessions are summed up by group, and a report is bounded.
func TestCostReport(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.chat("a", "We chose Rust because of latency.")
	w.chat("b", "We use Kafka.")
	w.chat("b", "And Redis.")
	var told struct {
		Turns int
		Sent  int `json:"sent_tokens"`
		Data  []struct {
			Group string
			Turns int
		}
	}
	got := w.call("GET", "/api/cost?by=session", "")
	if err := json.Unmarshal([]byte(got.body), &told); err != nil || told.Turns != 3 || told.Sent == 0 || len(told.Data) != 2 || told.Data[1].Turns != 2 {
		t.Errorf("got %d %s, %v", got.status, got.body, err)
	}
	for query, code := range map[string]string{"bucket=month": "invalid_bucket", "by=owner": "invalid_by", "from=x": "invalid_time", "bucket=hour&from=2020-01-01T00:00:00Z": "too_many_buckets"} {
		if got := w.call("GET", "/api/cost?"+query, ""); got.status != http.StatusBadRequest || !strings.Contains(got.body, code) {
			t.Errorf("%s: got %d %s, want 400 %s", query, got.status, got.body, code)
		}
	}
}
