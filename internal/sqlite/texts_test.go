package sqlite

import (
	"fmt"
	"testing"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// answer stores an answer that was sent some texts.
func answer(t *testing.T, db *DB, root session.ID, seq int64, f lineage.Frame) {
	t.Helper()
	step := stepOf(db, owner.Local(), root, seq, "ok")
	step.Messages[0].Role = session.Assistant
	step.Receipt = &lineage.Receipt{ID: fmt.Sprintf("r_%s_%d", root, seq), RootID: root, SessionID: root, Seq: seq, Frame: f}
	err := db.AppendTurn(t.Context(), owner.Local(), step)
	if err != nil {
		t.Fatal(err)
	}
}

// TestTextsAreStoredOnce: however many answers and sessions were sent a text, it is
// there once, and it goes with the last session that was sent it.
func TestTextsAreStoredOnce(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	f := lineage.Frame{System: "Answer in verse.", Settings: `{"temperature":1}`}
	for seq := range int64(5) {
		answer(t, db, "a", seq, f)
		db.known.empty() // as after a restart
		answer(t, db, "b", seq, f)
	}
	answer(t, db, "b", 5, lineage.Frame{System: "Be brief."})
	count := func(want int) {
		t.Helper()
		var n int
		if err := db.read.QueryRowContext(t.Context(), `SELECT count(*) FROM texts`).Scan(&n); err != nil || n != want {
			t.Errorf("got %d texts, %v, want %d", n, err, want)
		}
	}
	count(3)
	if err := db.DeleteLineage(t.Context(), owner.Local(), "b"); err != nil {
		t.Fatal(err)
	}
	count(2)
	r, err := db.Receipt(t.Context(), owner.Local(), "r_a_4")
	if err != nil || r.Frame != f {
		t.Errorf("got %+v, %v, want %+v", r.Frame, err, f)
	}
	if err := db.DeleteLineage(t.Context(), owner.Local(), "a"); err != nil {
		t.Fatal(err)
	}
	count(0)
}
