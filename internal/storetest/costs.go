package storetest

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/lineage"
)

// testCosts stores ten turns, of which the last has no receipt, and sums them in one
// range and in five.
func testCosts(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "")
	for i := range 10 {
		step := l.step(t, st, "hello", "hi")
		if i < 9 {
			last := &step.Messages[1]
			step.Receipt = &lineage.Receipt{
				ID: "r_" + string(rune('a'+i)), SessionID: "s", RootID: "s", Seq: last.Seq, At: last.RecordedAt,
				Context: lineage.Context{Sent: 10 + i, Budget: 100 + i, Naive: 20, System: 1, Memory: 2, Tail: 3, Input: 4},
			}
		}
		l.commit(t, st, step)
	}
	got, err := st.Costs(t.Context(), alice(), "s", 1)
	kind(t, "all", err, "")
	want := []curate.Cost{{
		Turns: 9, From: 1, To: 17, At: l.messages[17].RecordedAt,
		Context: lineage.Context{Sent: 126, Budget: 108, Naive: 180, System: 9, Memory: 18, Tail: 27, Input: 36},
	}}
	same(t, "all", got, want)
	got, err = st.Costs(t.Context(), alice(), "s", 5)
	kind(t, "in five", err, "")
	turns, sent := 0, 0
	for i := range got {
		turns += got[i].Turns
		sent += got[i].Context.Sent
		if i > 0 && got[i].From <= got[i-1].To {
			t.Errorf("stretch %d begins at %d, before the one ahead of it ends at %d", i, got[i].From, got[i-1].To)
		}
	}
	if len(got) != 5 || turns != 9 || sent != 126 {
		t.Errorf("got %d stretches with %d turns and %d tokens, want 5, 9, 126", len(got), turns, sent)
	}
	got, err = st.Costs(t.Context(), alice(), "none", 5)
	kind(t, "no lineage", err, "")
	same(t, "no lineage", got, []curate.Cost(nil))
}
