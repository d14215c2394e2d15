package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

func importTests() []test {
	return []test{
		{"an origin is stored with its messages", testOriginStored},
		{"an origin may not say what was said, nor when it was changed", testOriginUnread},
		{"the origin of a lineage is found", testOriginOf},
		{"an origin outlives its lineage without its marks", testOriginDeleted},
		{"an import that was broken off leaves no origin", testOriginIncomplete},
		{"an origin that names a thing is erased", testOriginNames},
		{"a step that fails stores no origin", testOriginFails},
	}
}

// marksOf are two marks of messages made from a text.
func marksOf(text string) []byte {
	marks := make([]byte, 2*lineage.MarkSize)
	copy(marks, text)
	return marks
}

// originOf is a conversation that the session s holds.
func originOf(id, text string) *lineage.Origin {
	return &lineage.Origin{
		System: "elsewhere", ID: id, Root: "s", NextSeq: 2, Marks: marksOf(text), Texts: marksOf("said " + text), ChangedAt: epoch(),
	}
}

// originIs checks the stored origin of a conversation.
func originIs(t *testing.T, what string, st Store, o owner.Owner, want *lineage.Origin) {
	t.Helper()
	got, err := st.Origin(t.Context(), o, want.System, want.ID)
	kind(t, what, err, "")
	same(t, what, got, *want)
}

func testOriginStored(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "key")
	step := l.step(t, st, "one", "two")
	step.Origin = originOf("c", "first")
	l.commit(t, st, step)
	originIs(t, "stored", st, alice(), originOf("c", "first"))
	for name, o := range map[string]owner.Owner{"of bob": bob(), "of nobody": carol()} {
		_, err := st.Origin(t.Context(), o, "elsewhere", "c")
		kind(t, name, err, fault.NotFound)
	}
	_, err := st.Origin(t.Context(), alice(), "nowhere", "c")
	kind(t, "of another system", err, fault.NotFound)
	step = l.step(t, st, "three", "four")
	grown := originOf("c", "second")
	grown.NextSeq, step.Origin = 4, grown
	l.commit(t, st, step)
	originIs(t, "grown", st, alice(), grown)
	l.commit(t, st, l.step(t, st, "five", "six"))
	originIs(t, "after a turn", st, alice(), grown)
}

func testOriginUnread(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "key")
	for _, says := range []bool{true, false} {
		step := l.step(t, st, "one", "two")
		step.Origin = originOf("c", "first")
		if !says {
			step.Origin.Texts, step.Origin.ChangedAt = nil, time.Time{}
		}
		l.commit(t, st, step)
		originIs(t, "stored", st, alice(), step.Origin)
	}
}

func testOriginOf(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "key")
	step := l.step(t, st, "one", "two")
	step.Origin = originOf("c", "first")
	l.commit(t, st, step)
	got, err := st.OriginOf(t.Context(), alice(), "s")
	kind(t, "held", err, "")
	same(t, "held", got, *originOf("c", "first"))
	_, err = st.OriginOf(t.Context(), bob(), "s")
	kind(t, "of bob", err, fault.NotFound)
	kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "s"), "")
	_, err = st.OriginOf(t.Context(), alice(), "s")
	kind(t, "deleted", err, fault.NotFound)
}

func testOriginDeleted(t *testing.T, st Store) {
	for _, o := range []owner.Owner{alice(), bob()} {
		l := newTalk(o, "s", "key")
		step := l.step(t, st, "one", "two")
		step.Origin = originOf("c", "first")
		l.commit(t, st, step)
	}
	kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "s"), "")
	got, err := st.Origin(t.Context(), alice(), "elsewhere", "c")
	kind(t, "of a deleted lineage", err, "")
	same(t, "of a deleted lineage", [4]any{got.Root, got.Len(), len(got.Texts), got.ChangedAt}, [4]any{session.ID(""), 0, 0, time.Time{}})
	originIs(t, "of bob", st, bob(), originOf("c", "first"))
}

func testOriginIncomplete(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "key")
	step := l.step(t, st, "one", "two")
	step.Origin = originOf("c", "first")
	step.Session.EndedAt, step.Session.EndReason = epoch(), session.EndIncomplete
	l.commit(t, st, step)
	kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "s"), "")
	_, err := st.Origin(t.Context(), alice(), "elsewhere", "c")
	kind(t, "of an import that was broken off", err, fault.NotFound)
}

func testOriginNames(t *testing.T, st Store) {
	for id, root := range map[string]session.ID{"a wombat": "s", "c": "s2"} {
		l := newTalk(alice(), root, "key")
		step := l.step(t, st, "one", "two")
		step.Origin = originOf(id, "first")
		step.Origin.Root = root
		l.commit(t, st, step)
	}
	swept, err := st.Sweep(t.Context(), alice(), mention.Of("wombat"), false)
	kind(t, "sweep", err, "")
	same(t, "swept", swept.Records, 1)
	_, err = st.Origin(t.Context(), alice(), "elsewhere", "a wombat")
	kind(t, "swept", err, fault.NotFound)
	kept := originOf("c", "first")
	kept.Root = "s2"
	originIs(t, "kept", st, alice(), kept)
}

func testOriginFails(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "key")
	l.commit(t, st, l.step(t, st, "one", "two"))
	step := l.step(t, st, "three", "four")
	step.Messages[0].Seq, step.Origin = 0, originOf("c", "first")
	kind(t, "a place that is taken", st.AppendTurn(t.Context(), alice(), step), fault.Conflict)
	_, err := st.Origin(t.Context(), alice(), "elsewhere", "c")
	kind(t, "after a failure", err, fault.NotFound)
}

func importCases() map[string]isolationCase {
	return map[string]isolationCase{
		"Origin": {stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			got, err := st.Origin(ctx, o, "elsewhere", "the-conversation")
			return string(got.Marks), err
		}},
		"OriginOf": {stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			got, err := st.OriginOf(ctx, o, theSession)
			return string(got.Marks), err
		}},
	}
}
