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
