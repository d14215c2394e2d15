package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

func studyTests() []test {
	return []test{
		{"a study is read back with all its results", testStudy},
		{"a past state has the vectors of its messages", testVectorsPast},
		{"lineages are listed by the work they lack", testUnstudied},
		{"vectors of a new model replace those of the old one", testVectorModels},
		{"a summary is stored with the session it names", testSummary},
		{"a failing study changes nothing", testStudyAtomic},
		{"erasing a lineage erases its study", testStudyErased},
		{"a rewrite erases vectors", testStudyRewritten},
	}
}

// studied is a study with one vector, which holds the mark.
func studied(m *session.Message, mark string) curate.Study {
	v := ranking.Vector{MessageID: m.ID, SessionID: m.SessionID, Root: m.RootID, Seq: m.Seq, Scale: 0.5}
	for _, b := range []byte(mark) {
		v.Parts = append(v.Parts, int8(b))
	}
	return curate.Study{
		Task:    curate.Task{Root: m.RootID},
		Marks:   curate.Marks{Summarized: len(mark) - len("canary-"), VectorsTo: 1, VectorsBy: theEmbeddings},
		Vectors: []ranking.Vector{v},
	}
}

// textOf is the mark that a vector of [studied] holds.
func textOf(v ranking.Vector) string {
	var b []byte
	for _, p := range v.Parts {
		b = append(b, byte(p))
	}
	return string(b)
}

func vectors(t *testing.T, what string, st Store, scope memory.Scope, model string, want ...ranking.Vector) {
	t.Helper()
	var got []ranking.Vector
	err := st.Vectors(t.Context(), alice(), scope, model, func(v ranking.Vector) bool {
		got = append(got, v)
		return len(got) < 9
	})
	kind(t, what, err, "")
	same(t, what, got, want)
}

func marks(t *testing.T, what string, st Store, root session.ID, want curate.Marks) {
	t.Helper()
	got, err := st.Marks(t.Context(), alice(), root)
	kind(t, what, err, "")
	same(t, what, got, want)
}

func testStudy(t *testing.T, st Store) {
	keyed, alone := newTalk(alice(), "keyed", "key"), newTalk(alice(), "alone", "")
	marks(t, "none yet", st, "keyed", curate.Marks{})
	keyed.say(t, st, "told", "yes")
	alone.say(t, st, "told", "yes")
	a, b := studied(&keyed.messages[0], "canary-one"), studied(&alone.messages[0], "canary-three")
	more := studied(&keyed.messages[1], "canary-two").Vectors[0]
	a.Vectors = append(a.Vectors, more)
	kind(t, "keep", st.KeepStudy(t.Context(), alice(), a), "")
	kind(t, "keep", st.KeepStudy(t.Context(), alice(), b), "")
	for _, c := range []struct {
		scope memory.Scope
		s     curate.Study
	}{{memory.Scope{Key: "key"}, a}, {memory.Scope{Root: "keyed", Whole: true}, a}, {memory.Scope{Root: "alone"}, b}} {
		want := c.s.Vectors
		if len(want) == 2 {
			want = []ranking.Vector{want[1], want[0]} // the newest first
		}
		vectors(t, "vectors", st, c.scope, theEmbeddings, want...)
		vectors(t, "vectors of another model", st, c.scope, "another")
		marks(t, "marks", st, c.s.Root, c.s.Marks)
	}
	vectors(t, "another key", st, memory.Scope{Key: "other"}, theEmbeddings)
	keyed.check(t, st)
}

func testVectorsPast(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "key")
	l.say(t, st, "told", "yes")
	s := studied(&l.messages[0], "canary-x")
	kind(t, "keep", st.KeepStudy(t.Context(), alice(), s), "")
	for _, scope := range []memory.Scope{{Root: "s", Whole: true}, {Key: "key"}} {
		scope.AsOf = epoch().Add(time.Hour)
		vectors(t, "vectors are as old as their messages", st, scope, theEmbeddings, s.Vectors...)
		scope.AsOf = epoch()
		vectors(t, "before all", st, scope, theEmbeddings)
	}
}

