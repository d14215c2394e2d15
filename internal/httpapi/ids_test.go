package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/owner"
)

// messageIDs are the ids of a session's messages, as its owner is told them.
func messageIDs(t *testing.T, w *world, session, key string) []int64 {
	t.Helper()
	got := w.call("GET", "/api/sessions/"+session+"/messages", "", "Authorization", "Bearer "+key)
	var out struct{ Data []struct{ ID int64 } }
	if err := json.Unmarshal([]byte(got.body), &out); err != nil || got.status != http.StatusOK {
		t.Fatalf("got %d %s, %v", got.status, got.body, err)
	}
	var ids []int64
	for _, m := range out.Data {
		ids = append(ids, m.ID)
	}
	return ids
}

// TestIDsTellNothing: the ids of an owner's messages do not show what others say.
func TestIDsTellNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	ada, ben := w.key("ada", owner.AllScopes()...), w.key("ben", owner.AllScopes()...)
	say := func(session, text, key string) { w.chat(session, text, "Authorization", "Bearer "+key) }
	for n := range 3 {
		say("s", fmt.Sprint("number ", n), ada)
		for range 1 + 2*n {
			say("s", "something else", ben)
		}
		say("s", "and the local owner", localKey)
	}
	for _, key := range []string{ada, localKey} {
		ids := messageIDs(t, w, "s", key)
		for i, id := range ids {
			if len(ids) != 6 || id != ids[0]+int64(i) {
				t.Fatalf("got the ids %v, want six in a row", ids)
			}
		}
	}
}

// TestImportKeepsTheOrder moves two sessions that share a memory to another owner: what
// was said last in the one, after the other, is still what counts.
func TestImportKeepsTheOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	ada, ben := w.key("ada", owner.AllScopes()...), w.key("ben", owner.AllScopes()...)
	for i, city := range []string{"Oslo", "Rome", "Bergen", "Turin", "Malmö"} {
		w.chat([]string{"a", "b"}[i%2], "I live in "+city+" now.", "Authorization", "Bearer "+ada, "X-Hermes-Session-Key", "shared")
	}
	facts := func(key string) string {
		return statements(t, w.call("GET", "/api/memory?session_key=shared", "", "Authorization", "Bearer "+key))
	}
	told := facts(ada)
	if !strings.Contains(told, "Malmö") {
		t.Fatalf("the test itself: got %s", told)
	}
	lines := slices.Collect(strings.Lines(w.call("GET", "/api/sessions/export", "", "Authorization", "Bearer "+ada).body))
	slices.Reverse(lines)
	if got := w.call("POST", "/api/sessions/import", strings.Join(lines, ""), "Authorization", "Bearer "+ben); !strings.Contains(got.body, `"imported":2`) {
		t.Fatalf("import: got %d %s", got.status, got.body)
	}
	if got := facts(ben); got != told {
		t.Errorf("got\n%s\nwant\n%s", got, told)
	}
	if got := messageIDs(t, w, "a", ben); len(got) != 6 || got[2]-got[1] != 3 {
		t.Errorf("got the ids %v, want those of ada's in the same distances", got)
	}
}
