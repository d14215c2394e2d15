package storetest

import (
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/session"
)

// These tests hold what is owed to a provider, and how it is settled.

// owed are the debts of alice.
func owed(t *testing.T, st Store) []provider.Debt {
	t.Helper()
	list, err := st.Debts(t.Context(), alice())
	kind(t, "debts", err, "")
	return list
}

func testProviderOwed(t *testing.T, st Store) {
	ctx := t.Context()
	undone, rewritten, deleted := newTalk(alice(), "undone", "key"), newTalk(alice(), "rewritten", "key"), newTalk(alice(), "deleted", "")
	for _, l := range []*talk{undone, rewritten, deleted} {
		l.say(t, st, "one", "two")
	}
	place := tell(t, st, undone, 2)
	tell(t, st, rewritten, 2)
	own := tell(t, st, deleted, 2)
	kind(t, "undo", st.Rewrite(ctx, alice(), curate.Rewrite{Undone: []curate.Undone{{Root: "undone", From: 1, At: hour(1)}}}), "")
	kind(t, "rewrite", st.Rewrite(ctx, alice(), curate.Rewrite{Messages: []session.Message{{RootID: "rewritten", Seq: 0, Content: "1"}}}), "")
	kind(t, "delete", st.DeleteLineage(ctx, alice(), "deleted"), "")
	got := owed(t, st)
	if len(got) != 2 {
		t.Fatalf("got %+v, want two places", got)
	}
	for i, want := range []provider.Debt{
		{Provider: theProvider, Name: place, IDs: []int64{undone.messages[1].ID, rewritten.messages[0].ID}, Count: 2},
		{Provider: theProvider, Name: own, IDs: []int64{deleted.messages[0].ID, deleted.messages[1].ID}, Count: 2, Alone: true},
	} {
		d, err := st.Debt(ctx, alice(), theProvider, want.Name)
		kind(t, "debt", err, "")
		if d.OwedAt.IsZero() || !d.WakeAt.Equal(d.OwedAt.Add(provider.Head)) {
			t.Errorf("debt %d: got owed at %v and due at %v", i, d.OwedAt, d.WakeAt)
		}
		want.OwedAt, want.WakeAt = d.OwedAt, d.WakeAt
		same(t, want.Name, d, want)
	}
	due, _, err := st.DueDebts(ctx, theProvider, time.Now().Add(time.Hour), 9)
	kind(t, "due", err, "")
	same(t, "due", len(due), 2)
	early, next, err := st.DueDebts(ctx, theProvider, epoch(), 9)
	kind(t, "due before", err, "")
	if len(early) > 0 || next.IsZero() {
		t.Errorf("got %v, and next at %v", early, next)
	}
	d, _ := st.Debt(ctx, alice(), theProvider, place)
	d.IDs = d.IDs[:1] // the other was added later
	kind(t, "pay", st.SettleDebt(ctx, alice(), &d, true), "")
	left, err := st.Debt(ctx, alice(), theProvider, place)
	kind(t, "what is left", err, "")
	same(t, "what is left", left.IDs, []int64{rewritten.messages[0].ID})
	_, err = st.Debt(ctx, alice(), theProvider, "none")
	kind(t, "no debt", err, fault.NotFound)
}

func testProviderNotOwed(t *testing.T, st Store) {
	ctx := t.Context()
	l, other := newTalk(alice(), "s", "key"), newTalk(alice(), "other", "key")
	l.say(t, st, "one", "two", "three", "four")
	other.say(t, st, "one", "two")
	tell(t, st, l, 2)
	kind(t, "undo", st.Rewrite(ctx, alice(), curate.Rewrite{Undone: []curate.Undone{{Root: "s", From: 2, At: hour(1)}}}), "")
	kind(t, "delete", st.DeleteLineage(ctx, alice(), "other"), "")
	same(t, "debts", len(owed(t, st)), 0)
}

