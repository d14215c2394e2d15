package run_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/run"
)

// TestStoredTogether: an answer in one piece that comes at once shares the commit
// of its input. One that is passed on as it comes, one that takes its time and one
// under a session key do not, and a model that refuses leaves the input stored.
func TestStoredTogether(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		req   run.Request
		says  saying
		slow  bool
		steps int
	}{
		{name: "at once", steps: 1},
		{name: "streamed", req: run.Request{Streaming: true}, steps: 2},
		{name: "under a key", req: run.Request{Key: "team"}, steps: 2},
		{name: "later", slow: true, steps: 2},
		{name: "refused", says: saying{err: fault.New(fault.Upstream, "upstream_error", "no")}, steps: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := setup(t, 8000)
			says := tt.says
			if says.err == nil {
				says.text = "Noted."
			}
			if tt.slow {
				says.after = h.store.wrote
			}
			h.model.say(says)
			req := tt.req
			req.Session, req.Messages = "s", user("We moved from Postgres to MySQL because of the licence.")
			got := h.turn(&req)
			want := []string{"user:We moved from Postgres to MySQL because of the licence."}
			if says.err == nil {
				want = append(want, "assistant:Noted.")
				if got.err != nil || !got.result.Stored || len(got.result.Learned) == 0 {
					t.Errorf("got %+v, %v", got.result, got.err)
				}
			}
			if n := h.store.written(); n != tt.steps {
				t.Errorf("got %d commits, want %d", n, tt.steps)
			}
			if diff := cmp.Diff(want, words(h.transcript("s"))); diff != "" {
				t.Errorf("transcript (-want +got):\n%s", diff)
			}
			h.verify()
		})
	}
}
