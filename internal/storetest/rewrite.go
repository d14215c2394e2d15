package storetest

import (
	"crypto/sha256"
	"encoding/json"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

func rewriteTests() []test {
	return []test{
		{"the scopes of an owner", testScopes},
		{"a rewrite changes texts and keeps the rest", testRewriteTexts},
		{"a rewrite replaces the facts of scopes", testRewriteFacts},
		{"a sweep erases outcomes", testSweepOutcomes},
		{"results lose the facts that a rewrite takes", testRewriteResults},
		{"facts of changed or deleted messages are refused", testRewriteRetold},
		{"a failing rewrite changes nothing", testRewriteAtomic},
		{"a forgotten thing is stored as a hash", testErasures},
		{"no trace of erased content", testTraces},
	}
}

func testScopes(t *testing.T, st Store) {
	scopes := func() []memory.Scope {
		got, err := st.Scopes(t.Context(), alice())
		kind(t, "scopes", err, "")
		return got
	}
	same(t, "no scopes", scopes(), []memory.Scope(nil))
	a, b, c := newTalk(alice(), "a", ""), newTalk(alice(), "b", "key"), newTalk(alice(), "c", "key")
	a.say(t, st, "without a key")
	a.commit(t, st, a.fold(t, st, "a-child", "still without"))
	b.say(t, st, "under a key")
	c.say(t, st, "under the same key")
	same(t, "scopes", scopes(), []memory.Scope{{Root: "a"}, {Key: "key"}})
	c.key = ""
	c.say(t, st, "and now without")
	same(t, "scopes", scopes(), []memory.Scope{{Root: "a"}, {Root: "c"}, {Key: "key"}})
	kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "a"), "")
	same(t, "scopes", scopes(), []memory.Scope{{Root: "c"}, {Key: "key"}})
}

func testRewriteTexts(t *testing.T, st Store) {
	l := rich(t, st, "s", "key")
	other := rich(t, st, "other", "key")
	for _, i := range []int{0, 3} {
		m := &l.messages[i]
		m.Content, m.Name, m.Wire, m.ToolCalls = "[forgotten]", "", nil, nil
	}
	l.messages[4].Content = ""
	for i := range l.sessions[:2] {
		s := &l.sessions[i]
		s.Title, s.SystemPrompt, s.Summary, s.UserID, s.Metadata = "new title", "", "- [forgotten]", "", `{"a":"[forgotten]"}`
		s.TitleSource = session.TitleModel
	}
	err := st.Rewrite(t.Context(), alice(), curate.Rewrite{
		Messages: []session.Message{l.messages[0], l.messages[3], l.messages[4]}, Sessions: l.sessions[:2],
	})
	kind(t, "rewrite", err, "")
	l.check(t, st)
	same(t, "documents", gather(t, st, memory.Scope{Root: "s", Whole: true}), documentsOf(l.messages))
	other.check(t, st)
	_, err = st.Receipt(t.Context(), alice(), "r_s")
	kind(t, "receipt", err, "")
	l.say(t, st, "goes on")
	l.check(t, st)
	kind(t, "an empty rewrite", st.Rewrite(t.Context(), alice(), curate.Rewrite{}), "")
	l.check(t, st)
}

func testRewriteFacts(t *testing.T, st Store) {
	keyed, alone := rich(t, st, "keyed", "key"), rich(t, st, "alone", "")
	kept := rich(t, st, "kept", "other key")
	one := fact("new-1", &keyed.messages[0], memory.Decision)
	two := fact("new-2", &keyed.messages[2], memory.Preference)
	two.Links = []memory.Link{{Kind: memory.Answers, To: one.ID}}
	err := st.Rewrite(t.Context(), alice(), curate.Rewrite{Scopes: []curate.ScopeFacts{
		{Scope: memory.Scope{Key: "key"}, Facts: []memory.Fact{one, two}}, {Scope: memory.Scope{Root: "alone"}},
	}})
	kind(t, "rewrite", err, "")
	known(t, "facts of the key", st, memory.Scope{Key: "key"}, one, two)
	known(t, "facts of a lineage of the key", st, memory.Scope{Root: "keyed", Whole: true}, one, two)
	known(t, "facts as they were known", st, memory.Scope{Key: "key", AsOf: keyed.messages[0].RecordedAt}, one)
	known(t, "facts of the lineage", st, memory.Scope{Root: "alone"})
	known(t, "facts of another key", st, memory.Scope{Key: "other key"}, fact("kept", &kept.messages[0], memory.Plain))
	for _, l := range []*talk{keyed, alone, kept} {
		l.check(t, st)
	}
}

