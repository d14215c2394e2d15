package provider_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/provider/providertest"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/study"
)

// lost are the ways in which the outcome of a call stays unknown.
func lost() map[string]providertest.Fault {
	return map[string]providertest.Fault{
		"it was stored":     {On: "/messages$", Cut: true, Stored: true},
		"it was not stored": {On: "/messages$", Cut: true},
	}
}

// sendInVain says something in the session "a" of the key "key", and loses the answer of the provider to it.
func (h *house) sendInVain(f providertest.Fault) { //nolint:gocritic // a table has it as a value
	h.t.Helper()
	h.say("a", "key", "one")
	h.honcho.Next(f)
	h.manager.CatchUp(context.Background())
	told, err := h.db.Told(context.Background(), owner.Local(), "honcho@test", "b")
	if err != nil || len(told.Unsure) != 1 {
		h.t.Fatalf("the outcome of the call is known: %+v, %v", told, err)
	}
}

// nothingWaits fails if the provider is yet to be told something.
func (h *house) nothingWaits() {
	h.t.Helper()
	status, err := h.manager.Status(context.Background(), owner.Local())
	if err != nil || status.Waiting != 0 {
		h.t.Errorf("got %+v, %v, want nothing that waits", status, err)
	}
	if items, err := h.db.Work(context.Background(), owner.Local(), workFilter()); err != nil || len(items) > 0 {
		h.t.Errorf("got the work %+v, %v, want none", items, err)
	}
}

// TestOutcomeAfterBreak: a call whose outcome is unknown is finished although the provider was switched off and on
// since, so that other sessions of the place do not wait for ever.
func TestOutcomeAfterBreak(t *testing.T) {
	t.Parallel()
	for name, fault := range lost() {
		h := build(t, nil)
		h.sendInVain(fault)
		h.off()
		h.later(time.Hour)
		h.restart(nil)
		h.say("b", "key", "two")
		h.catchUp()
		t.Log(name)
		h.has("key", "one", "ok", "two", "ok")
		h.nothingWaits()
	}
}

// TestOutcomeOfUndone: what was undone while its outcome was unknown is forgotten there, and nothing waits for it.
func TestOutcomeOfUndone(t *testing.T) {
	t.Parallel()
	for _, stored := range []bool{true, false} {
		shelf := &shelf{}
		h := build(t, func(p *provider.Parts) { p.Provider = shelf })
		h.say("a", "key", "one")
		shelf.lose(stored)
		h.manager.CatchUp(context.Background())
		if _, err := h.curator.Undo(t.Context(), owner.Local(), "a"); err != nil {
			t.Fatal(err)
		}
		h.say("b", "key", "two")
		h.catchUp()
		if got := shelf.texts(); !slices.Equal(got, []string{"two", "ok"}) {
			t.Errorf("stored %v: got %q", stored, got)
		}
		h.nothingWaits()
	}
}

// keepUnsure notes that the first messages of a session may have been told, as a call without an answer leaves it. An
// earlier version may have looked past them.
func (h *house) keepUnsure(root session.ID, doneTo int64) {
	h.t.Helper()
	ctx, o, now := context.Background(), owner.Local(), h.clock()
	if err := h.db.WantWork(ctx, o, []study.Item{{Root: root, Kind: provider.Telling, WakeAt: now, UpdatedAt: now}}); err != nil {
		h.t.Fatal(err)
	}
	it, ok, err := h.db.ClaimWork(ctx, o, study.Claim{Root: root, Kind: provider.Telling, At: now, Until: now.Add(time.Minute)})
	if err != nil || !ok {
		h.t.Fatalf("claim: %v, %v", ok, err)
	}
	p := provider.Progress{DoneTo: doneTo, Marks: []provider.Mark{{Source: provider.SourceOf("key", root), Sent: 2}}}
	task := curate.Task{Root: root, Kind: provider.Telling, Fence: it.Fence}
	if err := h.db.KeepTold(ctx, o, "honcho@test", task, &p); err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.db.SettleWork(ctx, o, &it, true); err != nil {
		h.t.Fatal(err)
	}
}

// TestOutcomeLookedPast: a session of which nothing else is to be told is looked at again while an outcome is unknown.
func TestOutcomeLookedPast(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	h.say("a", "key", "one")
	h.keepUnsure("a", 2)
	h.later(time.Hour)
	h.off()
	h.later(time.Hour)
	h.restart(nil)
	h.say("b", "key", "two")
	h.catchUp()
	h.has("key", "one", "ok", "two", "ok")
	h.nothingWaits()
}

// TestTwoOutcomes: two servers may have told the same place something at once, both without an answer. Neither
// session waits for the other.
func TestTwoOutcomes(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	h.say("a", "key", "one")
	h.say("b", "key", "two")
	h.keepUnsure("a", 0)
	h.keepUnsure("b", 0)
	h.catchUp()
	if got := h.texts("hermes", "key"); len(got) != 4 {
		t.Errorf("got %q, want both sessions", got)
	}
	h.nothingWaits()
}

// TestWhyOthersWait: while the outcome of a call is unknown, the status says why other sessions of the place wait.
func TestWhyOthersWait(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	h.honcho.Always(&providertest.Fault{On: "/messages$", Status: 422, Body: `{"detail":"Not this."}`})
	h.say("a", "key", "one")
	h.manager.CatchUp(context.Background())
	h.say("b", "key", "two")
	h.manager.CatchUp(context.Background())
	got, err := h.manager.Status(context.Background(), owner.Local())
	if err != nil || got.Waiting != 2 || got.WaitsFor == "" {
		t.Errorf("got %+v, %v, want the reason", got, err)
	}
	if got, err = h.manager.Status(context.Background(), ada()); err != nil || got.WaitsFor != "" {
		t.Errorf("another owner got %+v, %v", got, err)
	}
	h.honcho.Always(nil)
	h.catchUp()
	if got, err = h.manager.Status(context.Background(), owner.Local()); err != nil || got.WaitsFor != "" {
		t.Errorf("afterwards got %+v, %v", got, err)
	}
	h.nothingWaits()
}
