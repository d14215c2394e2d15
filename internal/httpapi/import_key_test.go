package httpapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// keyed is a line under another session key.
func keyed(key, line string) string {
	return strings.Replace(line, `"session_key":"me"`, fmt.Sprintf(`"session_key":%q`, key), 1)
}

// under checks that all messages of a session have a session key, also the undone ones.
func (w *world) under(id string, key session.Key) {
	w.t.Helper()
	tip, err := w.db.Tip(w.t.Context(), owner.Local(), session.ID(id))
	if err != nil {
		w.t.Fatal(err)
	}
	ms, err := w.db.Messages(w.t.Context(), owner.Local(), tip.RootID, session.Range{})
	if err != nil || len(ms) == 0 {
		w.t.Fatalf("%s: got %d messages and %v", id, len(ms), err)
	}
	for i := range ms {
		if ms[i].Key != key || tip.Key != key {
			w.t.Errorf("%s: %q has the key %q in a session with the key %q, want %q", id, ms[i].Content, ms[i].Key, tip.Key, key)
		}
	}
}

// TestImportUnderAnotherKey: what is new of a conversation comes under the key that its session has, whatever the key
// of the import is.
func TestImportUnderAnotherKey(t *testing.T) {
	t.Parallel()
	memories := []noted{{"1", rome, 1}, {"2", green, 2}, {"3", fish, 3}}
	for name, c := range map[string]struct {
		id, first, next, want string
	}{
		"grown":          {"chat:c", namedLine(cat, fine), namedLine(cat, fine, tea, good), "grown:1 messages:2"},
		"edited":         {"chat:c", namedLine(cat, fine, tea, good), namedLine(cat, fine, coffee, good), "changed:1 messages:2"},
		"more memories":  {"mem:m", memoryLine(memories[:2]...), memoryLine(memories...), "grown:1 messages:1"},
		"edited memory":  {"mem:m", memoryLine(memories...), memoryLine(noted{"1", paris, 9}, memories[1]), "changed:1 messages:3"},
		"moved memories": {"mem:m", memoryLine(memories...), memoryLine(noted{"2", "Likes coffee.", 4}), "changed:1 messages:2"},
	} {
		for _, keys := range [][2]session.Key{{"alice", "bob"}, {"alice", ""}, {"", "bob"}} {
			t.Run(fmt.Sprintf("%s, %q then %q", name, keys[0], keys[1]), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, options{})
				w.imports(t, "", keyed(string(keys[0]), c.first), fmt.Sprintf("imported:1 messages:%d", strings.Count(c.first, `"content"`)))
				w.imports(t, "", keyed(string(keys[1]), c.next), c.want)
				w.under(c.id, keys[0])
				w.states()
			})
		}
	}
}

// TestImportApartUnderAnotherKey: a session apart is a new one, whose messages have the key of its import. So have those
// that were read from the stored session.
func TestImportApartUnderAnotherKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.imports(t, "", keyed("alice", withoutTexts(namedLine(cat, fine, tea, good))), "imported:1 messages:4")
	w.chat("chat:c", "I have a dog, too.")
	w.imports(t, "", keyed("bob", namedLine(cat, fine, coffee, good)), "apart:1 messages:4")
	w.stands("chat:c~2", cat, fine, coffee, good)
	w.under("chat:c", "alice")
	w.under("chat:c~2", "bob")

	w.imports(t, "", keyed("alice", memoryLine(noted{"1", rome, 1}, noted{"2", green, 2})), "imported:1 messages:2")
	w.chat("mem:m", "I have a fish, too.")
	w.imports(t, "", keyed("bob", memoryLine(noted{"1", paris, 9}, noted{"2", green, 2})), "apart:1 messages:2")
	w.under("mem:m", "alice")
	w.under("mem:m~2", "bob")
	w.states()
}

// TestImportFollowsKey: a session that went over to another key here gets the new messages under the key that it has now.
func TestImportFollowsKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.imports(t, "", memoryLine(noted{"1", rome, 1}), "imported:1 messages:1")
	if got := w.call("POST", "/v1/chat/completions", chatBody("I have a dog.", false),
		"X-Hermes-Session-Id", "mem:m", "X-Hermes-Session-Key", "team"); got.status != 200 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	w.imports(t, "", memoryLine(noted{"1", rome, 1}, noted{"2", green, 2}), "grown:1 messages:1")
	ms, err := w.db.Messages(t.Context(), owner.Local(), "mem:m", session.Range{Limit: 1, Newest: true})
	if err != nil || len(ms) != 1 || ms[0].Content != green || ms[0].Key != "team" {
		t.Errorf("got %+v and %v, want %q under the key \"team\"", ms, err, green)
	}
	w.states()
}

// TestImportSettlesStoredKey: an import that brings nothing new learns what an import that broke off has left, also if
// the session has another key than the line.
func TestImportSettlesStoredKey(t *testing.T) {
	t.Parallel()
	lines := strings.SplitAfter(interleaved(t).export(""), "\n")
	slices.Reverse(lines) // so that memory learns them at the end
	w := newWorld(t, options{})
	memories := memoryLine(noted{"1", rome, 1})
	w.imports(t, "", keyed("team", memories), "imported:1 messages:1")
	w.importBroken(lines)
	stale := func() bool {
		m, err := memory.NewViews(w.db, 1<<20).Manifest(t.Context(), owner.Local(), memory.Scope{Key: "team"})
		if err != nil {
			t.Fatal(err)
		}
		return m.Stale
	}
	if !stale() {
		t.Fatal("the import that broke off left nothing to be learnt")
	}
	w.imports(t, "", keyed("bob", memories), "unchanged:1")
	if stale() {
		t.Error("the memory of the stored session's key is not learnt")
	}
	w.states()
}
