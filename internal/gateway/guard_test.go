package gateway_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// open is something that keeps a session from being reset. It begins something in the session
// of a chat, and returns what ends it.
type open func(t *testing.T, h *house, at session.ID) (end func())

// caller is the owner with the scopes of a turn.
func (h *house) caller() owner.Owner {
	return owner.Stored(h.bot.Owner.ID(), owner.Chat, owner.Memory, owner.SessionsRead)
}

// openRun begins a run by another door, whose model does not answer.
func openRun(t *testing.T, h *house, at session.ID) func() {
	over := make(chan struct{})
	h.model.script = func(ctx context.Context, _ *run.Prompt, say func(string)) error {
		select {
		case <-over:
			say("Done.")
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	_, err := h.registry.Start(t.Context(), h.caller(), live.Spec{ID: "run_long", Kind: live.KindRun, Turn: &run.Request{
		Owner: h.caller(), Session: at, Fresh: true, Messages: []session.Message{{Role: session.User, Content: "Work for long."}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return func() { close(over) }
}

// openFire adds a fire of a job that belongs to the session. If claimed is set, it runs.
func openFire(claimed bool) open {
	return func(t *testing.T, h *house, at session.ID) func() {
		now := time.Now()
		j := job.Job{
			ID: "job_1", Name: "news", Schedule: "0 * * * *", Timezone: "UTC", Prompt: "What is new?", Session: at, Deliver: job.Local,
			CatchUp: job.CatchUpOnce, Timeout: time.Minute, State: job.Paused, Anchor: now, CreatedAt: now, UpdatedAt: now,
		}
		if err := h.db.CreateJob(t.Context(), h.bot.Owner, j, 10); err != nil {
			t.Fatal(err)
		}
		f := job.Fire{ID: "run_fire", Job: j.ID, DueAt: now, Status: job.Due, WakeAt: now, Manual: true}
		if err := h.db.AddFire(t.Context(), h.bot.Owner, f); err != nil {
			t.Fatal(err)
		}
		claim := func() {
			var ok bool
			var err error
			if f, ok, err = h.db.ClaimFire(t.Context(), h.bot.Owner, job.Claim{Job: j.ID, DueAt: f.DueAt, At: time.Now(), Until: time.Now().Add(10 * time.Hour)}); err != nil || !ok {
				t.Fatalf("claim: %v, %v", ok, err)
			}
		}
		if claimed {
			claim()
		}
		return func() {
			if !claimed {
				claim()
			}
			f.Status, f.FinishedAt = job.Completed, time.Now()
			if ok, err := h.db.SettleFire(t.Context(), h.bot.Owner, job.Settlement{Run: f}); err != nil || !ok {
				t.Fatalf("settle: %v, %v", ok, err)
			}
		}
	}
}

// openSend delivers the output of a job, which the platform does not take.
func openSend(t *testing.T, h *house, _ session.ID) func() {
	off := true
	h.wire.refuse = func(*gateway.Out) error {
		if off {
			return &gateway.SendError{Reason: gateway.Temporary, Text: "out of order"}
		}
		return nil
	}
	target := gateway.NewTarget(gateway.Telegram, func() *gateway.Gateway { return h.gateway })
	ended := make(chan error, 1)
	go func() {
		e := &job.Event{ID: "evt_1", JobName: "news", Run: job.Fire{Status: job.Completed, Output: "Some news."}}
		ended <- target.Deliver(context.Background(), h.bot.Owner, ada, e)
	}()
	return func() {
		h.wire.mu.Lock()
		off = false
		h.wire.mu.Unlock()
		if err := <-ended; err != nil { // it waits at most as long as the messages of a chat do between tries
			t.Fatal(err)
		}
	}
}

// openDoubt makes it unknown whether anything is under way.
func openDoubt(_ *testing.T, h *house, _ session.ID) func() {
	broken := errors.New("cannot be read")
	h.blind.Store(&broken)
	return func() { h.blind.Store(nil) }
}

// TestGuard: a session is not reset while something is open in it, and within a second after.
func TestGuard(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]open{
		"a run":                  openRun,
		"a job that is due":      openFire(false),
		"a job that fires":       openFire(true),
		"a message to be sent":   openSend,
		"nobody can be asked":    openDoubt,
		"a job of an older part": openOlder,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := setup(t, func(h *house) {
					h.settings.Resets = gateway.Resets{Default: gateway.Policy{Mode: gateway.ResetIdle, Idle: idle}}
				})
				defer h.end()
				h.receive(h.dm(ada, "Hello."))
				pass(10 * time.Second)
				first := h.chat(ada).Session
				end := begin(t, h, first)
				first = h.chat(ada).Session
				pass(idle + 2*time.Minute)
				want(t, "while it is open", h.chat(ada).Session, first)
				end()
				pass(1100 * time.Millisecond)
				second := h.chat(ada).Session
				if second == first {
					t.Error("the session was not reset within a second after")
				}
				pass(2 * idle)
				want(t, "later", h.chat(ada).Session, second)
			})
		})
	}
}

// openOlder is a job of a session that is neither the first nor the newest of its lineage.
func openOlder(t *testing.T, h *house, at session.ID) func() {
	t.Helper()
	tip := func() session.Session {
		s, err := h.db.Tip(t.Context(), h.bot.Owner, at)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	h.compress(t)
	made := tip()
	end := openFire(true)(t, h, made.ID)
	h.compress(t)
	if now := tip(); now.ID == made.ID || made.ID == made.RootID {
		t.Fatalf("the job is of session %s, the newest is %s, the first %s", made.ID, now.ID, now.RootID)
	}
	return end
}

// compress makes the session of ada's chat longer, and folds it.
func (h *house) compress(t *testing.T) {
	t.Helper()
	for range 6 {
		h.receive(h.dm(ada, "Tell me more of "+strings.Repeat("this and that, ", 60)))
		pass(10 * time.Second)
	}
	h.receive(h.dm(ada, "/compress"))
	pass(10 * time.Second)
}

// TestGuardOfAnAnswer: a turn of the chat itself keeps the session, and its end begins the time
// anew.
func TestGuardOfAnAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) {
			h.settings.Resets = gateway.Resets{Default: gateway.Policy{Mode: gateway.ResetIdle, Idle: idle}}
		})
		defer h.end()
		over := make(chan struct{})
		h.model.script = func(ctx context.Context, _ *run.Prompt, say func(string)) error {
			select {
			case <-over:
				say("Done.")
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		h.receive(h.dm(ada, "Work for long."))
		pass(10 * time.Second)
		first := h.chat(ada).Session
		pass(3 * idle)
		want(t, "during the answer", h.chat(ada).Session, first)
		close(over)
		pass(idle - time.Second)
		want(t, "after the answer", h.chat(ada).Session, first)
		pass(3 * time.Second)
		if h.chat(ada).Session == first {
			t.Error("the session was not reset")
		}
		want(t, "answers", h.wire.said(), []string{"Done."})
	})
}
