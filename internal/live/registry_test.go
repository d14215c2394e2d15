package live_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
)

// words says a text word by word, with a pause behind each.
func words(s string, pause time.Duration) func(context.Context, int, func(run.Delta) bool) error {
	return func(ctx context.Context, _ int, say func(run.Delta) bool) error {
		for i, w := range strings.Fields(s) {
			if i > 0 {
				w = " " + w
			}
			if !say(text(w)) {
				return nil
			}
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		say(finish("stop"))
		return nil
	}
}

// TestRun: a run is a turn of its session, told in events.
func TestRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.model.script = words("All is well.", time.Second) })
		defer h.end()
		rec := h.start(h.spec("s", "What is new?"))
		if rec.State != live.Running || rec.Session != "s" {
			t.Errorf("got %+v at the start", rec)
		}
		events := h.follow(rec.ID, 0)
		gapless(t, events, 0)
		if got, want := line(events), "run.started All is well. run.completed"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if got, want := h.transcript("s"), "user:What is new?\nassistant:All is well."; got != want {
			t.Errorf("got the transcript %q, want %q", got, want)
		}
		got := h.record(rec.ID)
		if got.State != live.Completed || got.Output() != "All is well." || got.Turn != nil || got.FirstSeq != 0 || got.EndSeq != 2 ||
			got.Root != "s" || !got.WakeAt.IsZero() || got.Events != int64(len(events)) || got.Result.ReceiptID == "" {
			t.Errorf("got the record %+v", got)
		}
		for i, e := range events {
			if diff := cmp.Diff(map[bool]*live.Run{true: &got}[e.Type.Last()], e.Run); diff != "" {
				t.Errorf("event %d brings the record (-want +got):\n%s", i, diff)
			}
		}
		if late := h.follow(rec.ID, got.Events); len(late) != 0 {
			t.Errorf("got %q behind the end", line(late))
		}
	})
}

// slowRenewal is a queue that renews no lease before it is told to.
type slowRenewal struct {
	live.Queue
	hold chan struct{}
}

// RenewRun implements live.Queue.
func (q *slowRenewal) RenewRun(ctx context.Context, o owner.Owner, id string, fence int64, until time.Time) (bool, error) {
	<-q.hold
	return q.Queue.RenewRun(ctx, o, id, fence, until)
}

// TestLateReader: who comes behind the last event of a run that has just ended does not wait, although
// this server is still at what it does behind the end.
func TestLateReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		renewal := slowRenewal{hold: make(chan struct{})}
		h := setup(t, func(h *house) {
			h.model.script = words("A long answer.", 10*time.Second) // a renewal is under way at its end
			h.queue = func(of live.Queue) live.Queue {
				renewal.Queue = of
				return &renewal
			}
		})
		defer h.end()
		rec := h.start(h.spec("s", "What is new?"))
		events := h.follow(rec.ID, 0)
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan struct{})
		go func() {
			defer close(left)
			for e, err := range h.registry.Follow(ctx, alice(), rec.ID, int64(len(events)), nil) {
				t.Errorf("got %+v, %v behind the end", e, err)
			}
		}()
		synctest.Wait()
		select {
		case <-left:
		default:
			t.Error("the reader waits for more of a run that has ended")
		}
		close(renewal.hold)
		leave()
		<-left
	})
}

