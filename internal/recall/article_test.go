package recall_test

import (
	"strings"
	"testing"
)

func TestArticle(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, question string
		told, want     []string
	}{
		{
			name: "what is being built", question: "What tech stack are we using again?",
			told: []string{"My name is Alex. I'm building a distributed cache in Rust."},
			want: []string{"You told me on 21 November 2026: you're building a distributed cache in Rust.", "!Alex"},
		}, {
			name: "verbatim", question: "Which database do we run?",
			told: []string{"We use PostgreSQL 15 on RDS with read replicas in us-east-1"},
			want: []string{`"We use PostgreSQL 15 on RDS with read replicas in us-east-1"`},
		}, {
			name: "cause", question: "Why did we remove Redis?",
			told: []string{"Removed Redis because cache invalidation bugs caused stale product prices"},
			want: []string{`"Removed Redis because cache invalidation bugs caused stale product prices"`},
		}, {
			name: "sequence and reason", question: "What happened with GraphQL?",
			told: []string{"Tried GraphQL in Q1, reverted in Q2 due to N+1 issues"},
			want: []string{`"Tried GraphQL in Q1, reverted in Q2 due to N+1 issues"`},
		}, {
			name: "contradiction", question: "What architecture decisions did we make?",
			told: []string{"We're committed to microservices", "Merged all services back into a monolith"},
			want: []string{
				`Reversal: you said "We're committed to microservices" on 21 November 2026`,
				`; later "Merged all services back into a monolith" on 22 November 2026`,
			},
		}, {
			name: "name", question: "What is my name?",
			told: []string{"My name is Alex. I'm building a distributed cache in Rust."},
			want: []string{"your name is Alex", "!Rust"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := newTalk(t)
			k.tell(tt.told...)
			got := k.say(tt.question)
			expect(t, tt.question, got, tt.want...)
		})
	}
}

func TestTwoSessions(t *testing.T) {
	t.Parallel()
	acme := newTalk(t)
	widgets := acme.other("repo:widgets/frontend")
	acme.say("Commit: removed Redis cache, caused 3 outages")
	widgets.say("Commit: added Redis cache layer for performance")
	got := acme.say("What cache decisions were made?")
	expect(t, "acme", got, "removed Redis", "3 outages", "!performance", "!widgets")
	got = widgets.say("What cache decisions were made?")
	expect(t, "widgets", got, "added Redis cache layer for performance", "!removed", "!outages")
}

func TestTwoHundredTurnsLater(t *testing.T) {
	t.Parallel()
	k := newTalk(t)
	k.say("My name is Alex. I'm building a distributed cache in Rust.")
	topics := strings.Fields("gardening tides opera chess kites ferns comets bread harbours violins")
	for i := range 198 {
		k.say("Could you explain " + topics[i%len(topics)] + " in " + topics[(i/10)%len(topics)] + " number " + strings.Repeat("x", i%7+1) + "?")
	}
	expect(t, "stack", k.say("What tech stack are we using again?"), "distributed cache in Rust")
	expect(t, "name", k.say("And what was my name?"), "Alex")
}
