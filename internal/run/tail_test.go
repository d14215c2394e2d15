package run_test

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestTailBeginsWithUser: whatever the size of the messages, no prompt begins with an answer,
// and the newest answer is there.
func TestTailBeginsWithUser(t *testing.T) {
	t.Parallel()
	h := setup(t, 4000)
	paste := "The report is about kingfishers. " + strings.Repeat("word ", 5000) + "Which is the largest?"
	h.model.say(saying{text: "The giant kingfisher of Africa."})
	h.mustTurn(&run.Request{Session: "s", Messages: user(paste)})
	check := func(what string, holds ...string) {
		t.Helper()
		got := h.mustTurn(&run.Request{Session: "s", Messages: user("Say it shorter.")})
		shown := h.model.last()
		if shown[0].Role != session.User {
			t.Errorf("%s: the prompt begins with the role %s", what, shown[0].Role)
		}
		for _, text := range holds {
			if !strings.Contains(strings.Join(words(shown), "\n"), text) {
				t.Errorf("%s: the prompt lacks %q", what, text)
			}
		}
		if got.result.Context.Sent > 4000 {
			t.Errorf("%s: got the account %+v, want the budget kept", what, got.result.Context)
		}
	}
	check("after a large message", "The giant kingfisher of Africa.", "The report is about kingfishers.", "[…]", "Which is the largest?")
	check("in the next turn", "Say it shorter.")
	h.model.say(saying{text: strings.Repeat("long ", 1400)})
	h.mustTurn(&run.Request{Session: "s", Messages: user(paste)})
	check("after a large answer, too", "[…]")
}
