package cli_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// TestRunsOverAKill: a run that a kill cut off is followed to its end at the next
// server, and its prompt is stored once.
func TestRunsOverAKill(t *testing.T) {
	t.Parallel()
	var asked atomic.Bool
	model := upstreamtest.New(t, upstreamtest.Options{Quiet: true, Default: func(*upstreamtest.Request) upstreamtest.Step {
		step := upstreamtest.Step{Chunks: []string{"All", " is", " well."}}
		if !asked.Swap(true) {
			step.Between = time.Minute
		}
		return step
	}})
	home := t.TempDir()
	env := []string{"HERMES_UPSTREAM_URL=" + model.URL + "/v1", "HERMES_MODEL=m"}
	s := serve(t, home, env, "--addr", "127.0.0.1:0")
	var made struct {
		RunID string `json:"run_id"`
	}
	callAPI(t, s.addr, http.MethodPost, "/v1/runs", `{"input":"How is it going?","session_id":"s"}`, http.StatusAccepted, &made)
	hermes := func(args ...string) string {
		out, err := command(t, home, env, args...).CombinedOutput()
		if err != nil {
			t.Errorf("hermes %v: %v: %s", args, err, out)
		}
		return string(out)
	}
	db := database(t, home)
	eventually(t, "the run to begin", func() bool { return ask[int](t, db, `SELECT count(*) FROM run_events`) >= 1 })
	if got := hermes("runs", "show", made.RunID); !strings.Contains(got, "running") {
		t.Errorf("show: got %q", got)
	}
	s.kill()
	s = serve(t, home, env, "--addr", "127.0.0.1:0")
	if got := hermes("runs", "follow", made.RunID); !strings.Contains(got, "— started again —") || !strings.Contains(got, "All is well.") {
		t.Errorf("follow: got %q", got)
	}
	if got := hermes("runs", "list"); !strings.Contains(got, "completed") || !strings.Contains(got, "All is well.") {
		t.Errorf("list: got %q", got)
	}
	s.stop()
	if got := hermes("runs", "show", made.RunID); !strings.Contains(got, "attempts    2") {
		t.Errorf("show: got %q", got)
	}
	if got := hermes("runs", "follow", made.RunID, "--json", "--after", "1"); strings.Count(got, "\n") != strings.Count(got, `"type":`) || !strings.Contains(got, "run.completed") {
		t.Errorf("follow --json: got %q", got)
	}
	stored := rows(t, db)
	if len(stored) != 2 || stored[0].text != "How is it going?" || stored[1].text != "All is well." {
		t.Errorf("got the messages %+v, want the prompt and the answer once", stored)
	}
}