// TestReaders: a reader that is cut at any event and comes back misses and
// repeats nothing, whenever it comes, and a slow one delays neither the run nor other readers.
func TestReaders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const said = "one two three four five six seven eight nine ten"
		h := setup(t, func(h *house) { h.model.script = words(said, time.Second) })
		defer h.end()
		rec := h.start(h.spec("s", "Count."))
		// One that follows only, and whose log the others are held against.
		var all []live.Event
		var readers sync.WaitGroup
		readers.Go(func() { all = h.follow(rec.ID, 0) })
		// One that never reads on.
		slow, leave := context.WithCancel(t.Context())
		readers.Go(func() {
			for range h.registry.Follow(slow, alice(), rec.ID, 0, nil) {
				<-slow.Done()
				break
			}
		})
		cut := make([][]live.Event, 12)
		for n := range cut { // each is cut behind n events, again and again
			readers.Go(func() {
				var after int64
				for {
					got := 0
					for e, err := range h.registry.Follow(t.Context(), alice(), rec.ID, after, nil) {
						if err != nil {
							t.Error(err)
						}
						cut[n] = append(cut[n], e)
						after = e.Seq
						if got++; got > n {
							break
						}
					}
					if k := len(cut[n]); k > 0 && cut[n][k-1].Type.Last() {
						return
					}
				}
			})
		}
		time.AfterFunc(time.Hour, leave)
		readers.Wait()
		gapless(t, all, 0)
		if got := line(all); got != "run.started "+said+" run.completed" || len(all) != 12 {
			t.Errorf("got %d events: %q", len(all), got)
		}
		for n := range cut {
			if diff := cmp.Diff(all, cut[n]); diff != "" {
				t.Errorf("cut behind %d (-whole +cut):\n%s", n+1, diff)
			}
		}
		for after := range all {
			if diff := cmp.Diff(all[after:], h.follow(rec.ID, int64(after))); diff != "" {
				t.Errorf("afterwards, behind %d (-whole +got):\n%s", after, diff)
			}
		}
	})
}

// TestStop: what is stopped ends as cancelled, and keeps what was said.
func TestStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) {
			h.model.script = words("one two three four", time.Minute)
			h.limits.OwnersRunning = 1
		})
		defer h.end()
		rec, waits := h.start(h.spec("s", "Count.")), h.start(h.spec("s", "Wait."))
		if waits.State != live.Queued {
			t.Errorf("got the second %s, want it queued", waits.State)
		}
		<-time.After(90 * time.Second)
		for _, id := range []string{waits.ID, rec.ID} {
			if got, err := h.registry.Stop(t.Context(), alice(), id); err != nil || got.State != live.Stopping && got.State != live.Cancelled {
				t.Errorf("stop %s: got %+v, %v", id, got.State, err)
			}
		}
		if got, want := line(h.follow(rec.ID, 0)), "run.started one two run.cancelled"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if got, want := line(h.follow(waits.ID, 0)), "run.cancelled"; got != want {
			t.Errorf("of the one that waited: got %q, want %q", got, want)
		}
		if got, want := h.transcript("s"), "user:Count.\nassistant:one two (cancelled)"; got != want {
			t.Errorf("got the transcript %q, want %q", got, want)
		}
		got := h.record(rec.ID)
		if got.Output() != "one two" || got.Failure == nil || got.Failure.Code != "cancelled" {
			t.Errorf("got %q, %+v", got.Output(), got.Failure)
		}
		if again, err := h.registry.Stop(t.Context(), alice(), rec.ID); err != nil || again.State != live.Cancelled {
			t.Errorf("stop again: got %s, %v", again.State, err)
		}
		_, err := h.registry.Stop(t.Context(), owner.Stored("bob"), rec.ID)
		if fault.KindOf(err) != fault.NotFound {
			t.Errorf("another owner's stop: got %v", err)
		}
	})
}

// TestStopAll: of a run that is stopped because its lineage is erased, nothing is to be kept.
func TestStopAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.model.script = words("one two three four", time.Minute) })
		defer h.end()
		erased, stopped := h.start(h.spec("s", "Count.")), h.start(h.spec("other", "Count."))
		<-time.After(90 * time.Second)
		h.registry.StopAll(t.Context(), alice(), "s")
		if _, err := h.registry.Stop(t.Context(), alice(), stopped.ID); err != nil {
			t.Fatal(err)
		}
		for id, want := range map[string]bool{erased.ID: true, stopped.ID: false} {
			h.follow(id, 0)
			if got := h.record(id); got.State != live.Cancelled || got.Erased() != want {
				t.Errorf("got %s, %+v, want it to say that it is erased: %t", got.State, got.Failure, want)
			}
		}
	})
}

// TestFailure: what the model refuses is told, and kept.
func TestFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) {
			h.model.script = func(_ context.Context, _ int, say func(run.Delta) bool) error {
				say(text("Well"))
				return &fault.Error{Kind: fault.Upstream, Code: "upstream_broken", Msg: "It broke off.", Status: 502}
			}
		})
		defer h.end()
		rec := h.start(h.spec("s", "Hello?"))
		if got, want := line(h.follow(rec.ID, 0)), "run.started Well run.failed"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		got := h.record(rec.ID)
		if got.Failure == nil || got.Failure.Code != "upstream_broken" || got.Failure.Status != 502 || got.Output() != "Well" {
			t.Errorf("got %+v, %q", got.Failure, got.Output())
		}
	})
}

