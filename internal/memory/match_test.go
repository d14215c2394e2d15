package memory

import (
	"slices"
	"strings"
	"testing"
)

// TestMatch asks for facts in other words than theirs.
func TestMatch(t *testing.T) {
	t.Parallel()
	conv, _ := talk(append(longTalk(), "I work as a nurse.", "The meeting with the auditors is on Monday.", "Our tests run in CircleCI.", "I use Neovim.")...)
	for _, c := range []struct{ question, want string }{
		{"What tech stack are we using again?", "distributed cache in Rust"},
		{"Which programming language am I writing in?", "Rust"},
		{"What is our database?", "We moved to MySQL"},
		{"Which databases have we used before?", "PostgreSQL 15"},
		{"What architecture decisions were reversed?", "monolith"},
		{"Why did we remove the cache?", "Removed Redis"},
		{"What is my name?", "Alex"},
		{"What's the rate limit?", "200"},
		{"What do I do for a living? What is my job?", "nurse"},
		{"When do we meet the auditors?", "Monday"},
		{"Which editor do I use?", "Neovim"},
		{"Where does CI run?", "CircleCI"},
		{"What happened with GraphQL?", "Tried GraphQL"},
		{"What music does my brother like?", "jazz"},
	} {
		t.Run(c.question, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, id := range conv.state.Match(c.question, firstDay, 5) {
				f, _ := conv.state.Fact(id)
				got = append(got, f.Statement)
			}
			if !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, c.want) }) {
				t.Errorf("got %q, want one with %q", got, c.want)
			}
		})
	}
}

// TestMatchNothing checks questions that no fact answers, and the limits.
func TestMatchNothing(t *testing.T) {
	t.Parallel()
	conv, _ := talk("My brother likes jazz.", "Maybe we should use Kafka.", "We use Postgres.")
	for _, question := range []string{"", "Jazz?", "What about Kafka?", "How tall is the tower?"} {
		if ids := conv.state.Match(question, firstDay, 5); len(ids) > 0 {
			f, _ := conv.state.Fact(ids[0])
			t.Errorf("%q: got %q, want nothing", question, f.Statement)
		}
	}
	if ids := conv.state.Match("Postgres", firstDay, 0); ids != nil {
		t.Errorf("got %d facts with limit 0", len(ids))
	}
	if ids := NewState().Match("Postgres", firstDay, 5); ids != nil {
		t.Errorf("got %d facts of an empty state", len(ids))
	}
}
