package postgres

import (
	"fmt"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestHeldTip: the tip that a turn begins with is the stored one, also in the texts that the
// database holds in another form. What a turn reads is what a compression and a reset write again.
func TestHeldTip(t *testing.T) {
	t.Parallel()
	db := openNodes(t, 1)[0]
	o := owner.Stored("alice")
	const odd = "S\x01T\x00U \x0100 \xff"
	want := session.Session{
		ID: "s" + odd, RootID: "s" + odd, ParentID: odd, Key: odd, Source: odd, UserID: odd, Model: odd, SystemPrompt: odd, Title: odd,
		TitleSource: session.TitleModel, Summary: odd, Metadata: odd, EndReason: odd, StartedAt: time.UnixMilli(1).UTC(),
		EndedAt: time.UnixMilli(2).UTC(), LastActive: time.UnixMilli(2).UTC(),
	}
	if err := db.CreateSession(t.Context(), o, want); err != nil {
		t.Fatal(err)
	}
	leave, at, err := db.HoldTurn(t.Context(), o, lineage.Turn{Place: "a place", Session: want.ID})
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	if !at.Found || at.Tip != want {
		t.Errorf("the tip of a turn: got %v, %q, want %q", at.Found, fmt.Sprint(at.Tip), fmt.Sprint(want))
	}
}
