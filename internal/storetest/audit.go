package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/trail"
)

func auditTests() []test {
	return []test{
		{"entries are numbered and linked", testAuditChain},
		{"entries are filtered by their fields", testAuditFilter},
		{"no session id is stored", testAuditSession},
		{"a note is stored in the transaction it records", testAuditNote},
	}
}

// entry is an entry made so many minutes after the epoch.
func entry(minute int, target string) audit.Entry {
	return audit.Entry{
		At: epoch().Add(time.Duration(minute) * time.Minute), Actor: "key:laptop", Action: "job.delete", Kind: audit.Job, Target: target,
		RequestID: "req_1", Outcome: audit.OK, Detail: "d",
	}
}

func auditCases() map[string]isolationCase {
	return map[string]isolationCase{
		"Enter": {makes: true, silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return nil, st.Enter(ctx, o, entry(2, markOf(o)))
		}},
		"Audit": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			list, err := st.Audit(ctx, o, audit.Filter{})
			var targets []string
			for i := range list {
				targets = append(targets, list[i].Target)
			}
			return targets, err
		}},
	}
}

func testAuditChain(t *testing.T, st Store) {
	var want []audit.Entry
	var before []byte
	for i := range 5 {
		e := entry(i, fmt.Sprintf("job %d", i))
		kind(t, "record", st.Enter(t.Context(), alice(), e), "")
		kind(t, "record another's", st.Enter(t.Context(), bob(), e), "")
		e.Seq = int64(i + 1)
		e.Hash = e.Sum(before)
		before = e.Hash
		want = append([]audit.Entry{e}, want...)
	}
	got, err := st.Audit(t.Context(), alice(), audit.Filter{})
	kind(t, "audit", err, "")
	same(t, "audit", got, want)
	same(t, "verdict", audit.Verify(got), audit.Verdict{Entries: 5, First: 1, Last: 5, Hash: before})
	same(t, "verdict without one", audit.Verify(append(slices.Clone(got[:2]), got[3:]...)).Broken, int64(4))
	changed := slices.Clone(got)
	changed[2].Actor = "key:another"
	same(t, "verdict with one changed", audit.Verify(changed).Broken, int64(3))
	same(t, "verdict without the oldest", audit.Verify(got[:3]), audit.Verdict{Entries: 3, First: 3, Last: 5, Hash: before})
}

func testAuditFilter(t *testing.T, st Store) {
	for i, action := range []string{"key.create", "job.delete", "key.revoke", "keyed", "job.delete"} {
		e := entry(i, "x")
		if e.Action = action; i == 4 {
			e.Actor = trail.Terminal
		}
		kind(t, "record", st.Enter(t.Context(), alice(), e), "")
	}
	at := func(minute int) time.Time { return epoch().Add(time.Duration(minute) * time.Minute) }
	for _, c := range []struct {
		name string
		f    audit.Filter
		want []int64
	}{
		{"all", audit.Filter{}, []int64{5, 4, 3, 2, 1}},
		{"an action", audit.Filter{Action: "job.delete"}, []int64{5, 2}},
		{"a family of them", audit.Filter{Action: "key"}, []int64{3, 1}},
		{"no pattern", audit.Filter{Action: "%"}, nil},
		{"an actor", audit.Filter{Actor: trail.Terminal}, []int64{5}},
		{"since", audit.Filter{Since: at(3)}, []int64{5, 4}},
		{"until", audit.Filter{Until: at(1)}, []int64{1}},
		{"the newest", audit.Filter{Limit: 2}, []int64{5, 4}},
		{"those before", audit.Filter{Before: 4, Limit: 2}, []int64{3, 2}},
	} {
		list, err := st.Audit(t.Context(), alice(), c.f)
		kind(t, c.name, err, "")
		var got []int64
		for i := range list {
			got = append(got, list[i].Seq)
		}
		same(t, c.name, got, c.want)
	}
}

func testAuditSession(t *testing.T, st Store) {
	e := entry(0, "user:42")
	e.Kind, e.Action = audit.Session, "session.delete"
	for range 2 {
		kind(t, "record", st.Enter(t.Context(), alice(), e), "")
	}
	kind(t, "record another's", st.Enter(t.Context(), bob(), e), "")
	e.Target = "user:43"
	kind(t, "record another", st.Enter(t.Context(), alice(), e), "")
	got, err := st.Audit(t.Context(), alice(), audit.Filter{Session: "user:42"})
	kind(t, "audit", err, "")
	other, err := st.Audit(t.Context(), bob(), audit.Filter{Session: "user:42"})
	kind(t, "audit of another", err, "")
	if len(got) != 2 || len(other) != 1 || got[0].Target == "user:42" || got[0].Target != got[1].Target || got[0].Target == other[0].Target {
		t.Errorf("got %+v and %+v, want hashes that differ by owner", got, other)
	}
}

func testAuditNote(t *testing.T, st Store) {
	note := func(target string) (context.Context, *audit.Note) {
		ctx := trail.With(t.Context(), trail.Trail{RequestID: "req_9", Actor: "key:k"})
		return audit.With(ctx, alice(), epoch, "session.create", audit.Session, target)
	}
	made := func(ctx context.Context, id session.ID) error {
		return st.CreateSession(ctx, alice(), session.Session{ID: id, RootID: id, Source: session.SourceAPI, StartedAt: epoch(), LastActive: epoch()})
	}
	written := func(what string, want ...string) {
		t.Helper()
		list, err := st.Audit(t.Context(), alice(), audit.Filter{})
		kind(t, what, err, "")
		var got []string
		for i := range list {
			got = append(got, list[i].Outcome+" "+list[i].RequestID+" "+list[i].Actor)
		}
		same(t, what, got, want)
	}
	const ok, taken = "ok req_9 key:k", "session_exists req_9 key:k"
	ctx, n := note("s")
	kind(t, "create", made(ctx, "s"), "")
	written("with the transaction", ok)
	kind(t, "create another", made(ctx, "s2"), "")
	kind(t, "close", n.Close(ctx, st, ""), "")
	written("once", ok)

	ctx, n = note("s")
	kind(t, "create again", made(ctx, "s"), fault.Conflict)
	written("not with one that failed", ok)
	kind(t, "close", n.Close(ctx, st, "session_exists"), "")
	kind(t, "close twice", n.Close(ctx, st, "session_exists"), "")
	written("what failed", taken, ok)

	ctx, n = note("s")
	kind(t, "create a third", made(ctx, "s3"), "")
	kind(t, "close", n.Close(ctx, st, "session_exists"), "")
	written("what failed later", taken, ok, taken, ok)

	ctx, n = note("s")
	n.Skip()
	kind(t, "create a fourth", made(ctx, "s4"), "")
	kind(t, "close", n.Close(ctx, st, ""), "")
	written("nothing", taken, ok, taken, ok)
	if err := st.Enter(t.Context(), owner.Owner{}, entry(0, "")); err == nil || errors.Is(err, context.Canceled) {
		t.Error("an entry without an actor was accepted")
	}
}
