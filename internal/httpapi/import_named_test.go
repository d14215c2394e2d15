package httpapi_test

import (
	"strings"
	"testing"
)

// TestImportForgottenNames: a session whose id or session key names what was forgotten does not come back by an import,
// and is told as left out. Neither does one with a message under such a key, nor the name of a parent.
func TestImportForgottenNames(t *testing.T) {
	t.Parallel()
	w, home := newWorld(t, options{}), newWorld(t, options{})
	say := func(id, key, text string) {
		t.Helper()
		if got := w.call("POST", "/v1/chat/completions", chatBody(text, false), "X-Hermes-Session-Id", id, "X-Hermes-Session-Key", key); got.status != 200 {
			t.Fatalf("got %d %s", got.status, got.body)
		}
	}
	say("jsonl:zebulon-1", "", "I like tea.")
	say("q3", "zebulon", "I like milk.")
	say("moved", "zebulon", "I like rum.")
	say("moved", "other", "I like gin.")
	if got := w.call("POST", "/api/sessions/jsonl:zebulon-1/fork", `{}`); got.status != 201 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	say("begun_20261121_150405_4f0c9a1e", "", "I like ale.")
	text := w.export("")
	named := strings.ReplaceAll(foreignLine("me", "My cat is called Ada.", "Fine."), "chat:c", "chat:zebulon")
	keyed := foreignLine("zebulon", "My cat is called Ada.", "Fine.")

	for _, about := range []string{"Zebulon", "150405"} { // the second one is in an id by chance
		if got := home.call("POST", "/api/memory/forget", `{"about":"`+about+`"}`); got.status != 200 {
			t.Fatalf("got %d %s", got.status, got.body)
		}
	}
	for _, step := range [][2]string{{"?dry_run=true", ""}, {"", " messages:4"}} {
		query := step[0]
		home.imports(t, query, text, "imported:2 deleted:3"+step[1])
		home.imports(t, query, named, "deleted:1")
		home.imports(t, query, keyed, "deleted:1")
	}
	if got := home.export(""); strings.Contains(got, "zebulon") || !strings.Contains(got, "4f0c9a1e") {
		t.Errorf("got %s, want the fork without its parent, and the session with the number in its id", got)
	}
	home.imports(t, "?restore=true", named, "imported:1 messages:2")
	home.imports(t, "?restore=true", text, "imported:3 unchanged:2 messages:8")
}

// TestImportForgottenKeyGrows: a session that is there gets its new messages without the session key that was forgotten.
func TestImportForgottenKeyGrows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.imports(t, "", foreignLine("me", "My cat is called Ada.", "Fine."), "imported:1 messages:2")
	w.forgets("Zebulon")
	grown := foreignLine("zebulon", "My cat is called Ada.", "Fine.", "I like tea.", "Good.")
	w.imports(t, "?dry_run=true", grown, "grown:1 messages:2")
	w.imports(t, "", grown, "grown:1 messages:2")
	if got := w.export(""); strings.Contains(got, "zebulon") || !strings.Contains(got, "I like tea.") {
		t.Errorf("got %s, want the messages without the key", got)
	}
	w.chat("chat:c", "I went on.")
	apart := foreignLine("zebulon", "My cat is called Ada.", "Fine.", "I like tea.", "Good.", "I like milk.", "So.")
	w.imports(t, "?dry_run=true", apart, "deleted:1")
	w.imports(t, "", apart, "deleted:1")
}
