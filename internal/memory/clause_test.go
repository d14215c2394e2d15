package memory

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestClauses reads every clause of a sentence that fills a slot.
func TestClauses(t *testing.T) {
	t.Parallel()
	type slotted struct{ Subject, Attribute, Value, Because string }
	for _, c := range []struct {
		text string
		want []slotted
	}{
		{"My name is Alex and I use PostgreSQL 16 because of PostGIS.", []slotted{{"i", "name", "Alex", ""}, {"i", "database", "PostgreSQL 16", "PostGIS"}}},
		{"I live in Porto, work as a nurse and prefer tea.", []slotted{{"i", "home", "Porto", ""}, {"i", "job", "nurse", ""}, {"i", "liking of tea", "prefer", ""}}},
		{"A few things about me: I am 34, I have a cat, and my favourite colour is teal.", []slotted{{"i", "age", "34", ""}, {"i", "color favorite", "teal", ""}}},
		{"We were on Jenkins, then CircleCI, and now GitHub Actions.", []slotted{{"we", "ci", "GitHub Actions", ""}}},
		{"We collapsed our 14 services into one Rails app.", []slotted{{"we", "architecture", "one Rails app", ""}}},
		{"We rolled GraphQL back because of N+1 queries.", []slotted{{"graphql", "status", "rolled GraphQL back", "N+1 queries"}}},
		{"I'm 5 minutes late and I can see the tram.", nil},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			var got []slotted
			for _, f := range Distill(said(c.text), nil) {
				if f.Value != "" {
					got = append(got, slotted{f.Subject, f.Attribute, f.Value, f.Because})
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("slots (-want +got):\n%s", diff)
			}
		})
	}
}
