package storetest

import (
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/session"
)

func memoryRowTests() []test {
	return []test{
		{"the scopes of memory, newest message first", testMemories},
		{"sessions are selected by their key", testSessionsByKey},
		{"runs are selected by state and lineage", testRunFilter},
		{"the fires of all jobs", testAllFires},
		{"the costs of all sessions by time and group", testCostReport},
	}
}

func testMemories(t *testing.T, st Store) {
	none, err := st.Memories(t.Context(), alice(), session.MemoryFilter{Limit: 10})
	kind(t, "no memories", err, "")
	same(t, "no memories", none, []session.MemoryRow(nil))
	first, second := newTalk(alice(), "s1", "Team:a"), newTalk(alice(), "s2", "Team:a")
	alone, foreign := newTalk(alice(), "Alone", ""), newTalk(bob(), "b1", "Team:a")
	for _, l := range []*talk{first, alone, second, foreign} {
		l.say(t, st, "hello", "hi")
	}
	title := "A Walk"
	_, err = st.UpdateSession(t.Context(), alice(), "Alone", session.Patch{Title: &title, At: epoch()})
	kind(t, "update", err, "")
	team := session.MemoryRow{Key: "Team:a", Sessions: 2, Newest: second.messages[1].ID, SaidAt: second.now}
	walk := session.MemoryRow{Root: "Alone", Title: title, Sessions: 1, Newest: alone.messages[1].ID, SaidAt: alone.now}
	for _, c := range []struct {
		what string
		f    session.MemoryFilter
		want []session.MemoryRow
	}{
		{"all", session.MemoryFilter{Limit: 10}, []session.MemoryRow{team, walk}},
		{"the first", session.MemoryFilter{Limit: 1}, []session.MemoryRow{team}},
		{"the next", session.MemoryFilter{Limit: 1, Before: team.Newest}, []session.MemoryRow{walk}},
		{"by key", session.MemoryFilter{Limit: 10, Query: "tEAM"}, []session.MemoryRow{team}},
		{"by title", session.MemoryFilter{Limit: 10, Query: "a walk"}, []session.MemoryRow{walk}},
		{"by root", session.MemoryFilter{Limit: 10, Query: "alone"}, []session.MemoryRow{walk}},
		{"by nothing there", session.MemoryFilter{Limit: 10, Query: "%"}, nil},
	} {
		got, err := st.Memories(t.Context(), alice(), c.f)
		kind(t, c.what, err, "")
		same(t, c.what, got, c.want)
	}
	kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "s2"), "")
	kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "Alone"), "")
	left, err := st.Memories(t.Context(), alice(), session.MemoryFilter{Limit: 10})
	kind(t, "left", err, "")
	if len(left) != 1 || left[0].Key != "Team:a" || left[0].Sessions != 1 || !left[0].SaidAt.IsZero() {
		t.Errorf("after deletions: got %+v, want the key with one session, its newest message gone", left)
	}
}

func testSessionsByKey(t *testing.T, st Store) {
	for _, l := range []*talk{newTalk(alice(), "s1", "a"), newTalk(alice(), "s2", "b"), newTalk(bob(), "s3", "a")} {
		l.say(t, st, "hello", "hi")
	}
	got, err := st.Sessions(t.Context(), alice(), session.Filter{Key: "a"})
	kind(t, "sessions", err, "")
	if len(got) != 1 || got[0].ID != "s1" {
		t.Errorf("by key: got %+v, want s1", got)
	}
}

func testRunFilter(t *testing.T, st Store) {
	l := newTalk(alice(), "root", "")
	l.say(t, st, "hello", "hi")
	l.commit(t, st, l.fold(t, st, "child", "more", "yes"))
	for i, asked := range []session.ID{"root", "child", "other", "child"} {
		r := aRun("run_" + string(rune('a'+i)))
		r.Session, r.CreatedAt = asked, epoch().Add(time.Duration(i)*time.Second)
		mustRun(t, st, alice(), r)
	}
	done := mustClaim(t, st, alice(), "run_d")
	end := over(done, "yes")
	end.Root = "root"
	mustAdvance(t, st, alice(), done, &end)
	for what, c := range map[string]struct {
		f    live.Filter
		want string
	}{
		"all": {live.Filter{}, "dcba"}, "open": {live.Filter{Open: true}, "cba"}, "completed": {live.Filter{State: live.Completed}, "d"},
		"of the lineage, by its root": {live.Filter{Session: "root"}, "dba"}, "of the lineage, by its tip": {live.Filter{Session: "child"}, "dba"},
		"of a session without a turn": {live.Filter{Session: "other"}, "c"}, "of none": {live.Filter{Session: "nonesuch"}, ""},
		"open, of the lineage": {live.Filter{Session: "root", Open: true}, "ba"},
	} {
		c.f.Limit = 10
		list, err := st.Runs(t.Context(), alice(), c.f)
		kind(t, what, err, "")
		got := ""
		for i := range list {
			got += list[i].ID[len("run_"):]
		}
		same(t, what, got, c.want)
	}
}

func testAllFires(t *testing.T, st Store) {
	one, two := mustCreate(t, st, alice(), "job_1"), mustCreate(t, st, alice(), "job_2")
	foreign := mustCreate(t, st, bob(), "job_3")
	fire(t, st, bob(), foreign, hour(1))
	first, twin := fire(t, st, alice(), one, hour(1)), fire(t, st, alice(), two, hour(1))
	late := slot(one.ID, hour(2))
	late.Status, late.Reason, late.WakeAt, late.FinishedAt = job.Skipped, "busy", time.Time{}, hour(2)
	_, err := st.OpenSlots(t.Context(), alice(), job.Opening{Job: one.ID, Was: hour(2), Slots: []job.Fire{late}, Next: hour(3), State: job.Scheduled})
	kind(t, "open", err, "")
	for what, c := range map[string]struct {
		f    job.FireFilter
		want []job.Fire
	}{
		"all":           {job.FireFilter{}, []job.Fire{late, first, twin}},
		"skipped":       {job.FireFilter{Status: job.Skipped}, []job.Fire{late}},
		"before":        {job.FireFilter{Before: hour(2)}, []job.Fire{first, twin}},
		"since":         {job.FireFilter{Since: hour(2)}, []job.Fire{late}},
		"the next page": {job.FireFilter{Before: hour(1), Beyond: one.ID}, []job.Fire{twin}},
		"the last page": {job.FireFilter{Before: hour(1), Beyond: two.ID}, nil},
	} {
		c.f.Limit = 10
		got, err := st.AllFires(t.Context(), alice(), c.f)
		kind(t, what, err, "")
		same(t, what, got, c.want)
	}
}
