package run_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hermes-memory/hermes/internal/session"
)

// long is a turn of about a hundred tokens, each different.
func long(turn int) string {
	return fmt.Sprintf("Turn %d: in week %d Ada moved the billing scheduler to city %d because the old cluster was %d percent slower. "+
		"Boris tested the invoice parser in office %d. We keep the staging replica in room %d since it is cheaper by %d euros. "+
		"Elena rewrote the nightly report and shipped it on Friday, and %s.",
		turn, turn, turn*7%100, turn*3%97, turn*11%50, turn*13%40, turn*5, strings.Repeat("so on and so forth and ", 4))
}

// TestCompression: budget 1,500, 60 long turns, streamed and not in alternation:
// a client that adopts the id it gets back and one that never does both lose no
// recent turn, and every id ever returned leads to the tip (L10, L11, L17, L18).
func TestCompression(t *testing.T) {
	t.Parallel()
	for _, adopts := range []bool{true, false} {
		t.Run(fmt.Sprintf("adopts %t", adopts), func(t *testing.T) {
			t.Parallel()
			h := setup(t, 1500)
			id := session.ID("repo:acme/backend")
			ids := []session.ID{id}
			compressions, since := 0, 100
			for turn := range 60 {
				got := h.chat(id, long(turn), turn%2 == 0)
				if got.result.Compressed {
					if compressions++; since < 2 && compressions > 1 {
						t.Errorf("turn %d compresses again after %d", turn, since)
					}
					since = 0
					ids = append(ids, got.result.SessionID)
				}
				since++
				if got.stream.SessionID != got.result.SessionID || got.stream.Compressed != got.result.Compressed {
					t.Errorf("turn %d: the header says %s, the finish %s", turn, got.stream.SessionID, got.result.SessionID)
				}
				checkRecent(t, h, turn, 2)
				if adopts {
					id = got.result.SessionID
				}
			}
			if compressions < 5 {
				t.Errorf("got %d compressions, want 5 at least", compressions)
			}
			checkLineage(t, h, ids)
		})
	}
}

// checkRecent holds that the newest turns are in the prompt word for word, and
// the prompt in its budget.
func checkRecent(t *testing.T, h *house, turn, recent int) {
	t.Helper()
	shown := h.model.last()
	if n := size(shown); n > 1500 {
		t.Errorf("turn %d: the prompt has %d tokens, want 1500 at most", turn, n)
	}
	for back := range min(recent, turn) + 1 {
		if !slices.ContainsFunc(shown, func(m session.Message) bool { return m.Content == long(turn-back) }) {
			t.Errorf("turn %d: turn %d is not in the prompt", turn, turn-back)
		}
	}
}

// checkLineage holds how the sessions of a lineage hang together.
func checkLineage(t *testing.T, h *house, ids []session.ID) {
	t.Helper()
	rows := h.lineage(ids[0])
	if len(rows) != len(ids) {
		t.Fatalf("got %d sessions, want %d", len(rows), len(ids))
	}
	count := 0
	for i := range rows {
		r := &rows[i]
		count += r.MessageCount
		if r.ID != ids[i] || r.Generation != i {
			t.Errorf("session %d is %s of generation %d, want %s", i, r.ID, r.Generation, ids[i])
		}
		if i > 0 && (r.ParentID != ids[i-1] || !regexp.MustCompile(`^\d{8}_\d{6}_[0-9a-f]{8}$`).MatchString(string(r.ID))) {
			t.Errorf("session %s continues %q, want %s", r.ID, r.ParentID, ids[i-1])
		}
		if last := i == len(rows)-1; last == r.Ended() || !last && r.EndReason != session.EndCompression {
			t.Errorf("session %d of %d ended with %q at %v", i, len(rows), r.EndReason, r.EndedAt)
		}
		tip, err := h.db.Tip(t.Context(), localOwner(), r.ID)
		if err != nil || tip.ID != ids[len(ids)-1] {
			t.Errorf("%s leads to %s, %v, want the tip", r.ID, tip.ID, err)
		}
	}
	if ms := h.transcript(ids[0]); len(ms) != count || len(ms) != 120 {
		t.Errorf("got %d messages, %d by the counters, want 120", len(ms), count)
	}
}

// TestOneChild: requests at the same time make exactly one child (L29).
func TestOneChild(t *testing.T) {
	t.Parallel()
	h := setup(t, 1500)
	turn := 0
	for ; len(h.model.prompts()) == 0 || size(h.model.last()) < 900; turn++ {
		h.chat("s", long(turn), false)
	}
	before := len(h.lineage("s"))
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() { h.chat("s", fmt.Sprintf("%d. %s", i, long(turn + i)[:300]), i%2 == 0) })
	}
	all.Wait()
	rows := h.lineage("s")
	if len(rows) == before {
		t.Errorf("got no child of %d", before)
	}
	for i := 1; i < len(rows); i++ {
		if rows[i].ParentID != rows[i-1].ID {
			t.Errorf("%s continues %s, want %s: a session has two children", rows[i].ID, rows[i].ParentID, rows[i-1].ID)
		}
	}
	ms := h.transcript("s")
	if want := 2 * (turn + 8); len(ms) != want {
		t.Fatalf("got %d messages, want %d", len(ms), want)
	}
	for i := range ms {
		if want := []session.Role{session.User, session.Assistant}[i%2]; ms[i].Role != want || ms[i].Seq != int64(i) {
			t.Errorf("message %d is %d of %s, want %s", i, ms[i].Seq, ms[i].Role, want)
		}
	}
}