func testProviderEmptied(t *testing.T, st Store) {
	ctx := t.Context()
	a, b := newTalk(alice(), "a", "key"), newTalk(alice(), "b", "key")
	a.say(t, st, "one", "two")
	b.say(t, st, "one", "two")
	place := tell(t, st, a, 2)
	tell(t, st, b, 2)
	untold(t, "all told", st, epoch())
	kind(t, "undo", st.Rewrite(ctx, alice(), curate.Rewrite{Undone: []curate.Undone{{Root: "a", From: 0, At: hour(1)}}}), "")
	roots, err := st.EmptyPlace(ctx, alice(), theProvider, place, true)
	kind(t, "empty", err, "")
	same(t, "to be told again", sortedIDs(roots), []session.ID{"a", "b"})
	d, err := st.Debt(ctx, alice(), theProvider, place)
	kind(t, "debt", err, "")
	if !d.Whole || d.Count > 0 || len(d.IDs) > 0 {
		t.Errorf("got %+v, want the whole place", d)
	}
	got, err := st.Untold(ctx, alice(), theProvider, epoch(), 9)
	kind(t, "untold", err, "")
	same(t, "untold", sortedIDs(got), []session.ID{"a", "b"})
	same(t, "its next name", named(t, st, alice(), "k:key"), "key-g2")
	kind(t, "pay", st.SettleDebt(ctx, alice(), &d, true), "")
	same(t, "debts", len(owed(t, st)), 0)
}

func testProviderDebtWaits(t *testing.T, st Store) {
	ctx := t.Context()
	l := newTalk(alice(), "s", "")
	l.say(t, st, "one", "two")
	place := tell(t, st, l, 2)
	kind(t, "delete", st.DeleteLineage(ctx, alice(), "s"), "")
	d, err := st.Debt(ctx, alice(), theProvider, place)
	kind(t, "debt", err, "")
	d.AskedAt, d.WakeAt, d.Attempts, d.Error = hour(1), hour(2), 3, "It did not answer."
	kind(t, "wait", st.SettleDebt(ctx, alice(), &d, false), "")
	again, err := st.Debt(ctx, alice(), theProvider, place)
	kind(t, "debt", err, "")
	same(t, "waits", again, d)
	d.WakeAt = time.Time{}
	kind(t, "give up", st.SettleDebt(ctx, alice(), &d, false), "")
	due, next, err := st.DueDebts(ctx, theProvider, hour(99999), 9)
	kind(t, "due", err, "")
	if len(due) > 0 || !next.IsZero() {
		t.Errorf("got %v, next at %v, want nothing", due, next)
	}
	same(t, "it is still listed", len(owed(t, st)), 1)
}

func testProviderOweAll(t *testing.T, st Store) {
	ctx := t.Context()
	a, b := newTalk(alice(), "a", "key"), newTalk(alice(), "b", "")
	a.say(t, st, "one", "two")
	b.say(t, st, "one", "two")
	tell(t, st, a, 2)
	tell(t, st, b, 2)
	c := newTalk(alice(), "c", "") // it is yet to be told
	c.say(t, st, "one", "two")
	named(t, st, alice(), "s:key:ada")
	_, err := st.BackfillProvider(ctx, alice(), theProvider)
	kind(t, "backfill", err, "")
	n, err := st.OweAll(ctx, alice(), theProvider)
	kind(t, "owe all", err, "")
	same(t, "places", n, 2)
	for _, d := range owed(t, st) {
		if !d.Whole {
			t.Errorf("got %+v, want the whole place", d)
		}
	}
	p, err := st.Told(ctx, alice(), theProvider, "a")
	kind(t, "told", err, "")
	same(t, "is not told again", p.Skips, []provider.Skip{{From: -1, To: 2}})
	same(t, "nor by a backfill that is under way", p.Backfill, false)
	p, err = st.Told(ctx, alice(), theProvider, "c")
	kind(t, "told", err, "")
	same(t, "nor what was yet to be told", p.Skips, []provider.Skip{{From: -1, To: 2}})
	same(t, "its next name", named(t, st, alice(), "k:key"), "key-g2")
}
