package storetest

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/session"
)

func titleTests() []test {
	return []test{
		{"a title is unique", testTitleTaken},
		{"a continuation gets the next number", testTitleContinued},
		{"a turn gives a title to a session without one", testTitleGiven},
		{"the next free title", testFreeTitle},
		{"the source of a title", testTitleSource},
		{"a model's title replaces a derived one", testRetitled},
		{"a lineage that lost its title may be given one again", testTitleLost},
		{"sessions are found by their title", testListTitle},
	}
}

// titled makes a session with a title.
func titled(t *testing.T, st Store, id session.ID, title string) error {
	t.Helper()
	return st.CreateSession(t.Context(), alice(), session.Session{
		ID: id, RootID: id, Title: title, Source: session.SourceAPI, StartedAt: epoch(), LastActive: epoch(),
	})
}

// titleOf is the title a session has.
func titleOf(t *testing.T, st Store, id session.ID) string {
	t.Helper()
	s, err := st.Session(t.Context(), alice(), id)
	kind(t, "session", err, "")
	return s.Title
}

func testTitleTaken(t *testing.T, st Store) {
	kind(t, "create", titled(t, st, "a", "Plan"), "")
	kind(t, "create another", titled(t, st, "b", "Other"), "")
	err := titled(t, st, "c", "Plan")
	kind(t, "create with a taken title", err, fault.Conflict)
	if fault.CodeOf(err) != "title_taken" {
		t.Errorf("got code %q, want title_taken", fault.CodeOf(err))
	}
	_, err = st.Session(t.Context(), alice(), "c")
	kind(t, "a session that was refused", err, fault.NotFound)
	rename := func(id session.ID, title string) error {
		_, err := st.UpdateSession(t.Context(), alice(), id, session.Patch{Title: &title, At: epoch()})
		return err
	}
	kind(t, "rename to a taken title", rename("b", "Plan"), fault.Conflict)
	same(t, "title", titleOf(t, st, "b"), "Other")
	kind(t, "rename to its own", rename("a", "Plan"), "")
	kind(t, "two without a title", rename("a", ""), "")
	kind(t, "two without a title", rename("b", ""), "")
	kind(t, "a title that was given up", rename("b", "Plan"), "")
	kind(t, "case counts", rename("a", "plan"), "")
}

func testTitleContinued(t *testing.T, st Store) {
	l := newTalk(alice(), "root", "")
	l.sessions[0].Title = "Plan"
	l.say(t, st, "hello", "hi")
	l.commit(t, st, l.fold(t, st, "child", "more"))
	l.sessions[1].Title = "Plan #2"
	l.check(t, st)
	l.commit(t, st, l.fold(t, st, "grandchild", "still more"))
	l.sessions[2].Title = "Plan #3"
	l.check(t, st)
	again := newTalk(alice(), "again", "")
	again.sessions[0].Title = "Plan"
	again.say(t, st, "hello")
	same(t, "title of another lineage", titleOf(t, st, "again"), "Plan #4")
}

func testTitleGiven(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "")
	l.say(t, st, "hello")
	named := func(title string) {
		step := l.step(t, st, "and on")
		step.Title = title
		l.commit(t, st, step)
	}
	named("Greeting")
	l.sessions[0].Title, l.sessions[0].TitleSource = "Greeting", session.TitleDerived
	l.check(t, st)
	named("Too late")
	l.check(t, st)
	other := newTalk(alice(), "other", "")
	step := other.step(t, st, "hello", "hi")
	step.Title = "Greeting"
	other.commit(t, st, step)
	same(t, "title of the other", titleOf(t, st, "other"), "Greeting #2")
}

func testFreeTitle(t *testing.T, st Store) {
	for id, title := range map[session.ID]string{"a": "Plan", "b": "Plan #2", "c": "It's 100%", "d": "Plan #9"} {
		kind(t, "create", titled(t, st, id, title), "")
	}
	for title, want := range map[string]string{
		"": "", "New": "New", "Plan": "Plan #3", "Plan #2": "Plan #3", "It's 100%": "It's 100% #2", "It's 1__%": "It's 1__%",
	} {
		got, err := st.FreeTitle(t.Context(), alice(), title)
		kind(t, "free title", err, "")
		same(t, "free title for "+title, got, want)
	}
}

