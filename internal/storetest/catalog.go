package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/session"
)

func catalogTests() []test {
	return []test{
		{"sessions and messages are counted", testStats},
		{"a list has previews", testPreviews},
		{"spoken and undone messages are counted", testSpokenCounts},
		{"filters by text and by state", testListQuery},
		{"a reset leaves two lineages", testReset},
	}
}

func testStats(t *testing.T, st Store) {
	got, err := st.Stats(t.Context(), alice())
	kind(t, "stats", err, "")
	if got.Bytes <= 0 {
		t.Errorf("got %d bytes, want the size of the file", got.Bytes)
	}
	same(t, "nothing", session.Stats{Sessions: got.Sessions, Messages: got.Messages, Sources: got.Sources}, session.Stats{})
	l := newTalk(alice(), "root", "")
	l.say(t, st, "hello", "hi")
	l.commit(t, st, l.fold(t, st, "child", "more"))
	for id, source := range map[session.ID]session.Source{"a": session.SourceCLI, "b": session.SourceCLI, "c": session.SourceCron} {
		at := epoch()
		kind(t, "create", st.CreateSession(t.Context(), alice(), session.Session{ID: id, RootID: id, Source: source, StartedAt: at, LastActive: at}), "")
	}
	other := newTalk(bob(), "bobs", "")
	other.say(t, st, "not counted")
	kind(t, "undo", st.Rewrite(t.Context(), alice(), undone("root", 2)), "")
	got, err = st.Stats(t.Context(), alice())
	kind(t, "stats", err, "")
	got.Bytes = 0
	same(t, "stats", got, session.Stats{Sessions: 4, Messages: 3, Undone: 1, Sources: []session.SourceCount{
		{Source: session.SourceCLI, Sessions: 2}, {Source: session.SourceAPI, Sessions: 1}, {Source: session.SourceCron, Sessions: 1},
	}})
}

func testPreviews(t *testing.T, st Store) {
	long := newTalk(alice(), "long", "")
	text := "A question\nwith breaks and " + strings.Repeat("ü", session.OpeningLength)
	long.say(t, st, text)
	long.commit(t, st, long.fold(t, st, "long-child", "more"))
	answer := newTalk(alice(), "answer", "")
	step := answer.step(t, st, "I greet you", "", "hello")
	step.Messages[0].Role, step.Messages[1].Role = session.Assistant, session.User
	answer.commit(t, st, step)
	back := newTalk(alice(), "undone", "")
	back.say(t, st, "taken back", "yes", "said instead")
	kind(t, "undo", st.Rewrite(t.Context(), alice(), undone("undone", 0)), "")
	back.say(t, st, "and", "said afterwards")
	made(t, st, "empty")
	got, err := st.Previews(t.Context(), alice(), []session.ID{"long", "answer", "undone", "empty", "absent", "long-child"})
	kind(t, "a list has previews", err, "")
	same(t, "a list has previews", got, map[session.ID]string{
		"long":   string([]rune(text)[:session.OpeningLength]),
		"answer": "hello", "undone": "said afterwards",
	})
	got, err = st.Previews(t.Context(), alice(), nil)
	kind(t, "no previews", err, "")
	same(t, "no previews", len(got), 0)
}

func testSpokenCounts(t *testing.T, st Store) {
	const aside session.Role = "aside" // an answer in a turn that the server took for itself
	plain := newTalk(alice(), "plain", "")
	plain.say(t, st, "Hello.", "Hi.")
	plain.commit(t, st, plain.fold(t, st, "plain-child", "more"))
	mixed := newTalk(alice(), "mixed", "")
	mixed.say(t, st, "taken back", "Yes.")
	kind(t, "undo", st.Rewrite(t.Context(), alice(), undone("mixed", 0)), "")
	for _, roles := range [][]session.Role{
		{session.User, session.Assistant, session.Tool, session.Assistant},
		{aside, session.Tool, session.Tool, aside},
		{session.User, session.Assistant},
	} {
		step := mixed.step(t, st, make([]string, len(roles))...)
		for i, role := range roles {
			m := &step.Messages[i]
			m.Role = role
			if role == aside {
				m.Role, m.Note = session.Assistant, session.AsideNote
			}
		}
		mixed.commit(t, st, step)
	}
	made(t, st, "empty")
	bobs := newTalk(bob(), "plain", "")
	bobs.say(t, st, "Hello.")
	got, err := st.SpokenCounts(t.Context(), alice(), []session.ID{"plain", "mixed", "empty", "absent"})
	kind(t, "count", err, "")
	same(t, "counts", got, map[session.ID]int{"plain": 3, "mixed": 6, "empty": 0})
	ofBob, err := st.SpokenCounts(t.Context(), bob(), []session.ID{"plain", "mixed"})
	kind(t, "count", err, "")
	same(t, "counts of another owner", ofBob, map[session.ID]int{"plain": 1})
	undone, err := st.UndoneCounts(t.Context(), alice(), []session.ID{"plain", "mixed", "empty", "absent"})
	kind(t, "count undone", err, "")
	same(t, "undone", undone, map[session.ID]int{"plain": 0, "mixed": 2, "empty": 0})
	ms, err := st.Messages(t.Context(), alice(), "mixed", session.Range{Standing: true})
	kind(t, "messages", err, "")
	same(t, "as the messages say", got["mixed"], len(session.Spoken(ms)))
}

