package memory

import "testing"

// TestDistillKind checks what sort of statement a sentence is taken for. The
// kinds that assert nothing matter most: they must never be shown as true.
func TestDistillKind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want Kind // of the first fact
	}{
		{"We decided to use gRPC.", Decision},
		{"Let's go with Kafka.", Decision},
		{"We're going with the second offer.", Decision},
		{"We switched to spaces.", Decision},
		{"We agreed on two reviewers.", Decision},
		{"Removed Redis.", Decision},
		{"We use PostgreSQL 15 on RDS with read replicas in us-east-1", Plain},
		{"Our gateway runs on Nginx.", Plain},
		{"I prefer tabs.", Preference},
		{"I love sea kayaking.", Preference},
		{"I don't like mushrooms.", Preference},
		{"I can't stand loud offices.", Preference},
		{"I'm allergic to peanuts.", Preference},
		{"My favourite colour is blue.", Preference},
		{"My name is Alex.", Identity},
		{"Call me Lex.", Identity},
		{"I work as a nurse.", Identity},
		{"I'm a structural engineer.", Identity},
		{"I live in Berlin.", Identity},
		{"My sister's name is Anna.", Identity},
		{"My dog is called Rex.", Identity},
		{"My birthday is on May 3.", Identity},
		{"Always answer in French.", Instruction},
		{"From now on, keep answers short.", Instruction},
		{"Please answer in English.", Instruction},
		{"Never use emojis.", Instruction},
		{"Don't use emojis.", Instruction},
		{"No emojis please.", Instruction},
		{"I want you to always cite sources.", Instruction},
		{"Whenever I ask for code, use tabs.", Instruction},
		{"When you answer, be brief.", Instruction},
		{"Could you always reply in German?", Instruction},
		{"Use metric units.", Instruction},
		{"Make sure you always add tests.", Instruction},
		{"The limit is 512 MB.", Number},
		{"We have 3 replicas.", Number},
		{"The rent is 900 euros.", Number},
		{"Yesterday we launched the shop.", Event},
		{"I have a dentist appointment next Tuesday.", Event},
		{"I need to call the bank tomorrow.", Event},
		{"The expired certificate led to an outage.", Cause},

		{"Should we use Kafka?", Question},
		{"Do we use Kafka", Question},
		{"What is the limit", Question},
		{"Is it true that we use Kafka?", Question},
		{"If we had the money, we would use Kafka.", Hypothetical},
		{"Maybe we should use Kafka.", Hypothetical},
		{"We could use Kafka.", Hypothetical},
		{"I'm thinking about moving to Lisbon.", Hypothetical},
		{"Suppose we use Kafka.", Hypothetical},
		{"We are considering Kafka for the queue.", Hypothetical},
		{"My brother likes jazz.", ThirdParty},
		{"They use Kafka.", ThirdParty},
		{"She prefers Kafka.", ThirdParty},
		{"Netflix uses Cassandra.", ThirdParty},
		{"According to the article, Kafka is slow.", ThirdParty},
		{"Some people say Kafka is slow.", ThirdParty},
		{"We don't use Kafka.", Negated},
		{"We never used Kafka.", Negated},
		{"It is not true that we use Kafka.", Negated},
		{"The gateway does not use Kafka.", Negated},
		{"> We use Kafka for everything.", Quoted},
		{`He wrote "we use Kafka for everything here".`, Quoted},
		{`"We moved the whole thing to Kafka."`, Quoted},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			facts := Distill(said(c.text), nil)
			if len(facts) == 0 {
				t.Fatalf("got no facts, want one of kind %s", c.want)
			}
			if facts[0].Kind != c.want {
				t.Errorf("got kind %s, want %s", facts[0].Kind, c.want)
			}
		})
	}
}

// TestDistillNothing checks what leaves no asserted fact.
func TestDistillNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "Hello!", "Thanks, that helped.", "ok", "What does this mean?",
		"Please write a short poem about the sea.",
		"Translate this for me: the lantern wobbled.",
		"```go\nconst limit = 512\n```",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			for _, f := range Distill(said(text), nil) {
				if f.Kind.Asserted() {
					t.Errorf("got %s %q, want nothing asserted", f.Kind, f.Statement)
				}
			}
		})
	}
}

// TestDistillSecrets checks that nothing that opens doors becomes a fact.
func TestDistillSecrets(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"My password is hunter2",
		"My password is correcthorse",
		"The password for the router is Sesame-open!",
		"Our API key is 9f8a7b6c5d4e3f2a",
		"We use sk-abcdefghijklmnop1234567890 for the model.",
		"We use ghp_abcdefghijklmnopqrstuvwxyz0123456789 in CI.",
		"The AWS key is AKIAIOSFODNN7EXAMPLE",
		"Our bot uses xoxb-123456789012-abcdefghijkl",
		"I use eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF123456 as a token",
		"We connect to postgres://app:s3cret@db.example.com/main in production",
		"My PIN is 4711",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA we use Kafka\n-----END RSA PRIVATE KEY-----",
		"The client_secret: Zx81Qw92Er73",
		"my pw is Zebra!77", "Mein Passwort ist Sonnenblume.", "Pass: qwerty99", "My SSN is 078-05-1120.",
		"My card is 4111 1111 1111 1111, exp 04/27, cvv 737.",
		"Our seed phrase is: 1. apple 2. bridge 3. canyon 4. dolphin 5. eagle 6. forest 7. garden 8. hotel 9. island 10. jacket 11. kitten 12. lemon",
		"I use aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW as the key for everything",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			for _, f := range Distill(said(text), nil) {
				t.Errorf("got %s %q, want nothing", f.Kind, f.Statement)
			}
		})
	}
	for _, text := range []string{
		"The password is required.", "We use password managers.", "The token limit is 4000.",
		"We reverted commit 3f2a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a.", "Our secret sauce is caching.",
	} {
		if facts := Distill(said(text), nil); len(facts) == 0 {
			t.Errorf("%q: got nothing, want a fact: it gives no secret away", text)
		}
	}
}
