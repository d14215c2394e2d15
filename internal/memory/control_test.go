package memory

import "testing"

// TestLearnNoFalseReversal is the control list: pairs that sound alike and do
// not contradict each other.
func TestLearnNoFalseReversal(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"I like classical music.", "My brother likes jazz."},
		{"I like tea.", "My brother hates tea."},
		{"I like tea.", "I like coffee."},
		{"I like tea.", "I love tea."},
		{"I prefer tabs.", "My colleague prefers spaces."},
		{"I prefer tabs.", "I also like short functions."},
		{"We use Postgres.", "We use Redis."},
		{"We use Postgres.", "We use MySQL for analytics."},
		{"We use Postgres for billing.", "We moved to MySQL for analytics."},
		{"We use Postgres.", "We also use MongoDB now."},
		{"We use Postgres.", "They use MySQL."},
		{"We use Postgres.", "The search service uses Elasticsearch."},
		{"We use Postgres.", "Should we use MySQL?"},
		{"We use Postgres.", "If it gets slow, we would move to MySQL."},
		{"We use Postgres.", "Maybe we could switch to MySQL."},
		{"We use Postgres.", "We don't use MySQL."},
		{"We use Postgres.", "My friend's company moved to MySQL."},
		{"We use Postgres 15.", "Postgres 15 came out in 2022."},
		{"We're committed to microservices.", "Netflix merged everything into a monolith."},
		{"We're committed to microservices.", "Would a monolith be easier?"},
		{"We're committed to microservices.", "The old system was a monolith."},
		{"We're committed to microservices.", "We split the billing service."},
		{"The rate limit is 100.", "The disk limit is 200."},
		{"The rate limit is 100.", "The rate limit is annoying."},
		{"The rate limit of the gateway is 100.", "The rate limit of the importer is 200."},
		{"The timeout is 30 seconds.", "The retries took 40 seconds."},
		{"The deadline is 3 May.", "The demo is 5 May."},
		{"The deadline is 3 May.", "The deadline is tight."},
		{"The API is slow.", "The API is written in Go."},
		{"The API is slow.", "The website is fast."},
		{"My name is Alex.", "My sister's name is Anna."},
		{"My name is Alex.", "The project's name is Zephyr."},
		{"I live in Berlin.", "My parents live in Munich."},
		{"I live in Berlin.", "I was born in Hamburg."},
		{"I live in Berlin.", "I work at Siemens."},
		{"I live in Berlin.", "I visited Munich last week."},
		{"I live in Berlin.", "We moved the database to Frankfurt."},
		{"I work at Siemens.", "I worked as a waiter in Rome."},
		{"I am a nurse.", "I am a vegetarian."},
		{"My dog is called Rex.", "My cat is called Tom."},
		{"My sister's birthday is on May 3.", "My brother's birthday is on May 4."},
		{"My favourite colour is blue.", "My favourite food is pizza."},
		{"My favourite colour is blue.", "My wife's favourite colour is red."},
		{"Added Redis to the checkout.", "Removed Kafka from the checkout."},
		{"Added Redis to the checkout.", "Removed Redis from the search."},
		{"Added a Redis cache.", "Removed the Redis dashboard."},
		{"Added retries to the importer.", "Removed retries from the exporter."},
		{"Enabled dark mode in the editor.", "Disabled notifications in the editor."},
		{"Enabled feature flags.", "Disabled two stale tests."},
		{"We adopted gRPC.", "We dropped SOAP."},
		{"We hired Anna.", "We fired the agency."},
		{"We started the migration.", "We stopped the old cron job."},
		{"We approved the budget.", "We rejected the second offer."},
		{"I joined the chess club.", "I left the office at six."},
		{"I bought a bicycle.", "I sold the sofa."},
		{"The meeting is on Friday.", "The workshop is on Monday."},
		{"The meeting is on Friday.", "The meeting is important."},
		{"We deploy on Fridays.", "We never deploy the importer on Mondays."},
		{"The lead is Anna.", "The designer is Bob."},
		{"The price is $40.", "The price is fair."},
		{"I'm allergic to peanuts.", "I like almonds."},
		{"I prefer tea over coffee.", "I prefer trains over planes."},
		{"Use metric units.", "The map uses imperial units."},
		{"Always answer in French.", "The manual is written in English."},
		{"We have 3 replicas.", "We have 12 engineers."},
		{"Our database is Postgres.", "Our cache is Redis."},
		{"The gateway runs on port 8080.", "The importer runs on port 9090."},
		{"I speak German.", "I speak Spanish."},
		{"The build takes 12 minutes.", "The tests take 4 minutes."},
		{"We removed Jenkins.", "We removed Travis."},
	} {
		t.Run(c[0]+" / "+c[1], func(t *testing.T) {
			t.Parallel()
			_, change := talk(c[0], c[1])
			for _, r := range change.Reversals {
				t.Errorf("got reversal %q → %q, want none", r.Was.Statement, r.Now.Statement)
			}
		})
	}
}
