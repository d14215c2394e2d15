package cli_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// TestKilledOneShot: a one-shot whose time falls into the gap that a killed
// server leaves fires exactly once afterwards, marked late (J11, J13).
func TestKilledOneShot(t *testing.T) {
	t.Parallel()
	model := upstreamtest.New(t, upstreamtest.Options{Default: echo})
	home, env := t.TempDir(), []string{"HERMES_UPSTREAM_URL=" + model.URL + "/v1", "HERMES_MODEL=m"}
	s := serve(t, home, env, "--addr", "127.0.0.1:0")
	made := callJobs(t, s.addr, http.MethodPost, "/api/jobs", `{"name":"soon","schedule":"in 1s","prompt":"Good morning"}`)
	gap := time.NewTimer(2 * time.Second)
	s.kill()
	<-gap.C
	id, _ := made["job"].(map[string]any)["id"].(string)
	for range 2 { // the second server finds it done
		s = serve(t, home, env, "--addr", "127.0.0.1:0")
		var run map[string]any
		eventually(t, "the job to fire", func() bool {
			list, _ := callJobs(t, s.addr, http.MethodGet, "/api/jobs/"+id+"/runs", "")["data"].([]any)
			if len(list) > 1 {
				t.Fatalf("got %d runs, want one", len(list))
			}
			if len(list) == 1 {
				run, _ = list[0].(map[string]any)
			}
			return run["status"] == "completed"
		})
		if late, _ := run["late_seconds"].(float64); late < 0.5 || run["output"] != "Noted, Good morning it is." {
			t.Errorf("got %v, want it marked late", run)
		}
		s.kill()
	}
	asked := 0
	for _, req := range model.Requests() {
		asked += bytes.Count(req.Body, []byte(`"Good morning"`))
	}
	if asked != 1 {
		t.Errorf("the model was asked %d times, want once", asked)
	}
}

// callJobs calls the API and returns its answer.
func callJobs(t *testing.T, addr, method, path, body string) map[string]any {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+addr+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer hermes")
	res, err := newClient(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	var out map[string]any
	if err != nil || res.StatusCode >= 300 || json.Unmarshal(text, &out) != nil {
		t.Fatalf("%s %s: got %d %s, %v", method, path, res.StatusCode, text, err)
	}
	return out
}
