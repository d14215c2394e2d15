package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/session"
)

func listTests() []test {
	return []test{
		{"the newest activity comes first", testListOrder},
		{"a page has the requested size", testListLimit},
		{"pages neither repeat nor miss rows", testListDrift},
		{"filters by source and by prefix", testListFilters},
		{"a prefix is not a pattern", testListPrefixData},
		{"one row per lineage", testListLineages},
	}
}

// made creates sessions of the given ids, each a minute after the one before.
func made(t *testing.T, st Store, ids ...session.ID) {
	t.Helper()
	for i, id := range ids {
		at := epoch().Add(time.Duration(i) * time.Minute)
		s := session.Session{ID: id, RootID: id, Source: session.SourceAPI, StartedAt: at, LastActive: at}
		if err := st.CreateSession(t.Context(), alice(), s); err != nil {
			t.Fatalf("create session %q: %v", id, err)
		}
	}
}

// listed returns the roots a filter selects.
func listed(t *testing.T, st Store, f session.Filter) []session.ID {
	t.Helper()
	list, err := st.Sessions(t.Context(), alice(), f)
	if err != nil {
		t.Fatalf("list %+v: %v", f, err)
	}
	return rootsOf(list)
}

func testListOrder(t *testing.T, st Store) {
	made(t, st, "a", "b", "c")
	same(t, "list", listed(t, st, session.Filter{}), []session.ID{"c", "b", "a"})
	l := newTalk(alice(), "z", "") // says something at 09:00:01
	l.say(t, st, "hello")
	same(t, "list", listed(t, st, session.Filter{}), []session.ID{"c", "b", "z", "a"})
	l.now = epoch().Add(time.Hour)
	l.say(t, st, "hi")
	same(t, "list after a turn", listed(t, st, session.Filter{}), []session.ID{"z", "c", "b", "a"})
	for _, id := range []session.ID{"tie-1", "tie-3", "tie-2"} {
		at := epoch().Add(2 * time.Hour)
		err := st.CreateSession(t.Context(), alice(), session.Session{ID: id, RootID: id, Source: "x", StartedAt: at, LastActive: at})
		kind(t, "create", err, "")
	}
	same(t, "equal times", listed(t, st, session.Filter{Source: "x"}), []session.ID{"tie-3", "tie-2", "tie-1"})
}

func testListLimit(t *testing.T, st Store) {
	var ids []session.ID
	for i := range 60 {
		ids = append(ids, session.ID(fmt.Sprintf("s%02d", i)))
	}
	made(t, st, ids...)
	slices.Reverse(ids)
	same(t, "default page", listed(t, st, session.Filter{}), ids[:50])
	same(t, "page of 7", listed(t, st, session.Filter{Limit: 7}), ids[:7])
	same(t, "page of 100", listed(t, st, session.Filter{Limit: 100}), ids)
}

// testListDrift reads pages of a list while rows of it move, appear and disappear.
func testListDrift(t *testing.T, st Store) {
	var ids, unmoved, seen []session.ID
	for i := range 30 {
		ids = append(ids, session.ID(fmt.Sprintf("s%02d", i)))
	}
	made(t, st, ids...)
	touch := func(id session.ID, at time.Time) {
		s, err := st.Session(t.Context(), alice(), id)
		kind(t, "session", err, "")
		l := &talk{o: alice(), now: at, sessions: []session.Session{s}}
		step := l.step(t, st, "hello again")
		step.Opened = false
		l.commit(t, st, step)
	}
	var before session.Cursor
	for page := range 20 { // a list that never ends is wrong, too
		list, err := st.Sessions(t.Context(), alice(), session.Filter{Limit: 4, Before: before})
		kind(t, "page", err, "")
		if len(list) == 0 {
			break
		}
		seen = append(seen, rootsOf(list)...)
		last := list[len(list)-1]
		before = session.Cursor{LastActive: last.LastActive, ID: last.RootID}
		switch page {
		case 1:
			touch("s29", epoch().Add(time.Hour)) // shown already
			touch("s03", epoch().Add(time.Hour)) // not shown yet: moves out of the rest
		case 2:
			made(t, st, "aaa") // appears among the oldest
		case 3:
			kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "s05"), "")
		}
	}
	for i := 29; i >= 0; i-- {
		if id := ids[i]; id != "s03" && id != "s05" {
			unmoved = append(unmoved, id)
		}
	}
	seen = slices.DeleteFunc(seen, func(id session.ID) bool { return id == "aaa" })
	same(t, "rows shown", seen, unmoved)
}

func testListFilters(t *testing.T, st Store) {
	made(t, st, "repo:acme/a", "repo:acme/b", "repo:other")
	l := newTalk(alice(), "plain", "")
	l.say(t, st, "hello", "hi")
	l.commit(t, st, l.fold(t, st, "repo:acme/child", "more"))
	at := epoch()
	err := st.CreateSession(t.Context(), alice(), session.Session{ID: "c", RootID: "c", Source: session.SourceCron, StartedAt: at, LastActive: at})
	kind(t, "create", err, "")
	same(t, "source", listed(t, st, session.Filter{Source: session.SourceCron}), []session.ID{"c"})
	same(t, "prefix", listed(t, st, session.Filter{Prefix: "repo:acme/"}), []session.ID{"repo:acme/b", "plain", "repo:acme/a"})
	same(t, "whole id", listed(t, st, session.Filter{Prefix: "repo:other"}), []session.ID{"repo:other"})
	same(t, "case counts", listed(t, st, session.Filter{Prefix: "REPO:"}), []session.ID(nil))
	same(t, "both", listed(t, st, session.Filter{Prefix: "repo:", Source: session.SourceCron}), []session.ID(nil))
}

func testListPrefixData(t *testing.T, st Store) {
	made(t, st, "a%b", "a_b", "axb", "ab", `a\b`, "a'b", "aüb", "%", "名前:ü", "名前:x", "[a]", "a*")
	for _, c := range []struct {
		prefix string
		want   []session.ID
	}{
		{"a%", []session.ID{"a%b"}},
		{"a_", []session.ID{"a_b"}},
		{"%", []session.ID{"%"}},
		{"_", nil},
		{`a\`, []session.ID{`a\b`}},
		{"a'", []session.ID{"a'b"}},
		{"aü", []session.ID{"aüb"}},
		{"名前:", []session.ID{"名前:x", "名前:ü"}},
		{"[a", []session.ID{"[a]"}},
		{"a*", []session.ID{"a*"}},
		{"*", nil},
		{"' OR 1=1 --", nil},
	} {
		same(t, "prefix "+c.prefix, listed(t, st, session.Filter{Prefix: c.prefix}), c.want)
	}
}

func testListLineages(t *testing.T, st Store) {
	l := newTalk(alice(), "root", "")
	l.say(t, st, "hello", "hi")
	l.commit(t, st, l.fold(t, st, "child", "more"))
	l.commit(t, st, l.fold(t, st, "grandchild", "still more"))
	list, err := st.Sessions(t.Context(), alice(), session.Filter{})
	kind(t, "list", err, "")
	same(t, "list", list, []session.Session{l.tip()})
	// A filter by lineage takes its root and returns all its sessions, whatever the
	// other fields say.
	list, err = st.Sessions(t.Context(), alice(), session.Filter{Lineage: "root", Limit: 1, Source: "nonesuch"})
	kind(t, "lineage", err, "")
	same(t, "lineage", list, l.sessions)
	same(t, "absent lineage", listed(t, st, session.Filter{Lineage: "nonesuch"}), []session.ID(nil))
}
