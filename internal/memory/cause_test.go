package memory

import (
	"testing"
)

// TestDistillBecause checks that a reason is found however it is put, and that
// cause and effect do not change places.
func TestDistillBecause(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, because string }{
		{"We left Heroku because the bill doubled.", "the bill doubled"},
		{"We left Heroku because of the bill.", "the bill"},
		{"We picked Hetzner mainly for the price.", "price"},
		{"The launch slipped due to a broken build.", "a broken build"},
		{"We dropped Mongo since nobody could tune it.", "nobody could tune it"},
		{"We froze the schema so that the importer can catch up.", "the importer can catch up"},
		{"I sold the car, as I never drove it.", "I never drove it"},
		{"The demo was cancelled owing to the storm.", "the storm"},
		{"Latency halved thanks to the new index.", "the new index"},
		{"The outage was caused by an expired certificate.", "an expired certificate"},
		{"The expired certificate led to an outage.", "The expired certificate"},
		{"The expired certificate resulted in two outages.", "The expired certificate"},
		{"The disk filled up, which is why we lost the logs.", "The disk filled up"},
		{"The disk filled up, therefore we lost the logs.", "The disk filled up"},
		{"The disk filled up. That's why we lost the logs.", "The disk filled up"},
		{"The vendor raised prices. Therefore we moved to Hetzner.", "The vendor raised prices"},
		{"We added a cache in order to cut latency.", "cut latency"},
		{"We rewrote the parser after the old one broke twice.", "the old one broke twice"},
		{"We paused the rollout on account of the audit.", "the audit"},
		{"As a result of the audit, we rotated every key.", "the audit"},
		{"Because the cache was stale, we removed it.", "the cache was stale"},
		{"Since the vendor went bankrupt, we host it ourselves.", "the vendor went bankrupt"},
		{"Due to the strike, we moved the workshop online.", "the strike"},
		{"The reason we left Heroku is the price.", "the price"},
		{"The reason for the delay was that the parts were missing.", "the parts were missing"},
		{"The queue kept stalling, so we switched to NATS.", "The queue kept stalling"},
		{"The queue kept stalling, hence we switched to NATS.", "The queue kept stalling"},
		{"We picked Rust for performance.", "performance"},
		{"We split the service to reduce the blast radius.", "reduce the blast radius"},
		{"We chose SQLite given that we have one writer.", "we have one writer"},
		{"We turned retries off in response to the incident.", "the incident"},
		{"The refactoring stems from a security review.", "a security review"},
		{"The bad deploy caused 3 outages.", "The bad deploy"},
		{"The leak forced us to restart every night.", "The leak"},
		{"We banned force pushes as a consequence of the lost branch.", "the lost branch"},
		{"We cap uploads at 10 MB for fear of abuse.", "abuse"},
		{"Commit: pinned openssl because 3.2 broke TLS", "3.2 broke TLS"},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			got := []string{}
			for _, f := range Distill(said(c.text), nil) {
				if f.Because == c.because {
					return
				}
				got = append(got, string(f.Kind)+": "+f.Statement+" because "+f.Because)
			}
			t.Errorf("got %q, want because %q", got, c.because)
		})
	}
}

// TestDistillNoCause checks that words of time and manner are not reasons.
func TestDistillNoCause(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"We have used Postgres since 2019.",
		"I have lived here since March.",
		"I work as a nurse.",
		"We use Redis as well as Kafka.",
		"I need to fix the roof.",
		"The meeting is after lunch.",
		"We want to reduce the backlog.",
		"She is as tall as Anna and lives in Rome.",
		"We deployed version 3 for the northern region.",
		"The parts were so many that we rented a second truck.",
		"We moved to Lyon after Easter.",
		"The top floor is mainly for guests.",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			for _, f := range Distill(said(text), nil) {
				if f.Because != "" {
					t.Errorf("got because %q, want none", f.Because)
				}
			}
		})
	}
}