func testUnstudied(t *testing.T, st Store) {
	a, b := newTalk(alice(), "a", ""), newTalk(alice(), "b", "key")
	a.say(t, st, "one", "two", "three")
	b.say(t, st, "one", "two")
	b.commit(t, st, b.fold(t, st, "b2", "three", "four"))
	check := func(what string, want curate.Want, ids ...session.ID) {
		t.Helper()
		if want.Limit == 0 {
			want.Limit = 9
		}
		got, err := st.Unstudied(t.Context(), alice(), want)
		kind(t, what, err, "")
		same(t, what, got, ids)
	}
	check("nothing is asked for", curate.Want{})
	check("a summary", curate.Want{Summaries: true}, "b")
	check("vectors", curate.Want{Embeddings: "m"}, "b", "a")
	check("the first", curate.Want{Embeddings: "m", Limit: 1}, "b")
	check("one lineage alone", curate.Want{Embeddings: "m", Root: "a"}, "a")
	kind(t, "keep", st.KeepStudy(t.Context(), alice(), curate.Study{Task: curate.Task{Root: "b"}, Marks: curate.Marks{Summarized: 1, VectorsTo: 4, VectorsBy: "m"}}), "")
	check("it has its summary", curate.Want{Summaries: true})
	check("it has its vectors", curate.Want{Embeddings: "m"}, "a")
	check("another model's", curate.Want{Embeddings: "n"}, "b", "a")
	b.say(t, st, "five")
	check("it grew", curate.Want{Embeddings: "m"}, "b", "a")
	check("no title is derived", curate.Want{Titles: true})
	step := a.step(t, st, "four")
	step.Title = "Derived"
	a.commit(t, st, step)
	check("a better title", curate.Want{Titles: true}, "a")
	kind(t, "keep", st.KeepStudy(t.Context(), alice(), curate.Study{Task: curate.Task{Root: "a"}, Marks: curate.Marks{Titled: true}}), "")
	check("a model was asked", curate.Want{Titles: true})
}

func testVectorModels(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "")
	l.say(t, st, "one", "two")
	s := studied(&l.messages[0], "canary-old")
	kind(t, "keep", st.KeepStudy(t.Context(), alice(), s), "")
	next := curate.Study{Task: curate.Task{Root: "s"}, Marks: curate.Marks{VectorsTo: 2, VectorsBy: "new"}, Vectors: studied(&l.messages[1], "canary-new").Vectors}
	kind(t, "keep", st.KeepStudy(t.Context(), alice(), next), "")
	vectors(t, "the old model's", st, memory.Scope{Root: "s"}, theEmbeddings)
	vectors(t, "the new model's", st, memory.Scope{Root: "s"}, "new", next.Vectors...)
	kind(t, "a vector of no message", st.KeepStudy(t.Context(), alice(), curate.Study{
		Task: curate.Task{Root: "s"}, Marks: next.Marks, Vectors: []ranking.Vector{{Root: "s", Seq: 99, Parts: []int8{1}}},
	}), "")
	vectors(t, "the new model's", st, memory.Scope{Root: "s"}, "new", next.Vectors...)
}

func testSummary(t *testing.T, st Store) {
	l, other := rich(t, st, "s", "key"), rich(t, st, "other", "key")
	l.sessions[2].Summary = "~ drawn"
	kind(t, "keep", st.KeepStudy(t.Context(), alice(), curate.Study{Task: curate.Task{Root: "s"}, Summary: &curate.Summary{Session: "s-3", Text: "~ drawn"}}), "")
	kind(t, "a session of another lineage", st.KeepStudy(t.Context(), alice(), curate.Study{Task: curate.Task{Root: "s"}, Summary: &curate.Summary{Session: "other-3", Text: "strange"}}), "")
	l.check(t, st)
	other.check(t, st)
}

func testStudyAtomic(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "")
	l.say(t, st, "one")
	s := studied(&l.messages[0], "canary-x")
	s.Root = "gone"
	kind(t, "a lineage that is gone", st.KeepStudy(t.Context(), alice(), s), fault.NotFound)
	vectors(t, "vectors", st, memory.Scope{Root: "s"}, theEmbeddings)
	marks(t, "marks", st, "gone", curate.Marks{})
}

