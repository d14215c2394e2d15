package storetest

import (
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/session"
)

func sessionTests() []test {
	return []test{
		{"a session is read back as it was created", testCreate},
		{"an id is unique", testCreateTaken},
		{"every id leads to the tip", testTip},
		{"absent and foreign ids are refused alike", testRefusedAlike},
		{"a patch changes only the given fields", testPatch},
		{"a patch ends a session and a turn reopens it", testReopen},
	}
}

// fullSession has a value in every field a new session can have.
func fullSession() session.Session {
	return session.Session{
		ID: "full", RootID: "full", ParentID: "forked-from", Key: "agent:main", Source: session.SourceCron,
		UserID: "user-7", Model: "model-1", SystemPrompt: "Be brief.\nBe kind.", Title: "A “title”; DROP TABLE", TitleSource: session.TitleModel,
		StartedAt: epoch(), EndedAt: epoch().Add(time.Hour), EndReason: "user_exit", LastActive: epoch().Add(time.Minute),
		MessageCount: 3, ToolCallCount: 1, InputTokens: 1 << 40, OutputTokens: 77,
		NextSeq: 9, TailFrom: 4, Summary: "- line one\n- line two", LineageTokens: 1 << 41, Metadata: `{"topic":"a \"word\""}`,
	}
}

func testCreate(t *testing.T, st Store) {
	want := fullSession()
	if err := st.CreateSession(t.Context(), alice(), want); err != nil {
		t.Fatalf("create session: %v", err)
	}
	got, err := st.Session(t.Context(), alice(), want.ID)
	kind(t, "session", err, "")
	same(t, "session", got, want)
	got, err = st.Tip(t.Context(), alice(), want.ID)
	kind(t, "tip", err, "")
	same(t, "tip", got, want)
	bare := session.Session{ID: "bare", RootID: "bare", Source: session.SourceAPI, StartedAt: epoch(), LastActive: epoch()}
	if err := st.CreateSession(t.Context(), alice(), bare); err != nil {
		t.Fatalf("create session: %v", err)
	}
	got, err = st.Session(t.Context(), alice(), bare.ID)
	kind(t, "bare session", err, "")
	same(t, "bare session", got, bare)
}

func testCreateTaken(t *testing.T, st Store) {
	l := newTalk(alice(), "root", "")
	l.say(t, st, "hello", "hi")
	l.commit(t, st, l.fold(t, st, "child", "more", "yes"))
	for _, id := range l.ids() {
		err := st.CreateSession(t.Context(), alice(), session.Session{
			ID: id, RootID: id, Title: "usurper", Source: session.SourceAPI, StartedAt: epoch(), LastActive: epoch(),
		})
		kind(t, "create "+string(id), err, fault.Conflict)
	}
	l.check(t, st)
}

func testTip(t *testing.T, st Store) {
	l := newTalk(alice(), "20260301_090000_aaaaaaaa", "")
	l.say(t, st, "first", "answer")
	other := newTalk(alice(), "other", "")
	other.say(t, st, "elsewhere", "there")
	for i, child := range []session.ID{"c1", "20260301_100000_bbbbbbbb", "0-sorts-first", "~sorts-last", "c5", "c6"} {
		// A child may be opened by the input alone, or with its answer.
		l.commit(t, st, l.fold(t, st, child, []string{"question", "answer"}[:1+i%2]...))
		l.say(t, st, "and", "on")
		l.check(t, st)
	}
	other.check(t, st)
	if got := l.tip(); got.Generation != 6 || got.NextSeq != int64(len(l.messages)) {
		t.Errorf("the suite itself: got tip %+v", got)
	}
}

func testRefusedAlike(t *testing.T, st Store) {
	l := newTalk(bob(), "bobs", "")
	l.say(t, st, "mine", "yours")
	title := "stolen"
	refusals := func(id session.ID) []error {
		_, tip := st.Tip(t.Context(), alice(), id)
		_, one := st.Session(t.Context(), alice(), id)
		_, patched := st.UpdateSession(t.Context(), alice(), id, session.Patch{Title: &title, At: epoch()})
		deleted := st.DeleteLineage(t.Context(), alice(), id)
		step := newTalk(alice(), id, "").step(t, st, "hello")
		step.Opened = false
		return []error{tip, one, patched, deleted, st.AppendTurn(t.Context(), alice(), step)}
	}
	absent, foreign := refusals("absent"), refusals("bobs")
	for i, what := range []string{"Tip", "Session", "UpdateSession", "DeleteLineage", "AppendTurn"} {
		refusedAlike(t, what, absent[i], foreign[i])
	}
	_, absentReceipt := st.Receipt(t.Context(), alice(), "r_none")
	_, foreignReceipt := st.Receipt(t.Context(), alice(), "r_bob")
	refusedAlike(t, "Receipt", absentReceipt, foreignReceipt)
	for _, id := range []session.ID{"absent", "bobs"} {
		ms, err := st.Messages(t.Context(), alice(), id, session.Range{})
		kind(t, "messages of "+string(id), err, "")
		same(t, "messages of "+string(id), ms, []session.Message(nil))
	}
	l.check(t, st)
}

func testPatch(t *testing.T, st Store) {
	l := newTalk(alice(), "root", "")
	l.say(t, st, "hello", "hi")
	l.commit(t, st, l.fold(t, st, "child", "more"))
	title, older, prompt, empty, metadata := "A title", "An older title", "Be brief.", "", `{"topic":"tea"}`
	for _, c := range []struct {
		name  string
		at    int // which session of the lineage
		patch session.Patch
		want  func(*session.Session)
	}{
		{"title", 1, session.Patch{Title: &title}, func(s *session.Session) { s.Title, s.TitleSource = title, session.TitlePerson }},
		{"prompt", 1, session.Patch{SystemPrompt: &prompt}, func(s *session.Session) { s.SystemPrompt = prompt }},
		{"metadata", 1, session.Patch{Metadata: &metadata}, func(s *session.Session) { s.Metadata = metadata }},
		{"no metadata", 1, session.Patch{Metadata: new(string)}, func(s *session.Session) { s.Metadata = "" }},
		{"an ended session", 0, session.Patch{Title: &older}, func(s *session.Session) { s.Title, s.TitleSource = older, session.TitlePerson }},
		{"nothing", 1, session.Patch{}, func(*session.Session) {}},
		{"emptied", 1, session.Patch{Title: &empty}, func(s *session.Session) { s.Title, s.TitleSource = "", "" }},
	} {
		c.patch.At = epoch().Add(time.Hour)
		got, err := st.UpdateSession(t.Context(), alice(), l.sessions[c.at].ID, c.patch)
		kind(t, c.name, err, "")
		c.want(&l.sessions[c.at])
		same(t, c.name, got, l.sessions[c.at])
		l.check(t, st)
	}
}

func testReopen(t *testing.T, st Store) {
	l := newTalk(alice(), "root", "")
	l.say(t, st, "hello", "hi")
	reason, at := session.EndReason("went home"), epoch().Add(time.Hour)
	got, err := st.UpdateSession(t.Context(), alice(), "root", session.Patch{EndReason: &reason, At: at})
	kind(t, "end", err, "")
	ended := l.tip()
	ended.EndedAt, ended.EndReason = at, reason
	same(t, "ended session", got, ended)
	list, err := st.Sessions(t.Context(), alice(), session.Filter{})
	kind(t, "list", err, "")
	same(t, "list with an ended session", list, []session.Session{ended})
	l.say(t, st, "again", "welcome") // with EndedAt zero
	l.check(t, st)
}