func testListQuery(t *testing.T, st Store) {
	for id, title := range map[session.ID]string{"a": "Plan of the kitchen", "b": "100% sure", "kit": ""} {
		kind(t, "create", titled(t, st, id, title), "")
	}
	said := newTalk(alice(), "s", "")
	said.say(t, st, "How do I sharpen a kitchen knife?", "Slowly. Kitten.")
	said.commit(t, st, said.fold(t, st, "child-of-s", "and a sword?"))
	reason := session.EndReason("user_exit")
	_, err := st.UpdateSession(t.Context(), alice(), "a", session.Patch{EndReason: &reason, At: epoch()})
	kind(t, "end", err, "")
	for _, c := range []struct {
		name string
		f    session.Filter
		want []session.ID
	}{
		{"title, id and preview", session.Filter{Query: "kit"}, []session.ID{"s", "kit", "a"}},
		{"in another case", session.Filter{Query: "KITCHEN"}, []session.ID{"s", "a"}},
		{"not the answers", session.Filter{Query: "kitten"}, nil},
		{"an older id of the lineage", session.Filter{Query: "child-of"}, []session.ID{"s"}},
		{"no wildcard", session.Filter{Query: "%"}, []session.ID{"b"}},
		{"no SQL", session.Filter{Query: "' OR 1=1 --"}, nil},
		{"active", session.Filter{State: session.Active}, []session.ID{"s", "kit", "b"}},
		{"ended", session.Filter{State: session.Ended}, []session.ID{"a"}},
		{"ended with a text", session.Filter{State: session.Ended, Query: "knife"}, nil},
		{"with a source", session.Filter{Query: "kit", Source: session.SourceCron}, nil},
		{"a page", session.Filter{Query: "kit", Limit: 1, Before: session.Cursor{LastActive: epoch(), ID: "kit"}}, []session.ID{"a"}},
	} {
		same(t, c.name, listed(t, st, c.f), c.want)
	}
}

// testReset: after a reset, the ended session is still the tip of its lineage, and the
// new one is the tip of another.
func testReset(t *testing.T, st Store) {
	old := newTalk(alice(), "old", "key")
	old.sessions[0].Title = "Plan"
	old.say(t, st, "hello", "hi")
	ended := old.tip()
	ended.EndedAt, ended.EndReason = epoch().Add(time.Hour), session.EndReset
	next := session.Session{
		ID: "new", RootID: "new", ParentID: "old", Key: "key", Title: "Plan", Source: session.SourceAPI,
		StartedAt: ended.EndedAt, LastActive: ended.EndedAt,
	}
	kind(t, "reset", st.AppendTurn(t.Context(), alice(), resetStep(&ended, next)), "")
	old.sessions[0] = ended
	old.check(t, st)
	next.Title = "Plan #2"
	fresh := &talk{o: alice(), now: ended.EndedAt, key: "key", sessions: []session.Session{next}}
	fresh.check(t, st)
	same(t, "list", listed(t, st, session.Filter{}), []session.ID{"new", "old"})
	same(t, "ended", listed(t, st, session.Filter{State: session.Ended}), []session.ID{"old"})
	step := fresh.step(t, st, "a fresh start")
	step.Opened = false
	fresh.commit(t, st, step)
	fresh.check(t, st)
	kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "old"), "")
	fresh.check(t, st)
}
