package memory

import (
	"slices"
	"testing"

	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestWithdrawBetween: withdrawing messages of one lineage keeps the facts of another one's
// messages between them.
func TestWithdrawBetween(t *testing.T) {
	t.Parallel()
	v := NewView()
	say := func(id int64, root session.ID, text string) {
		v.Learn(ranking.Document{MessageID: id, Root: root, SessionID: root, Seq: id, Role: session.User, Text: text})
	}
	say(1, "b", "I live in Oslo.")
	say(2, "a", "Hm.")
	say(3, "b", "I met Ada in Rome.")
	say(4, "a", "My dog is called Bello.")
	lost, apart := v.Lost([]int64{2, 4})
	if len(lost) != 1 || !apart {
		t.Fatalf("got %d lost facts, apart %v, want one", len(lost), apart)
	}
	v.withdraw(t.Context(), piece.NewCache(0), Withdrawal{Root: "a", Messages: []int64{2, 4}, First: lost[0].Number})
	want := NewView()
	for _, d := range []struct {
		id   int64
		text string
	}{{1, "I live in Oslo."}, {3, "I met Ada in Rome."}} {
		want.Learn(ranking.Document{MessageID: d.id, Root: "b", SessionID: "b", Seq: d.id, Role: session.User, Text: d.text})
	}
	if v.Hash() != want.Hash() || !slices.Equal(v.Marks(), want.Marks()) || len(v.state.index) != len(want.state.index) {
		t.Errorf("got %v with %d keys, want %v with %d", v.Facts(), len(v.state.index), want.Facts(), len(want.state.index))
	}
}
