package cli_test

import (
	"bytes"
	"net/http"
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
	var made map[string]any
	callAPI(t, s.addr, http.MethodPost, "/api/jobs", `{"name":"soon","schedule":"in 1s","prompt":"Good morning"}`, http.StatusCreated, &made)
	gap := time.NewTimer(2 * time.Second)
	s.kill()
	<-gap.C
	id, _ := made["job"].(map[string]any)["id"].(string)
	for range 2 { // the second server finds it done
		s = serve(t, home, env, "--addr", "127.0.0.1:0")
		var run map[string]any
		eventually(t, "the job to fire", func() bool {
			var answer map[string]any
			callAPI(t, s.addr, http.MethodGet, "/api/jobs/"+id+"/runs", "", http.StatusOK, &answer)
			list, _ := answer["data"].([]any)
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
