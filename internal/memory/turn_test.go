package memory

import (
	"strings"
	"testing"
)

// TestLearnArchitectureTurned lists ways to go back on an architecture, with the
// reason given.
func TestLearnArchitectureTurned(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"Our plan is to stay with microservices.", "Change of plan: all the microservices get folded into a monolith, nobody could trace a request.", "nobody could trace a request"},
		{"We're fully committed to serverless functions.", "We've pulled the backend out of Lambda and into one modular monolith, the cold starts were killing checkout.", "the cold starts were killing checkout"},
		{"As a company we are committed to a microservice architecture.", "The last microservice was merged into the monolith; on-call was burning people out.", "on-call was burning people out"},
		{"The backend is a set of twelve microservices.", "Everything is one big monolith again.", ""},
		{"We're going with microservices.", "We have glued the microservices back together into one application.", ""},
		{"We build microservices.", "Microservices turned out to be a mistake, it's a monolith again.", ""},
		{"We run a monolith.", "The monolith has been broken up into separate services.", ""},
		{"We keep everything in one monorepo.", "Decision from today: we split the monorepo into one repository per service.", ""},
		{"We decided to self-host everything.", "We've moved everything to the cloud after all, our admin left.", "our admin left"},
		{"We standardised on REST for public APIs.", "As of today public APIs are GraphQL instead of REST.", ""},
		{"We use REST everywhere.", "All our services speak gRPC now instead of REST.", ""},
		{"We're betting on microservices.", "Consolidated the platform into a single monolith, deployments had become a full-time job", "deployments had become a full-time job"},
		{"We are all in on microservices.", "We collapsed our 14 services into one Rails app because deploys took a day.", "deploys took a day"},
		{"We split the monolith into microservices.", "We undid the split into microservices because tracing was impossible.", "tracing was impossible"},
		{"In Q1 we gave GraphQL a try for the mobile app.", "It caused N+1 queries everywhere, so in Q2 we went back to REST.", "It caused N+1 queries everywhere"},
		{"We tried GraphQL in Q1.", "In Q2 we reverted to REST because of N+1 queries.", "N+1 queries"},
		{"We tried GraphQL in Q1.", "We rolled GraphQL back in Q2 because of N+1 queries.", "N+1 queries"},
		{"My name is Alex and I use PostgreSQL.", "I switched from PostgreSQL to MySQL.", ""},
	} {
		t.Run(c[1], func(t *testing.T) {
			t.Parallel()
			reverses(t, c[0], c[1], c[2])
		})
	}
}

// TestDistillNote reads the heading of a note for what it is.
func TestDistillNote(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, because string }{
		{"fix: retry uploads 3 times with backoff, S3 returned 503 during deploys", "S3 returned 503 during deploys"},
		{"Commit: bump Node from 18 to 22, fixes memory leak in the socket layer", "fixes memory leak in the socket layer"},
		{"Commit: dropped Sentry, cost 900 euros a month and nobody read the alerts", "cost 900 euros a month and nobody read the alerts"},
		{"chore: bump the driver to 42.7.4, closes CVE-2024-1597", "closes CVE-2024-1597"},
		{"Gave tRPC a go in Q2, rolled it back in Q3 over type-inference slowdowns.", "type-inference slowdowns"},
		{"I'd rather have tests in the same folder as the code.", ""},
		{"We've given up on micro-frontends because bundles were duplicated.", "bundles were duplicated"},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			got := ""
			for _, f := range Distill(said(c.text), nil) {
				if got == "" {
					got = f.Because
				}
			}
			if got != c.because {
				t.Errorf("got reason %q, want %q", got, c.because)
			}
		})
	}
}

// TestDistillCorrection lets "it" stand for what was just said wrong.
func TestDistillCorrection(t *testing.T) {
	t.Parallel()
	conv, _ := talk("Our mascot is a heron. No wait, that's wrong, it's a kingfisher.")
	var current []string
	for f := range conv.state.Facts() {
		if f.Kind.Asserted() && f.Current() {
			current = append(current, f.Statement)
		}
	}
	if got := strings.Join(current, "|"); got != "Our mascot is a kingfisher" {
		t.Errorf("got %q", got)
	}
}

// TestDistillPassing takes no decision from words that only move the talk on.
func TestDistillPassing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Let's play a quick word game, you start.", "Let's move on to the next section.", "Anyway, back to work.",
		"Let's use the second one.",
	} {
		for _, f := range Distill(said(text), nil) {
			if f.Kind.Asserted() {
				t.Errorf("%q: got %s", text, f.Kind)
			}
		}
	}
}
