package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
)

func recordTests() []test {
	return []test{
		{"a run is read back as it was written", testRunFields},
		{"events are numbered without gaps", testRunEvents},
		{"a repeated request returns the first run", testRunKeys},
		{"the number of open runs is bounded", testRunBounds},
		{"the list begins with the newest run", testRunList},
	}
}

// aRun is a run that was requested and has not begun.
func aRun(id string) live.Run {
	return live.Run{
		ID: id, Kind: live.KindRun, Session: theSession, Key: theKey, Model: "m", State: live.Queued, OnRestart: live.Retry,
		Request: json.RawMessage(`{"metadata":{"a":"b"}}`), Turn: json.RawMessage(`{"messages":[{"content":"hello"}]}`),
		CreatedAt: epoch(), WakeAt: epoch(),
	}
}

func bounds() live.Bounds { return live.Bounds{All: 100, Each: 100} }

func mustRun(t *testing.T, st Store, o owner.Owner, r live.Run) live.Run {
	t.Helper()
	got, made, err := st.CreateRun(t.Context(), o, r, bounds())
	if err != nil || !made {
		t.Fatalf("create record: %v, %v", made, err)
	}
	return got
}

func mustClaim(t *testing.T, st Store, o owner.Owner, id string) live.Run {
	t.Helper()
	r, ok, err := st.ClaimRun(t.Context(), o, live.Claim{ID: id, At: epoch(), Until: hour(1)})
	if err != nil || !ok {
		t.Fatalf("claim record: %v, %v", ok, err)
	}
	return r
}

// told is an event with a text.
func told(text string) live.Event {
	data, _ := json.Marshal(live.Piece{Content: text}) // a string: cannot fail
	return live.Event{Type: live.MessageDelta, At: epoch(), Data: data}
}

// over is a claimed run at its end.
func over(r live.Run, text string) live.Run {
	r.State, r.Turn, r.WakeAt, r.FinishedAt = live.Completed, nil, time.Time{}, hour(1)
	r.Root, r.FirstSeq, r.EndSeq = r.Session, 4, 6
	r.Result = &run.Result{SessionID: r.Session, RootID: r.Session, Answer: run.Answer{Content: text, FinishReason: "stop"}, At: hour(1)}
	return r
}

func mustAdvance(t *testing.T, st Store, o owner.Owner, r live.Run, to *live.Run, events ...live.Event) int64 {
	t.Helper()
	last, ok, err := st.Advance(t.Context(), o, live.Step{ID: r.ID, Fence: r.Fence, Run: to, Events: events})
	if err != nil || !ok {
		t.Fatalf("advance: %v, %v", ok, err)
	}
	return last
}

func runOf(t *testing.T, st Store, o owner.Owner, id string) live.Run {
	t.Helper()
	r, err := st.Run(t.Context(), o, id)
	kind(t, "record", err, "")
	return r
}

func testRunFields(t *testing.T, st Store) {
	r := aRun("run_1")
	r.ClientKey, r.ClientHash = "key", []byte("hash")
	same(t, "made", mustRun(t, st, alice(), r), r)
	same(t, "record", runOf(t, st, alice(), r.ID), r)
	_, err := st.Run(t.Context(), alice(), "run_9")
	kind(t, "an absent record", err, fault.NotFound)
	_, _, err = st.CreateRun(t.Context(), alice(), aRun("run_1"), bounds())
	kind(t, "the same id", err, fault.Conflict)

	c := mustClaim(t, st, alice(), r.ID)
	r.State, r.Attempts, r.Fence, r.StartedAt, r.WakeAt = live.Running, 1, 1, epoch(), hour(1)
	same(t, "claimed", c, r)
	c.State, c.Root, c.WakeAt = live.Waiting, "root", hour(2)
	c.Approvals = []live.Approval{{CallID: "call_1", Name: "shell", Arguments: json.RawMessage(`{"a":1}`), Deadline: hour(1)}}
	mustAdvance(t, st, alice(), c, &c)
	same(t, "waiting", runOf(t, st, alice(), r.ID), c)
	done := over(c, "All is well.")
	done.Approvals, done.Failure = nil, &live.Failure{Kind: fault.Upstream, Code: "x", Message: "no", Status: 500, RetryAfter: time.Second}
	mustAdvance(t, st, alice(), c, &done, told("All is well."))
	done.Events = 1
	same(t, "over", runOf(t, st, alice(), r.ID), done)
	if _, ok, err := st.ClaimRun(t.Context(), alice(), live.Claim{ID: r.ID, At: hour(9), Until: hour(10)}); ok || err != nil {
		t.Errorf("claim one that is over: got %v, %v", ok, err)
	}
	kind(t, "delete", st.DeleteRun(t.Context(), alice(), r.ID), "")
	kind(t, "delete again", st.DeleteRun(t.Context(), alice(), r.ID), fault.NotFound)
	_, _, err = st.Events(t.Context(), alice(), r.ID, 0, 10)
	kind(t, "events of a deleted record", err, fault.NotFound)
}