func testSweepOutcomes(t *testing.T, st Store) {
	for key, text := range map[string]string{"k1": "I like Zebras", "k2": "nothing of the kind", "k3": "100% ZEBRA_"} {
		l := newTalk(alice(), session.ID("s "+key), "")
		step := l.step(t, st, "hello", "hi")
		step.Finished = &lineage.Finished{Key: claim(key, "body"), Outcome: []byte(`{"lineage_root_id":"x","answer":"` + text + `"}`)}
		l.commit(t, st, step)
	}
	mine := func(key string) bool {
		got, err := st.ClaimRequest(t.Context(), alice(), claim(key, "body"))
		kind(t, "claim", err, "")
		return got.Mine
	}
	if swept, err := st.Sweep(t.Context(), alice(), mention.Of("100%"), true); err != nil || swept.Records != 1 {
		t.Errorf("a sweep that only counts: got %+v, %v", swept, err)
	}
	forget(t, st, alice(), "100%")
	forget(t, st, alice(), "zebras")
	for key, want := range map[string]bool{"k1": true, "k2": false, "k3": true} {
		if got := mine(key); got != want {
			t.Errorf("outcome of %s: got erased %v, want %v", key, got, want)
		}
	}
}

// testRewriteResults: a result that repeats a fact of a rewritten message goes with it.
// Results that repeat facts which stay are kept.
func testRewriteResults(t *testing.T, st Store) {
	l, other := newTalk(alice(), "s", "key"), newTalk(alice(), "other", "key")
	step := l.step(t, st, "I met Ada", "Noted.")
	gone, stays := fact("gone", &step.Messages[0], memory.Plain), fact("stays", &step.Messages[1], memory.Plain)
	step.Changes = []memory.Change{{Learned: []memory.Fact{gone, stays}}}
	l.commit(t, st, step)
	results := map[string]run.Result{
		"learnt":    {Learned: []run.Learned{{ID: stays.ID}, {ID: gone.ID, Statement: gone.Statement}}},
		"reversed":  {Reversals: []run.Reversal{{Was: gone.Quote, Now: "x"}}},
		"reversing": {Reversals: []run.Reversal{{Was: "x", Now: gone.Quote}}},
		"kept":      {Learned: []run.Learned{{ID: stays.ID, Statement: stays.Statement}}, Reversals: []run.Reversal{{Was: "x", Now: "y"}}},
		"empty":     {},
	}
	for name, res := range results {
		text, err := json.Marshal(res)
		kind(t, "encode", err, "")
		step := other.step(t, st, "hello", "hi")
		step.Finished = &lineage.Finished{Key: claim(name, "body"), Outcome: text}
		other.commit(t, st, step)
		mustRun(t, st, alice(), aRun(name))
		c := mustClaim(t, st, alice(), name)
		done := over(c, "done")
		done.Result = &res
		mustAdvance(t, st, alice(), c, &done, told("done"))
	}
	mustRun(t, st, alice(), aRun("queued"))
	kind(t, "a rebuild", st.Rewrite(t.Context(), alice(), curate.Rewrite{Scopes: []curate.ScopeFacts{
		{Scope: memory.Scope{Key: "key"}, Facts: []memory.Fact{gone, stays}},
	}}), "")
	changed := []session.Message{l.messages[0], l.messages[1]}
	changed[0].Content = "[erased]"
	kind(t, "rewrite", st.Rewrite(t.Context(), alice(), curate.Rewrite{
		Messages: changed, Scopes: []curate.ScopeFacts{{Scope: memory.Scope{Key: "key"}, Facts: []memory.Fact{stays}}},
	}), "")
	for name := range results {
		got, err := st.ClaimRequest(t.Context(), alice(), claim(name, "body"))
		kind(t, "claim", err, "")
		_, err = st.Run(t.Context(), alice(), name)
		keeps := name == "kept" || name == "empty"
		if got.Mine == keeps || (err == nil) != keeps {
			t.Errorf("%s: got erased %v, run %v, want kept %v", name, got.Mine, err, keeps)
		}
	}
	runOf(t, st, alice(), "queued")
}

func testRewriteAtomic(t *testing.T, st Store) {
	l := rich(t, st, "s", "")
	changed := l.messages[0]
	changed.Content = "changed"
	stray := fact("stray", &session.Message{RootID: "s", Seq: 99, Content: "never said"}, memory.Plain)
	err := st.Rewrite(t.Context(), alice(), curate.Rewrite{
		Messages: []session.Message{changed}, Sessions: []session.Session{{ID: "s", Title: "changed"}},
		Scopes: []curate.ScopeFacts{{Scope: memory.Scope{Root: "s"}, Facts: []memory.Fact{stray}}},
	})
	if err == nil {
		t.Error("a fact of a message that is not there: got no error")
	}
	l.check(t, st)
	known(t, "facts", st, memory.Scope{Root: "s", Whole: true}, fact("s", &l.messages[0], memory.Plain))
}

