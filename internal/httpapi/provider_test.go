package httpapi_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/run"
)

// mute is an external memory that takes everything and knows nothing.
type mute struct{}

func (mute) Recall(context.Context, run.Place, string, int) (string, error) { return "", nil }

func (mute) Told(context.Context, run.Place, []run.Said) error { return nil }

func (mute) Forget(context.Context, run.Place, []int64) (run.Passed, error) {
	return run.Passed{Confirmed: 1}, nil
}

// TestProvider: a backfill counts what an owner has said, and nothing of others.
func TestProvider(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.chat("s", "We use Rust because of latency.")
	ada := "Bearer " + w.key("ada")
	w.call("POST", "/v1/chat/completions", chatBody("hello", false), "Authorization", ada)
	w.call("POST", "/v1/chat/completions", chatBody("again", false), "Authorization", ada)
	for who, want := range map[string]int{"": 2, ada: 4} {
		var headers []string
		if who != "" {
			headers = []string{"Authorization", who}
		}
		var got httpapi.ProviderBackfill
		body := w.call("POST", "/api/provider/backfill", `{"dry_run":true}`, headers...).body
		if err := json.Unmarshal([]byte(body), &got); err != nil || got.Messages != want || !got.DryRun {
			t.Errorf("%q: got %s, %v, want %d messages", who, body, err, want)
		}
	}
	rows, _ := w.audit()
	w.call("POST", "/api/provider/forget", "")
	w.call("POST", "/api/provider/backfill", "{}")
	after, words := w.audit()
	if len(after) != len(rows)+2 || words[len(words)-1] != "provider.backfill ok" || words[len(words)-2] != "provider.forget ok" {
		t.Errorf("got the audit %v", words)
	}
}