func testRunEvents(t *testing.T, st Store) {
	mustRun(t, st, alice(), aRun("run_1"))
	c := mustClaim(t, st, alice(), "run_1")
	if last := mustAdvance(t, st, alice(), c, nil, told("a"), told("b")); last != 2 {
		t.Errorf("got the last Seq %d, want 2", last)
	}
	mustAdvance(t, st, alice(), c, nil)
	if last := mustAdvance(t, st, alice(), c, nil, told("c")); last != 3 {
		t.Errorf("got the last Seq %d, want 3", last)
	}
	for _, tt := range []struct {
		after int64
		limit int
		want  string
	}{{0, 10, "1a2b3c"}, {1, 1, "2b"}, {2, 10, "3c"}, {3, 10, ""}, {99, 10, ""}} {
		events, state, err := st.Events(t.Context(), alice(), "run_1", tt.after, tt.limit)
		kind(t, "events", err, "")
		got := ""
		for _, e := range events {
			var p live.Piece
			if err := json.Unmarshal(e.Data, &p); err != nil || !e.At.Equal(epoch()) || e.Type != live.MessageDelta {
				t.Errorf("got the event %+v, %v", e, err)
			}
			got += fmt.Sprint(e.Seq) + p.Content
		}
		if got != tt.want || state != live.Running {
			t.Errorf("after %d: got %q in state %s, want %q", tt.after, got, state, tt.want)
		}
	}
}

func testRunKeys(t *testing.T, st Store) {
	r := aRun("run_1")
	r.ClientKey, r.ClientHash = "key", []byte("one")
	mustRun(t, st, alice(), r)
	again := r
	again.ID, again.CreatedAt = "run_2", hour(1)
	got, made, err := st.CreateRun(t.Context(), alice(), again, bounds())
	kind(t, "the same again", err, "")
	if made || got.ID != "run_1" {
		t.Errorf("the same again: got %s, made %v", got.ID, made)
	}
	other := again
	other.ClientHash = []byte("two")
	_, _, err = st.CreateRun(t.Context(), alice(), other, bounds())
	kind(t, "another request under the key", err, fault.Conflict)
	other.Kind, other.ID = live.KindChat, "chat_1"
	mustRun(t, st, alice(), other)
	mustRun(t, st, bob(), other)
	late := other
	late.Kind, late.ID = live.KindRun, "run_3"
	if _, made, err = st.CreateRun(t.Context(), alice(), late, live.Bounds{All: 9, Each: 9, KeysSince: epoch().Add(time.Second)}); err != nil || !made {
		t.Errorf("when the key's time is over: got %v, %v", made, err)
	}
	if got := runOf(t, st, alice(), "run_1"); got.ClientKey != "" {
		t.Errorf("the old record still has the key %q", got.ClientKey)
	}
}

func testRunBounds(t *testing.T, st Store) {
	create := func(o owner.Owner, id string, b live.Bounds) error {
		_, _, err := st.CreateRun(t.Context(), o, aRun(id), b)
		return err
	}
	kind(t, "the first", create(alice(), "run_1", live.Bounds{All: 2, Each: 1}), "")
	err := create(alice(), "run_2", live.Bounds{All: 2, Each: 1})
	kind(t, "one too many of an owner", err, fault.RateLimited)
	kind(t, "another owner's", create(bob(), "run_1", live.Bounds{All: 2, Each: 1}), "")
	kind(t, "one too many of all", create(carol(), "run_1", live.Bounds{All: 2, Each: 1}), fault.RateLimited)
	c := mustClaim(t, st, alice(), "run_1")
	done := over(c, "")
	mustAdvance(t, st, alice(), c, &done)
	kind(t, "when one is over", create(alice(), "run_2", live.Bounds{All: 2, Each: 1}), "")
}

