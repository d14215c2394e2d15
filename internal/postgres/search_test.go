package postgres

import (
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestEarlierTerms: messages that were indexed when words were folded less are found by the words as
// they stand there, and after a rebuild of the index by all of their forms.
func TestEarlierTerms(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	o, at := owner.Stored("alice"), time.UnixMilli(1).UTC()
	id, err := db.ReserveMessageIDs(t.Context(), o, 1)
	if err != nil {
		t.Fatal(err)
	}
	s := session.Session{ID: "s", RootID: "s", Source: session.SourceAPI, StartedAt: at, LastActive: at, NextSeq: 1, MessageCount: 1}
	m := session.Message{
		ID: id, SessionID: "s", RootID: "s", Role: session.User, Content: "Tiếng Việt, οδυσσευς", SaidAt: at, RecordedAt: at, Hash: []byte("hash"),
	}
	if err := db.AppendTurn(t.Context(), o, lineage.Step{Opened: true, Session: s, Messages: []session.Message{m}}); err != nil {
		t.Fatal(err)
	}
	tag := db.tagOf(o)
	const before = `UPDATE messages SET terms = array_to_tsvector($1::text[]) WHERE owner_id = $2`
	if _, err := db.pool.Exec(t.Context(), before, []string{tag + "tiếng", tag + "việt", tag + "οδυσσευς"}, o.ID()); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"việt", "Việt*", `"TIẾNG VIỆT"`, "ΟΔΥΣΣΕΥΣ", "οδυσσευς"} {
		if got := hitsOf(t, db, o, query); got != 1 {
			t.Errorf("%s: got %d hits, want 1", query, got)
		}
	}
	if err := db.Reindex(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"viet", "tieng*", `"tieng viet"`, "ΟΔΥΣΣΕΥΣ"} {
		if got := hitsOf(t, db, o, query); got != 1 {
			t.Errorf("%s, after a rebuild: got %d hits, want 1", query, got)
		}
	}
}

func hitsOf(t *testing.T, db *DB, o owner.Owner, query string) int {
	t.Helper()
	q, err := search.Parse(query)
	if err != nil {
		t.Fatal(err)
	}
	found, err := db.Search(t.Context(), o, search.Request{Query: q, Scope: search.Scope{All: true}})
	if err != nil {
		t.Fatal(err)
	}
	return len(found.Hits)
}
