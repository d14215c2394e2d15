package storetest

import (
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

func scopeTests() []test {
	return []test{
		{"every write of a scope raises its version", testVersions},
		{"a rewrite raises the version of each scope", testRewriteVersions},
		{"a write from another version is refused", testVersionCompared},
		{"a scope that lost facts under others is stale", testStale},
		{"a scope's row goes with its last message", testScopeEnds},
		{"messages after an id", testDocumentsAfter},
	}
}

// manifest reads the manifest of a scope.
func manifest(t *testing.T, st Store, scope memory.Scope) memory.Manifest {
	t.Helper()
	m, err := st.Manifest(t.Context(), alice(), scope)
	kind(t, "manifest", err, "")
	return m
}

// follower follows the version of a scope.
type follower struct {
	t     *testing.T
	st    Store
	scope memory.Scope
	was   memory.Manifest
}

func follow(t *testing.T, st Store, scope memory.Scope) *follower {
	t.Helper()
	return &follower{t: t, st: st, scope: scope, was: manifest(t, st, scope)}
}

// raised checks that the version has risen by one since the last look, and the edition if
// pieces may hold what changed.
func (f *follower) raised(what string, pieces bool) {
	f.t.Helper()
	now := manifest(f.t, f.st, f.scope)
	if now.Version != f.was.Version+1 || (now.Edition > f.was.Edition) != pieces || now.Scope != f.was.Scope {
		f.t.Errorf("%s: got %+v after %+v, want the version one higher, and a higher edition %v", what, now, f.was, pieces)
	}
	f.was = now
}

// stays checks that nothing has changed since the last look.
func (f *follower) stays(what string) {
	f.t.Helper()
	same(f.t, what, manifest(f.t, f.st, f.scope), f.was)
}

func testVersions(t *testing.T, st Store) {
	key, root := memory.Scope{Key: "key"}, memory.Scope{Root: "s"}
	for _, scope := range []memory.Scope{key, root, {Root: "s", Whole: true}} {
		same(t, "before the first message", manifest(t, st, scope), memory.Manifest{Version: memory.Unwritten})
	}
	l, apart := newTalk(alice(), "s", "key"), newTalk(alice(), "apart", "other key")
	apart.say(t, st, "elsewhere")
	l.say(t, st, "0")
	keyed, others := follow(t, st, key), follow(t, st, memory.Scope{Key: "other key"})
	if keyed.was.Scope == 0 || keyed.was.Version < 1 || keyed.was.Scope == others.was.Scope {
		t.Errorf("got %+v and %+v, want two scopes with versions", keyed.was, others.was)
	}
	l.say(t, st, "1", "2", "3")
	keyed.raised("a turn", false)
	l.key = ""
	l.say(t, st, "4", "5")
	keyed.stays("a turn of another scope")
	alone := follow(t, st, root)
	l.commit(t, st, l.fold(t, st, "child"))
	alone.stays("a step without messages")
	l.key = "key"
	late := newTalk(alice(), "late", "key")
	early := late.step(t, st, "reserved first")
	l.say(t, st, "6")
	keyed.raised("another turn", false)
	late.commit(t, st, early)
	keyed.raised("a message below the newest", true)
	kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "late"), "")
	keyed.raised("a deletion", true)
	others.stays("another key")
}

// testRewriteVersions: a rewrite raises the version of each scope it changes, once.
func testRewriteVersions(t *testing.T, st Store) {
	key := memory.Scope{Key: "key"}
	l := newTalk(alice(), "s", "key")
	l.say(t, st, "0", "1", "2", "3", "4")
	l.key = ""
	l.say(t, st, "5", "6")
	keyed, alone := follow(t, st, key), follow(t, st, memory.Scope{Root: "s"})
	changed, f := l.messages[0], fact("f", &l.messages[0], memory.Plain)
	changed.Content = "changed"
	undo := []curate.Undone{{Root: "s", From: 3, To: 5, At: epoch()}}
	for _, c := range []struct {
		name            string
		w               curate.Rewrite
		raises, edition bool
	}{
		{"nothing", curate.Rewrite{}, false, false},
		{"a title", curate.Rewrite{Sessions: []session.Session{{ID: "s", Title: "title"}}}, false, false},
		{"a text", curate.Rewrite{Messages: []session.Message{changed}}, true, true},
		{"facts", curate.Rewrite{Scopes: []curate.ScopeFacts{{Scope: key, Facts: []memory.Fact{f}}}}, true, true},
		{"a link", curate.Rewrite{Relinked: []memory.Fact{f}}, true, false},
		{"a mark", curate.Rewrite{Marks: []memory.Mark{{Number: memory.NumberOf(l.messages[0].ID, 0)}}}, true, false},
		{"an undo", curate.Rewrite{Undone: undo}, true, true},
		{"what is undone already", curate.Rewrite{Undone: undo}, false, false},
	} {
		kind(t, c.name, st.Rewrite(t.Context(), alice(), c.w), "")
		if c.raises {
			keyed.raised(c.name, c.edition)
		}
		keyed.stays(c.name)
		alone.stays(c.name + ", in the other scope")
	}
	kind(t, "all at once", st.Rewrite(t.Context(), alice(), curate.Rewrite{
		Undone: []curate.Undone{{Root: "s", From: 2, At: epoch()}}, Messages: []session.Message{changed}, Relinked: []memory.Fact{f},
	}), "")
	keyed.raised("all at once", true)
	alone.raised("all at once, in the other scope", true)
}