func testStudyErased(t *testing.T, st Store) {
	gone, kept := newTalk(alice(), "gone", "key"), newTalk(alice(), "kept", "key")
	var s [2]curate.Study
	for i, l := range []*talk{gone, kept} {
		l.say(t, st, "told")
		s[i] = studied(&l.messages[0], "canary-quetzal")
		kind(t, "keep", st.KeepStudy(t.Context(), alice(), s[i]), "")
	}
	kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "gone"), "")
	vectors(t, "vectors", st, memory.Scope{Key: "key"}, theEmbeddings, s[1].Vectors...)
	marks(t, "marks", st, "gone", curate.Marks{})
	marks(t, "the other's marks", st, "kept", s[1].Marks)
	kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "kept"), "")
	if n := traces(t, st, "quetzal"); n > 0 {
		t.Errorf("got %d traces, want none", n)
	}
}

func testStudyRewritten(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "")
	l.say(t, st, "one", "two", "three")
	a, b := studied(&l.messages[0], "canary-quetzal"), studied(&l.messages[2], "canary-kept")
	b.Marks.VectorsTo = 3
	kind(t, "keep", st.KeepStudy(t.Context(), alice(), a), "")
	kind(t, "keep", st.KeepStudy(t.Context(), alice(), b), "")
	m := l.messages[0]
	m.Content = "[erased]"
	kind(t, "rewrite", st.Rewrite(t.Context(), alice(), curate.Rewrite{Messages: []session.Message{m}}), "")
	vectors(t, "vectors", st, memory.Scope{Root: "s"}, theEmbeddings, b.Vectors...)
	want := b.Marks
	want.VectorsTo = 0
	marks(t, "the vector is due again", st, "s", want)
	if n := traces(t, st, "quetzal"); n > 0 {
		t.Errorf("got %d traces, want none", n)
	}
}

// The isolation cases follow.

// vectorsOfTheSession returns the marks that the vectors hold.
func vectorsOfTheSession(ctx context.Context, st Store, o owner.Owner) (any, error) {
	var marks []string
	each := func(v ranking.Vector) bool {
		marks = append(marks, textOf(v))
		return true
	}
	if err := st.Vectors(ctx, o, memory.Scope{Root: theSession, Whole: true}, theEmbeddings, each); err != nil {
		return nil, err
	}
	err := st.Vectors(ctx, o, memory.Scope{Key: theKey}, theEmbeddings, each)
	return marks, err
}

// marksOfTheSession checks that the marks are the owner's: [settle] derives them from
// the length of the owner's name.
func marksOfTheSession(ctx context.Context, st Store, o owner.Owner) (any, error) {
	m, err := st.Marks(ctx, o, theSession)
	want := len(o.ID())
	if o.ID() == carol().ID() {
		want = 0
	}
	if m.Summarized != want {
		return nil, fmt.Errorf("got marks %+v of %s", m, o.ID())
	}
	return m, err
}

func unstudiedSessions(ctx context.Context, st Store, o owner.Owner) (any, error) {
	ids, err := st.Unstudied(ctx, o, curate.Want{Embeddings: "another", Limit: 9})
	if has := o.ID() == alice().ID() || o.ID() == bob().ID(); has && len(ids) != 1 || !has && len(ids) != 0 {
		return nil, fmt.Errorf("got %v of %s", ids, o.ID())
	}
	return ids, err
}

// studyTheSession stores a study with every kind of result.
func studyTheSession(ctx context.Context, st Store, o owner.Owner) (any, error) {
	m := session.Message{ID: 1, SessionID: theSession, RootID: theSession, Key: theKey, Content: "strange"}
	s := studied(&m, "strange")
	s.Marks.Summarized = len(o.ID())
	s.Summary = &curate.Summary{Session: theChild, Text: "strange"}
	s.Title = "strange"
	return nil, st.KeepStudy(ctx, o, s)
}
