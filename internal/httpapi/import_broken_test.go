package httpapi_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// onRead is a reader of nothing that does something first.
type onRead func()

// Read implements io.Reader.
func (do onRead) Read([]byte) (int, error) {
	do()
	return 0, io.EOF
}

// TestImportBroken: an import that the store ends says what is stored until then.
func TestImportBroken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	first := foreignLine("", "My cat is called Ada.", strings.Repeat("Fine. ", 20_000)) // more than is read ahead
	second := strings.ReplaceAll(strings.ReplaceAll(first, "chat:c", "chat:d"), `"id":"c"`, `"id":"d"`)
	fail := onRead(func() { _ = w.db.Close() })
	body := io.MultiReader(strings.NewReader(first), fail, strings.NewReader(second))
	r := httptest.NewRequest("POST", w.srv.URL+"/api/sessions/import", body)
	r.Header.Set("Authorization", "Bearer "+localKey)
	got := httptest.NewRecorder() // the handler itself reads the body, part by part
	(*w.handler.Load()).ServeHTTP(got, r)
	if !strings.Contains(got.Body.String(), "Of its conversations, 1 are stored, with 2 messages; a second run goes on behind them. The reason: ") {
		t.Errorf("got %d %s", got.Code, got.Body)
	}
}

// breakOff marks a session as the process leaves it that ends during an import: all messages are stored, and the mark
// that the session is complete is not.
func (w *world) breakOff(id session.ID, reason session.EndReason) {
	w.t.Helper()
	tip, err := w.db.Tip(w.t.Context(), owner.Local(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	tip.EndedAt, tip.EndReason = tip.LastActive, reason
	if err := w.db.AppendTurn(w.t.Context(), owner.Local(), lineage.Step{Session: tip}); err != nil {
		w.t.Fatal(err)
	}
}

// ends checks why a session ended.
func (w *world) ends(id session.ID, want session.EndReason) {
	w.t.Helper()
	tip, err := w.db.Tip(w.t.Context(), owner.Local(), id)
	if err != nil || tip.EndReason != want {
		w.t.Errorf("%s: ended as %q (%v), want %q", id, tip.EndReason, err, want)
	}
}

// TestImportCompletes: the next import marks a conversation as complete that the one before had stored without the mark,
// so that a deletion of it is remembered.
func TestImportCompletes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	line := foreignLine("", cat, fine)
	w.imports(t, "", line, "imported:1 messages:2")
	w.breakOff("chat:c", session.EndIncomplete)
	w.imports(t, "?dry_run=true", line, "unchanged:1")
	w.ends("chat:c", session.EndIncomplete)
	w.imports(t, "", line, "unchanged:1")
	w.ends("chat:c", "")
	w.stands("chat:c", cat, fine)
	w.states()
}

// TestImportDeletedIncomplete: a conversation stays out that was deleted before its import was complete.
func TestImportDeletedIncomplete(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.imports(t, "", foreignLine("", cat, fine), "imported:1 messages:2")
	w.breakOff("chat:c", session.EndIncomplete)
	if got := w.call("DELETE", "/api/sessions/chat:c", ""); got.status != http.StatusOK {
		t.Fatalf("delete: got %d %s", got.status, got.body)
	}
	w.imports(t, "", foreignLine("", cat, fine), "deleted:1")
}

// cutLine is a line with the first sessions of a lineage only, and as many messages of the last one of them as are said.
func cutLine(t *testing.T, line string, sessions, messages int) (cut string, tip session.ID) {
	t.Helper()
	var all map[string]json.RawMessage
	var rows, ms []json.RawMessage
	if err := errors.Join(json.Unmarshal([]byte(line), &all), json.Unmarshal(all["sessions"], &rows), json.Unmarshal(all["messages"], &ms)); err != nil {
		t.Fatal(err)
	}
	var ids []session.ID
	for i := range rows {
		var row struct{ ID session.ID }
		if err := json.Unmarshal(rows[i], &row); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, row.ID)
	}
	tip = ids[sessions-1]
	var kept []json.RawMessage
	for i := range ms {
		var m struct {
			SessionID session.ID `json:"session_id"`
		}
		if err := json.Unmarshal(ms[i], &m); err != nil {
			t.Fatal(err)
		}
		if m.SessionID == tip {
			messages--
		}
		if messages < 0 || !slices.Contains(ids[:sessions], m.SessionID) {
			break
		}
		kept = append(kept, ms[i])
	}
	some, failed := json.Marshal(rows[:sessions])
	said, err := json.Marshal(kept)
	if err := errors.Join(failed, err); err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(line, `"sessions":[`) // the messages are behind the sessions
	return head + `"sessions":` + string(some) + `,"messages":` + string(said) + "}\n", tip
}

// TestImportCompletesExported: an export of this program takes the place of the part of it that an import left, in the
// last session of a lineage and before.
func TestImportCompletesExported(t *testing.T) {
	t.Parallel()
	from := newWorld(t, options{})
	for _, text := range []string{cat, tea, coffee} {
		from.clock.Advance(time.Minute)
		from.chat("s", text)
		from.chat("s", "And "+strings.ToLower(text))
		if got := from.call("POST", "/api/sessions/s/compress", ""); got.status != http.StatusOK {
			t.Fatalf("compress: got %d %s", got.status, got.body)
		}
	}
	from.chat("s", "That is all.")
	whole := from.export("")
	sessions := strings.Count(whole, `"parent_session_id":"`) // the line names the tip once more
	if sessions < 3 {
		t.Fatalf("the lineage has %d sessions, want three at least: %s", sessions, whole)
	}
	for name, part := range map[string]struct {
		sessions, messages int
		reason             session.EndReason
	}{
		"the first session":                {1, 1000, session.EndCompression},
		"before the last session":          {sessions - 1, 1000, session.EndCompression},
		"nothing of the last session":      {sessions, 0, session.EndIncomplete},
		"a part of the last session":       {sessions, 1, session.EndIncomplete},
		"all, without the mark at the end": {sessions, 1000, session.EndIncomplete},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{})
			line, tip := cutLine(t, whole, part.sessions, part.messages)
			if got := w.call("POST", "/api/sessions/import", line); !strings.Contains(got.body, `"imported":1`) {
				t.Fatalf("got %s", got.body)
			}
			w.breakOff(tip, part.reason)
			for _, query := range []string{"?dry_run=true", ""} {
				if got := w.call("POST", "/api/sessions/import"+query, whole); !strings.Contains(got.body, `"imported":1`) {
					t.Errorf("%q: got %s", query, got.body)
				}
			}
			if diff := cmp.Diff(whole, w.export("")); diff != "" {
				t.Errorf("the export of the completed import (-first +again):\n%s", diff)
			}
			if got := w.call("POST", "/api/sessions/import", whole); !strings.Contains(got.body, `"imported":0,"unchanged":1`) {
				t.Errorf("again: got %s", got.body)
			}
			w.states()
		})
	}
}