func testRunList(t *testing.T, st Store) {
	for i := range 5 {
		r := aRun(fmt.Sprintf("run_%d", i))
		r.CreatedAt = epoch().Add(time.Duration(i/2) * time.Second)
		if i == 3 {
			r.Kind = live.KindChat
		}
		mustRun(t, st, alice(), r)
	}
	ids := func(f live.Filter) string {
		list, err := st.Runs(t.Context(), alice(), f)
		kind(t, "list", err, "")
		out := ""
		for i := range list {
			if list[i].Turn != nil {
				t.Error("a list has turns")
			}
			out += list[i].ID[len("run_"):]
		}
		return out
	}
	same(t, "all", ids(live.Filter{Limit: 10}), "43210")
	same(t, "two", ids(live.Filter{Limit: 2}), "43")
	same(t, "behind", ids(live.Filter{Limit: 10, Before: live.Cursor{CreatedAt: epoch().Add(time.Second), ID: "run_3"}}), "210")
	same(t, "of a kind", ids(live.Filter{Limit: 10, Kind: live.KindRun}), "4210")
}

// theRun and theOpenRun are runs that every owner of the isolation tests has: one that
// is over, and one that waits.
const (
	theRun     = "run_the-run"
	theOpenRun = "run_the-open"
)

// settleRun stores both runs for an owner. Every text holds the owner's mark.
func settleRun(t *testing.T, st Store, o owner.Owner) {
	t.Helper()
	mark, _ := json.Marshal(map[string]string{"text": markOf(o)}) // a string: cannot fail
	for _, id := range []string{theRun, theOpenRun} {
		r := aRun(id)
		r.Request, r.Turn, r.Model = mark, mark, markOf(o)
		if id == theRun {
			r.ClientKey, r.ClientHash = theRequest, []byte(markOf(o))
		}
		mustRun(t, st, o, r)
	}
	c := mustClaim(t, st, o, theRun)
	done := over(c, markOf(o))
	mustAdvance(t, st, o, c, &done, told(markOf(o)))
}

func recordReadingCases() map[string]isolationCase {
	return map[string]isolationCase{
		"Run": {stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			r, err := st.Run(ctx, o, theRun)
			if r.Result == nil {
				return nil, err
			}
			return r.Result.Answer.Content + string(r.Request), err
		}},
		"Runs": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.Runs(ctx, o, live.Filter{Limit: 10})
		}},
		"Events": {stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			events, _, err := st.Events(ctx, o, theRun, 0, 10)
			return events, err
		}},
	}
}

func recordWritingCases() map[string]isolationCase {
	return map[string]isolationCase{
		"CreateRun": {makes: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			r := aRun("run_another")
			r.ClientKey, r.ClientHash = theRequest, []byte(markOf(o))
			if o.ID() == carol().ID() {
				r.Request = nil
			}
			got, _, err := st.CreateRun(ctx, o, r, bounds())
			return []any{got, string(got.ClientHash)}, err
		}},
		"DeleteRun": {silent: true, stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return nil, st.DeleteRun(ctx, o, theRun)
		}},
		"ClaimRun": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			r, _, err := st.ClaimRun(ctx, o, live.Claim{ID: theOpenRun, At: epoch(), Until: hour(1)})
			return r, err
		}},
		"RenewRun": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			if _, _, err := st.ClaimRun(ctx, o, live.Claim{ID: theOpenRun, At: epoch(), Until: hour(1)}); err != nil {
				return nil, err
			}
			return st.RenewRun(ctx, o, theOpenRun, 1, hour(2))
		}},
		"Advance": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			r, _, err := st.ClaimRun(ctx, o, live.Claim{ID: theOpenRun, At: epoch(), Until: hour(1)})
			if err != nil {
				return nil, err
			}
			changed := over(r, "changed")
			_, ok, err := st.Advance(ctx, o, live.Step{ID: theOpenRun, Fence: 1, Run: &changed, Events: []live.Event{told("changed")}})
			return ok, err
		}},
	}
}