func testListTitle(t *testing.T, st Store) {
	l := newTalk(alice(), "root", "")
	l.sessions[0].Title = "Plan"
	l.say(t, st, "hello", "hi")
	l.commit(t, st, l.fold(t, st, "child", "more"))
	kind(t, "create", titled(t, st, "other", "Plan of another kind"), "")
	same(t, "the title of the root", listed(t, st, session.Filter{Title: "Plan"}), []session.ID{"root"})
	same(t, "the title of the child", listed(t, st, session.Filter{Title: "Plan #2"}), []session.ID{"root"})
	for _, title := range []string{"plan", "Pla", "Plan%", "root"} {
		same(t, "no title "+title, listed(t, st, session.Filter{Title: title}), []session.ID(nil))
	}
}

func testTitleSource(t *testing.T, st Store) {
	l := newTalk(alice(), "root", "")
	l.sessions[0].Title, l.sessions[0].TitleSource = "Plan", session.TitleModel
	l.say(t, st, "hello", "hi")
	l.commit(t, st, l.fold(t, st, "child", "more"))
	l.sessions[1].Title = "Plan #2" // and its source
	l.check(t, st)
	none := newTalk(alice(), "none", "")
	none.sessions[0].TitleSource = session.TitleDerived
	none.say(t, st, "hello")
	none.sessions[0].TitleSource = "" // there is none
	none.check(t, st)
	l.sessions[1].Title, l.sessions[1].TitleSource = "", session.TitleModel
	kind(t, "rewrite", st.Rewrite(t.Context(), alice(), curate.Rewrite{Sessions: l.sessions[1:]}), "")
	l.sessions[1].TitleSource = ""
	l.check(t, st)
}

func testRetitled(t *testing.T, st Store) {
	taken, l := newTalk(alice(), "taken", ""), newTalk(alice(), "root", "")
	taken.sessions[0].Title, taken.sessions[0].TitleSource = "Better", session.TitleDerived
	taken.say(t, st, "hello")
	l.sessions[0].Title, l.sessions[0].TitleSource = "Plan", session.TitleDerived
	l.say(t, st, "hello", "hi")
	l.commit(t, st, l.fold(t, st, "child", "more"))
	l.sessions[1].Title = "Plan #2"
	l.commit(t, st, l.fold(t, st, "grandchild", "more"))
	theirs := "Mine"
	_, err := st.UpdateSession(t.Context(), alice(), "child", session.Patch{Title: &theirs, At: epoch()})
	kind(t, "rename", err, "")
	s := curate.Study{Task: curate.Task{Root: "root"}, Marks: curate.Marks{Titled: true}, Title: "Better"}
	kind(t, "keep", st.KeepStudy(t.Context(), alice(), s), "")
	l.sessions[0].Title, l.sessions[0].TitleSource = "Better #2", session.TitleModel
	l.sessions[1].Title, l.sessions[1].TitleSource = "Mine", session.TitlePerson
	l.sessions[2].Title, l.sessions[2].TitleSource = "Better #3", session.TitleModel
	l.check(t, st)
	taken.check(t, st)
	marks(t, "marks", st, "root", s.Marks)
	s.Title = "Better still"
	kind(t, "keep", st.KeepStudy(t.Context(), alice(), s), "")
	l.check(t, st)
}

func testTitleLost(t *testing.T, st Store) {
	asked := func(id session.ID, want bool) {
		t.Helper()
		marks(t, "marks", st, id, curate.Marks{Summarized: 1, Titled: want})
	}
	var talks []*talk
	for _, id := range []session.ID{"patched", "rewritten", "kept"} {
		l := newTalk(alice(), id, "")
		l.sessions[0].Title, l.sessions[0].TitleSource = "Plan of "+string(id), session.TitleModel
		l.say(t, st, "hello", "hi")
		kind(t, "keep", st.KeepStudy(t.Context(), alice(), curate.Study{Task: curate.Task{Root: id}, Marks: curate.Marks{Summarized: 1, Titled: true}}), "")
		talks = append(talks, l)
	}
	title, prompt := "", "Be brief."
	_, err := st.UpdateSession(t.Context(), alice(), "patched", session.Patch{Title: &title, At: epoch()})
	kind(t, "empty", err, "")
	_, err = st.UpdateSession(t.Context(), alice(), "kept", session.Patch{SystemPrompt: &prompt, At: epoch()})
	kind(t, "another change", err, "")
	same, lost := talks[2].tip(), talks[1].tip()
	same.Title, lost.Title = "Plan", ""
	kind(t, "rewrite", st.Rewrite(t.Context(), alice(), curate.Rewrite{Sessions: []session.Session{same, lost}}), "")
	asked("patched", false)
	asked("rewritten", false)
	asked("kept", true)
}