// TestRestart: what a crash cut off is taken up at once by the next server, and
// ends after its policy. Its prompt is stored once.
func TestRestart(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		policy   live.OnRestart
		crashes  int
		wait     time.Duration
		events   string
		messages string
	}{
		{"tried again", live.Retry, 1, 0, "run.started An answer. run.completed", "user:Hello?\nassistant:An answer."},
		{"tried again later", live.Retry, 5, 4 * time.Second, "run.started An answer. run.completed", "user:Hello?\nassistant:An answer."},
		{"tried often enough", live.Retry, 20, time.Minute, "run.interrupted", ""},
		{"not tried again", live.Interrupt, 1, 0, "run.interrupted", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := setup(t, nil)
				h.end() // what is started now stays queued
				h.open()
				spec := h.spec("s", "Hello?")
				spec.OnRestart = tt.policy
				rec := h.start(spec)
				for range tt.crashes { // each has taken it and died
					now := time.Now().Add(time.Minute) // when whatever wait there is has passed
					if _, ok, err := h.db.ClaimRun(t.Context(), alice(), live.Claim{ID: rec.ID, At: now, Until: now.Add(time.Hour)}); err != nil || !ok {
						t.Fatalf("claim: %v, %v", ok, err)
					}
					if err := h.db.Close(); err != nil {
						t.Fatal(err)
					}
					h.open()
				}
				h.begin()
				defer h.end()
				began := time.Now()
				if got := line(h.follow(rec.ID, 0)); got != tt.events {
					t.Errorf("got %q, want %q", got, tt.events)
				}
				if waited := time.Since(began); waited < tt.wait || waited > tt.wait+time.Second {
					t.Errorf("waited %v, want %v: the lease of a dead process is no reason to", waited, tt.wait)
				}
				if got := h.transcript("s"); got != tt.messages {
					t.Errorf("got the transcript %q, want %q", got, tt.messages)
				}
			})
		})
	}
}

// TestDrain: a stop gives turns its grace, then puts them back, and the next
// server goes on. Nothing new is begun meanwhile.
func TestDrain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		policy live.OnRestart
		pause  time.Duration
		events string // told by the next server
		kept   string // in the transcript
	}{
		{"within the grace", live.Retry, time.Second, "run.started one two three run.completed", "one two three"},
		{"cut off", live.Retry, 8 * time.Second, "run.started one two run.started An answer. run.completed", "one two (cancelled)\nassistant:An answer."},
		{"interrupted", live.Interrupt, 8 * time.Second, "run.started one two run.interrupted", "one two (cancelled)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := setup(t, func(h *house) { h.model.script = words("one two three", tt.pause) })
				spec := h.spec("s", "Count.")
				spec.OnRestart = tt.policy
				rec := h.start(spec)
				synctest.Wait()
				h.stop()
				synctest.Wait()
				late := h.start(h.spec("t", "Too late?"))
				if late.State != live.Queued {
					t.Errorf("got %s while the server stops, want it queued", late.State)
				}
				h.end()
				h.model.script = nil
				h.open()
				h.begin()
				defer h.end()
				if got := line(h.follow(rec.ID, 0)); got != tt.events {
					t.Errorf("got %q, want %q", got, tt.events)
				}
				if got := line(h.follow(late.ID, 0)); !strings.HasSuffix(got, "run.completed") {
					t.Errorf("of the one that came late: got %q", got)
				}
				if got := h.transcript("s"); got != "user:Count.\nassistant:"+tt.kept {
					t.Errorf("the transcript is %q, want the prompt and %q", got, tt.kept)
				}
			})
		})
	}
}

