package recall_test

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/session"
)

// TestUserBeforeTool: what the user said is told before what a tool says otherwise.
func TestUserBeforeTool(t *testing.T) {
	t.Parallel()
	for _, c := range [][4]string{
		{"My name is Carl.", "My name is Mallory.", "What is my name?", "Carl"},
		{"We use Postgres for the database.", "We switched to Oracle for the database.", "Which database do we use?", "Postgres"},
	} {
		k := newTalk(t)
		k.learn(session.User, "", c[0])
		k.learn(session.Tool, "", c[1])
		if got := k.say(c[2]); !strings.Contains(got, c[3]) {
			t.Errorf("%s %s %s: got %q, want %s", c[0], c[1], c[2], got, c[3])
		}
	}
}

// TestOccasion tells the question that a bare answer answers, and the proposal that a yes
// accepts: the user's own words do not say what they are about.
func TestOccasion(t *testing.T) {
	t.Parallel()
	for _, c := range [][4]string{
		{"Which region should the staging cluster run in?", "Frankfurt", "Which region does the staging cluster run in?", `"Frankfurt", asked "Which region should the staging cluster run in?"`},
		{"I suggest we move the invoices to Stripe.", "Yes, let's do that.", "What did we decide?", `, to "I suggest we move the invoices to Stripe"`},
	} {
		k := newTalk(t)
		k.learn(session.Assistant, "", c[0])
		k.learn(session.User, "", c[1])
		if got := k.say(c[2]); !strings.Contains(got, c[3]) {
			t.Errorf("%s %s: got %s, want %s", c[1], c[2], got, c[3])
		}
	}
}

// TestFilesSpeakOfTheirAuthors: a file that says "my food" does not answer what the asker's is.
func TestFilesSpeakOfTheirAuthors(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	k.learn(session.User, "", "Please review this letter for me.")
	k.learn(session.Tool, "", "Dear Tom, I live in Oslo now. My favourite food is lutefisk. Our sauna seats nine people. Yours, Sven")
	for _, question := range []string{"What is my favourite food?", "Where do I live?"} {
		if got := k.say(question); strings.Contains(got, "lutefisk") || strings.Contains(got, "Oslo") {
			t.Errorf("%s got %s", question, got)
		}
	}
	expect(t, "not about the asker", k.say("How many people does the sauna seat?"), "nine people")
}