func testVersionCompared(t *testing.T, st Store) {
	key := memory.Scope{Key: "key"}
	l := newTalk(alice(), "s", "key")
	step := l.step(t, st, "0")
	step.Version = 1
	kind(t, "a version of a scope without messages", st.AppendTurn(t.Context(), alice(), step), fault.Conflict)
	step.Version = memory.Unwritten
	l.commit(t, st, step)
	was := manifest(t, st, key)
	refused := func(what string, version memory.Version) {
		t.Helper()
		stale := *l
		step := stale.step(t, st, "not stored")
		step.Version = version
		kind(t, what, st.AppendTurn(t.Context(), alice(), step), fault.Conflict)
		err := st.Rewrite(t.Context(), alice(), curate.Rewrite{Scopes: []curate.ScopeFacts{{Scope: key, Version: version}}})
		kind(t, what+", for a rewrite", err, fault.Conflict)
		same(t, what, manifest(t, st, key), was)
	}
	refused("a higher version", was.Version+1)
	refused("no version", memory.Unwritten)
	step = l.step(t, st, "1")
	step.Version = was.Version
	l.commit(t, st, step)
	was = manifest(t, st, key)
	refused("an earlier version", was.Version-1)
	err := st.Rewrite(t.Context(), alice(), curate.Rewrite{Scopes: []curate.ScopeFacts{{Scope: key, Version: was.Version}}})
	kind(t, "the version", err, "")
	l.check(t, st)
}

func testStale(t *testing.T, st Store) {
	key := memory.Scope{Key: "key"}
	l := rich(t, st, "kept", "key")
	silent, gone := newTalk(alice(), "silent", "key"), rich(t, st, "gone", "key")
	silent.say(t, st, "nothing of note")
	stale := func(what string, want bool) {
		t.Helper()
		if got := manifest(t, st, key).Stale; got != want {
			t.Errorf("%s: got stale %v, want %v", what, got, want)
		}
	}
	kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "silent"), "")
	stale("a lineage without facts", false)
	kind(t, "delete", st.DeleteLineage(t.Context(), alice(), gone.root()), "")
	stale("a lineage with facts", true)
	l.say(t, st, "goes on")
	stale("after a turn", true)
	f := fact("kept", &l.messages[0], memory.Plain)
	kind(t, "rewrite", st.Rewrite(t.Context(), alice(), curate.Rewrite{Scopes: []curate.ScopeFacts{{Scope: key, Facts: []memory.Fact{f}}}}), "")
	stale("after a rewrite", false)
	step := l.step(t, st, "came out of order")
	step.Unlearnt = []memory.Scope{key}
	l.commit(t, st, step)
	stale("after messages that were not learnt", true)
	if manifest(t, st, memory.Scope{Root: l.root()}).Stale {
		t.Error("a scope of other messages is stale, too")
	}
	bobs := newTalk(bob(), "kept", "key")
	bobs.say(t, st, "nothing of note")
	state, err := st.Manifest(t.Context(), bob(), key)
	kind(t, "of another owner", err, "")
	same(t, "of another owner", state.Stale, false)
}

func testScopeEnds(t *testing.T, st Store) {
	a, b := newTalk(alice(), "a", "key"), newTalk(alice(), "b", "key")
	a.say(t, st, "0")
	b.say(t, st, "1")
	first := manifest(t, st, memory.Scope{Key: "key"})
	for i, root := range []session.ID{"a", "b"} {
		kind(t, "delete", st.DeleteLineage(t.Context(), alice(), root), "")
		if got := manifest(t, st, memory.Scope{Key: "key"}).Version == memory.Unwritten; got != (i == 1) {
			t.Errorf("without %s: got the scope's end %v", root, got)
		}
	}
	again := newTalk(alice(), "c", "key")
	again.say(t, st, "2")
	if got := manifest(t, st, memory.Scope{Key: "key"}); got.Scope == first.Scope {
		t.Errorf("got the id %d for another scope, too", got.Scope)
	}
}

func testDocumentsAfter(t *testing.T, st Store) {
	l, other := newTalk(alice(), "s", "key"), newTalk(alice(), "other", "key")
	l.say(t, st, "0", "1")
	other.say(t, st, "elsewhere")
	l.say(t, st, "2", "3")
	l.key = ""
	l.say(t, st, "4", "5")
	all := append(l.messages[:2:2], append(other.messages, l.messages[2:4]...)...)
	check := func(what string, scope memory.Scope, after int64, want []session.Message) {
		t.Helper()
		var got []ranking.Document
		kind(t, what, st.Documents(t.Context(), alice(), scope, after, func(d ranking.Document) bool {
			got = append(got, d)
			return true
		}), "")
		same(t, what, got, documentsOf(want))
	}
	key, root, whole := memory.Scope{Key: "key"}, memory.Scope{Root: "s"}, memory.Scope{Root: "s", Whole: true}
	check("of a key", key, l.messages[1].ID, all[2:])
	check("of a key, after an id of no message", key, l.messages[3].ID+1, nil)
	check("of a lineage", root, l.messages[4].ID, l.messages[5:])
	check("of a lineage, after a message of another scope", root, l.messages[2].ID, l.messages[4:])
	check("of a lineage, after another lineage's message", root, other.messages[0].ID, l.messages[4:])
	check("of a whole lineage", whole, l.messages[2].ID, l.messages[3:])
	check("of a whole lineage, after another lineage's message", whole, other.messages[0].ID, l.messages[2:])
	check("of a past moment", memory.Scope{Key: "key", AsOf: epoch().Add(time.Second)}, l.messages[0].ID, all[1:3])
}
