package sqlite

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestDamagedRows: a row that holds what no reader can be given is read all the
// same, hides no other, and is told.
func TestDamagedRows(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "state.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	o, now := owner.Local(), time.UnixMilli(1_700_000_000_000)
	for i := range int64(3) {
		id := session.ID(fmt.Sprintf("s%d", i))
		step := lineage.Step{Opened: true, Session: session.Session{ID: id, RootID: id, Source: session.SourceAPI, NextSeq: 1, MessageCount: 1, StartedAt: now, LastActive: now}}
		step.Messages = []session.Message{{ID: i + 1, SessionID: id, RootID: id, Role: session.User, Content: "x", SaidAt: now, RecordedAt: now, Hash: []byte{1}, ReceiptID: fmt.Sprintf("r%d", i), Receipt: []byte(`{"context":{"sent_tokens":5}}`)}}
		if err := db.AppendTurn(t.Context(), o, step); err != nil {
			t.Fatal(err)
		}
	}
	if found, err := db.CheckRows(t.Context()); err != nil || len(found) != 0 {
		t.Fatalf("got %q, %v, want nothing damaged", found, err)
	}
	for _, change := range []string{
		`UPDATE messages SET said_at = 1763840000000000, recorded_at = 9223372036854775807, token_count = -100000, tool_calls = '[', wire = 'x', receipt = '{}' WHERE id = 2`,
		`UPDATE sessions SET started_at = -9223372036854775808, ended_at = 1763840000000000, last_active = 9223372036854775807, lineage_tokens = 9223372036854775807, tail_from = 9223372036854775807, input_tokens = -5 WHERE id = 's1'`,
		`UPDATE messages SET receipt = 'x' WHERE id = 3`,
	} {
		if err := db.w.submit(t.Context(), func(t *tx) error {
			_, err := t.exec(change)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	list, err := db.Sessions(t.Context(), o, session.Filter{})
	if err != nil || len(list) != 3 {
		t.Fatalf("got %d sessions, %v, want 3", len(list), err)
	}
	if s := &list[0]; s.ID != "s1" || s.LineageTokens < 0 || s.LineageTokens == math.MaxInt64 || s.TailFrom != 0 || s.InputTokens != 0 {
		t.Errorf("got %+v", s)
	}
	ms, err := db.Messages(t.Context(), o, "s1", session.Range{Receipts: true})
	if err != nil || len(ms) != 1 || ms[0].Tokens != 0 || ms[0].ToolCalls != nil || ms[0].Wire != nil {
		t.Errorf("got %+v, %v", ms, err)
	}
	if _, err := json.Marshal([]any{list, ms}); err != nil {
		t.Errorf("write them: %v", err)
	}
	for _, root := range []session.ID{"s0", "s1", "s2"} {
		costs, err := db.Costs(t.Context(), o, root, 10)
		if err != nil || root == "s0" && (len(costs) != 1 || costs[0].Context.Sent != 5) || root != "s0" && len(costs) != 0 {
			t.Errorf("costs of %s: got %+v, %v", root, costs, err)
		}
	}
	if _, err := db.Receipt(t.Context(), o, "r2"); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged receipt: got %v", err)
	}
	found, err := db.CheckRows(t.Context())
	text := strings.Join(found, "\n")
	for _, column := range []string{"said_at", "recorded_at", "token_count", "tool_calls", "wire", "receipt", "started_at", "ended_at", "last_active", "lineage_tokens", "tail_from", "input_tokens"} {
		if !strings.Contains(text, "("+column+")") {
			t.Errorf("got %s, %v, want %s told", text, err, column)
		}
	}
}
