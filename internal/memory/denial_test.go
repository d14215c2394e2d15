package memory

import "testing"

// TestDenials: a sentence is a denial if its clause is one. What is added to a clause that has said something already may deny
// something else.
func TestDenials(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text   string
		denies bool
	}{
		{"I'm Ana and I have no kids.", false},
		{"I'm Ana with no kids.", false},
		{"I'm Ana (no kids), a nurse.", false},
		{"My name is Ana and I have no kids but two cats.", false},
		{"I'm a nurse from Porto without kids who loves sailing.", false},
		{"Hi, I'm Ana, a nurse from Porto, no kids, and I love sailing.", false},
		{"I live in Porto with no car.", false},
		{"I work as a nurse and never on Sundays.", false},
		{"We use Postgres and no Redis.", false},
		{"We build with Gradle, not Maven.", false},
		{"I am not vegetarian.", true},
		{"My name is not Ana.", true},
		{"We don't use Redis and Postgres.", true},
		{"Redis and Postgres are not used.", true},
		{"We deploy without Docker.", true},
		{"We use neither Redis nor Postgres.", true},
	} {
		facts := Distill(said(c.text), nil)
		if len(facts) == 0 {
			t.Errorf("%q: got no fact", c.text)
			continue
		}
		if got := facts[0].Kind == Negated; got != c.denies {
			t.Errorf("%q: got the kind %s, want a denial: %v", c.text, facts[0].Kind, c.denies)
		}
	}
}
