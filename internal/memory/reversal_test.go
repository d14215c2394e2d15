package memory

import "testing"

// TestLearnReversal lists ways to go back on what was said.
func TestLearnReversal(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"We're committed to microservices", "Merged all services back into a monolith", ""},
		{"We use Postgres.", "We moved to MySQL because replication was easier.", "replication was easier"},
		{"We use Postgres.", "We migrated from Postgres to MySQL.", ""},
		{"We use Postgres.", "We replaced Postgres with MySQL due to costs.", "costs"},
		{"We use Postgres.", "We now use MySQL instead.", ""},
		{"Our database is Postgres.", "We switched to MySQL.", ""},
		{"We use Redis.", "We no longer use Redis.", ""},
		{"We use Redis.", "Removed Redis because invalidation was buggy.", "invalidation was buggy"},
		{"We use Redis.", "We stopped using Redis.", ""},
		{"Added Redis cache for performance.", "Commit: removed Redis cache, caused 3 outages", ""},
		{"We adopted GraphQL.", "We dropped GraphQL.", ""},
		{"We adopted GraphQL.", "We reverted GraphQL due to N+1 issues.", "N+1 issues"},
		{"We enabled feature flags.", "We disabled feature flags.", ""},
		{"We turned on telemetry.", "We turned off telemetry because of GDPR.", "GDPR"},
		{"Removed the beta banner.", "Re-added the beta banner.", ""},
		{"I prefer tabs.", "Actually, I prefer spaces.", ""},
		{"I prefer tea over coffee.", "I prefer coffee over tea these days.", ""},
		{"I like mushrooms.", "I don't like mushrooms any more.", ""},
		{"I like mushrooms.", "I hate mushrooms.", ""},
		{"I love sushi.", "I can't stand sushi.", ""},
		{"I am a vegetarian.", "I'm vegan now.", ""},
		{"I live in Berlin.", "I moved to Munich.", ""},
		{"I live in Berlin.", "I now live in Munich.", ""},
		{"I work at Siemens.", "I joined Bosch.", ""},
		{"My name is Alex.", "Call me Lex.", ""},
		{"The rate limit is 100.", "The rate limit is 200.", ""},
		{"The rate limit is 100 requests per second.", "We raised the rate limit to 200 requests per second.", ""},
		{"The rate limit is 100.", "The rate limit went from 100 to 200.", ""},
		{"The deadline is 3 May.", "The deadline is now 10 May.", ""},
		{"The deadline is 3 May.", "We moved the deadline to 10 May.", ""},
		{"The deadline is 3 May.", "Correction: the deadline is 10 May.", ""},
		{"The lead is Anna.", "The lead is Bob.", ""},
		{"My favourite colour is blue.", "My favourite color is green now.", ""},
		{"The project is called Zephyr.", "The project is called Boreas.", ""},
		{"The port of the gateway is 8080.", "The gateway's port is 9090.", ""},
		{"We host everything in the cloud.", "We moved everything to our own servers.", ""},
		{"We use a monorepo.", "We switched to separate repos.", ""},
		{"I use dark mode.", "I switched to light mode.", ""},
		{"I'm building a distributed cache in Rust.", "I'm now building the distributed cache in Go.", ""},
		{"The build takes 12 minutes.", "The build takes 4 minutes.", ""},
	} {
		t.Run(c[0]+" / "+c[1], func(t *testing.T) {
			t.Parallel()
			reverses(t, c[0], c[1], c[2])
		})
	}
}