// TestFollowIdle: who waits is told of each tick, and of nothing twice.
func TestFollowIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.model.script = words("one two", time.Minute) })
		defer h.end()
		rec := h.start(h.spec("s", "Count."))
		idle := time.NewTicker(25 * time.Second)
		defer idle.Stop()
		var got []string
		for e, err := range h.registry.Follow(t.Context(), alice(), rec.ID, 0, idle.C) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Seq == 0 {
				e.Type = "idle"
			}
			got = append(got, string(e.Type))
		}
		want := []string{"run.started", "message.delta", "idle", "idle", "message.delta", "idle", "idle", "run.completed"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

// TestFollowersLeave: who follows what this server will not go on with is told.
func TestFollowersLeave(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) {
			h.model.script = words("one two three", time.Minute)
			h.limits.OwnersRunning = 1
		})
		first, second := h.start(h.spec("s", "Count.")), h.start(h.spec("t", "Count."))
		left := make(chan error, 2)
		for _, id := range []string{first.ID, second.ID} {
			go func() {
				for _, err := range h.registry.Follow(context.Background(), alice(), id, 0, nil) {
					if err != nil {
						left <- err
						return
					}
				}
				left <- errors.New("ended without a word")
			}()
		}
		synctest.Wait()
		h.end()
		for range 2 {
			if err := <-left; fault.CodeOf(err) != "draining" {
				t.Errorf("got %v", err)
			}
		}
	})
}

// TestBounds: the number of concurrent runs is bounded, one owner's backlog does not
// delay another's runs, and runs beyond the bound are refused.
func TestBounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		h := setup(t, func(h *house) {
			h.limits = live.Limits{Running: 3, OwnersRunning: 2, OwnersOpen: 6}
			slow := words("one two", time.Second)
			h.model.script = func(ctx context.Context, n int, say func(run.Delta) bool) error {
				most.Store(max(most.Load(), running.Add(1)))
				defer running.Add(-1)
				return slow(ctx, n, say)
			}
		})
		defer h.end()
		var ids []string
		for i := range 6 {
			ids = append(ids, h.start(h.spec("", "Hello?")).ID)
			_ = i
		}
		_, err := h.registry.Start(t.Context(), alice(), h.spec("s", "One more?"))
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != "too_many_runs" || f.RetryAfter == 0 {
			t.Errorf("one too many: got %v", err)
		}
		bob := owner.Stored("bob")
		his, err := h.registry.Start(t.Context(), bob, h.spec("s", "And me?"))
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for _, err := range h.registry.Follow(t.Context(), bob, his.ID, 0, nil) {
			if err != nil {
				t.Error(err)
			}
		}
		if waited := time.Since(began); waited > 2*time.Second {
			t.Errorf("bob waited %v behind alice", waited)
		}
		for _, id := range ids {
			if got := line(h.follow(id, 0)); got != "run.started one two run.completed" {
				t.Errorf("%s: got %q", id, got)
			}
		}
		if most.Load() != 3 {
			t.Errorf("got %d at once, want 3", most.Load())
		}
	})
}

// TestSameRequest: a request that is repeated under its key makes one run.
func TestSameRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		spec := h.spec("s", "Hello?")
		spec.ClientKey, spec.ClientHash = "key", []byte("hash")
		var same sync.WaitGroup
		for i := range 8 {
			same.Go(func() {
				again := spec
				again.ID = fmt.Sprintf("run_again_%d", i)
				if _, err := h.registry.Start(t.Context(), alice(), again); err != nil {
					t.Error(err)
				}
			})
		}
		same.Wait()
		list, err := h.registry.Runs(t.Context(), alice(), live.Filter{Limit: 10})
		if err != nil || len(list) != 1 {
			t.Fatalf("got %d records, %v, want 1", len(list), err)
		}
		h.follow(list[0].ID, 0)
		if got, want := h.transcript("s"), "user:Hello?\nassistant:An answer."; got != want {
			t.Errorf("got the transcript %q, want %q", got, want)
		}
	})
}

// TestDelete: a run that is deleted is stopped first, and gone for those who
// follow it.
func TestDelete(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.model.script = words("one two three", time.Minute) })
		defer h.end()
		rec := h.start(h.spec("s", "Count."))
		synctest.Wait()
		if err := h.registry.Delete(t.Context(), alice(), rec.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := h.registry.Run(t.Context(), alice(), rec.ID); fault.KindOf(err) != fault.NotFound {
			t.Errorf("got %v, want it gone", err)
		}
		if got, want := h.transcript("s"), "user:Count.\nassistant:one (cancelled)"; got != want {
			t.Errorf("got the transcript %q, want %q", got, want)
		}
	})
}