func testErasures(t *testing.T, st Store) {
	erasure := func(text string, minute int) memory.Erasure {
		return memory.Erasure{Hash: sha256.Sum256([]byte(text)), Words: minute, At: epoch().Add(time.Duration(minute) * time.Minute)}
	}
	check := func(what string, want ...memory.Erasure) {
		t.Helper()
		got, err := st.Erasures(t.Context(), alice())
		kind(t, what, err, "")
		for i := range want {
			if len(got) == len(want) && len(got[i].Key) > 0 { // each under the store's key
				want[i].Hash, want[i].Key = memory.Keyed(got[i].Key, want[i].Hash), got[i].Key
			}
		}
		same(t, what, got, want)
	}
	check("none")
	l := newTalk(alice(), "s", "")
	l.say(t, st, "hello")
	one, two, three := erasure("one", 1), erasure("two", 2), erasure("three", 3)
	for _, e := range []memory.Erasure{two, three, one} {
		kind(t, "rewrite", st.Rewrite(t.Context(), alice(), curate.Rewrite{Erased: &e}), "")
	}
	check("oldest first", one, two, three)
	kind(t, "the same again", st.Rewrite(t.Context(), alice(), curate.Rewrite{Erased: &two}), "")
	check("each once", one, two, three)
	kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "s"), "")
	check("they outlive what they speak of", one, two, three)
	stray := fact("stray", &session.Message{RootID: "s", Seq: 99}, memory.Plain)
	four := erasure("four", 4)
	err := st.Rewrite(t.Context(), alice(), curate.Rewrite{
		Erased: &four, Scopes: []curate.ScopeFacts{{Scope: memory.Scope{Root: "s"}, Facts: []memory.Fact{stray}}},
	})
	if err == nil {
		t.Error("a fact of a message that is not there: got no error")
	}
	check("a failing rewrite keeps none", one, two, three)
}

// testRewriteRetold: facts derived from messages that have changed meanwhile are not
// stored.
func testRewriteRetold(t *testing.T, st Store) {
	l := rich(t, st, "s", "key")
	newest := l.messages[len(l.messages)-1].ID
	one := fact("new", &l.messages[0], memory.Decision)
	rewrite := func(newest int64, f memory.Fact) error {
		return st.Rewrite(t.Context(), alice(), curate.Rewrite{Scopes: []curate.ScopeFacts{{Scope: memory.Scope{Key: "key"}, Facts: []memory.Fact{f}, Newest: newest}}})
	}
	kind(t, "not of the newest", rewrite(newest-1, one), fault.Conflict)
	kind(t, "of no message", rewrite(newest, fact("stray", &session.Message{RootID: "s", Seq: 99}, memory.Plain)), fault.Conflict)
	known(t, "facts", st, memory.Scope{Key: "key"}, fact("s", &l.messages[0], memory.Plain))
	kind(t, "of the newest", rewrite(newest, one), "")
	known(t, "facts", st, memory.Scope{Key: "key"}, one)
}

// forget removes a thing from an owner's records.
func forget(t *testing.T, st Store, o owner.Owner, about string) {
	t.Helper()
	_, err := st.Sweep(t.Context(), o, mention.Of(about), false)
	kind(t, "sweep", err, "")
}

// traces counts the mentions of a thing in the store's files after erased content was
// cleaned up.
func traces(t *testing.T, st Store, about string) int {
	t.Helper()
	kind(t, "clean", st.Clean(t.Context()), "")
	got, err := st.Traces(t.Context(), mention.Of(about))
	kind(t, "traces", err, "")
	return found(got)
}

func found(traces []curate.Trace) (n int) {
	for i := range traces {
		n += traces[i].Hits
	}
	return n
}

// testTraces: a store finds the bytes of an erased thing.
func testTraces(t *testing.T, st Store) {
	gone, changed := newTalk(alice(), "gone", "key"), newTalk(alice(), "changed", "key")
	for _, l := range []*talk{gone, changed} {
		step := l.step(t, st, "The password is Quetzalcoatl.", "Noted.")
		step.Changes = []memory.Change{{Learned: []memory.Fact{fact(memory.FactID(l.root()), &step.Messages[0], memory.Plain)}}}
		l.commit(t, st, step)
	}
	kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "gone"), "")
	m := changed.messages[0]
	m.Content = "[forgotten]"
	err := st.Rewrite(t.Context(), alice(), curate.Rewrite{
		Messages: []session.Message{m}, Scopes: []curate.ScopeFacts{{Scope: memory.Scope{Key: "key"}}},
	})
	kind(t, "rewrite", err, "")
	if got := traces(t, st, "quetzalcoatl"); got != 0 {
		t.Errorf("got %d traces of what is gone, want 0", got)
	}
	kind(t, "repack", st.Repack(t.Context()), "")
	same(t, "documents", gather(t, st, memory.Scope{Key: "key"}), []ranking.Document{
		ranking.DocumentOf(&m), ranking.DocumentOf(&changed.messages[1]),
	})
}
