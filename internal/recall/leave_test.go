package recall_test

import (
	"strings"
	"testing"
)

// TestLeaving asks why something was given up, with another verb than was told, and
// what came in its place.
func TestLeaving(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ told, asked, want string }{
		{"We moved from Redis to Postgres because of outages.", "Why did we leave Redis?", "outages"},
		{"We replaced RabbitMQ with NATS because ordering kept biting us.", "Why did we ditch RabbitMQ?", "ordering"},
		{"We got off MongoDB, the replica set kept losing writes.", "Why did we abandon MongoDB?", "losing writes"},
		{"We got off MongoDB, the replica set kept losing writes.", "What did we replace MongoDB with?", unknown},
		{"We shelved the plugin system: nobody outside ever wrote one.", "Why did we drop the plugin system?", "nobody outside"},
		{"Terraform is out, Pulumi is in, since the team hated HCL.", "What did we replace Terraform with?", "Pulumi"},
		{"We chose Svelte over React: the bundles are smaller.", "Why did we pick Svelte?", "smaller"},
		{"We backed away from blue-green deploys, they cost 4,000 euros.", "What did blue-green deploys cost us?", "4,000"},
		{"We host everything on Hetzner.", "Who hosts our stuff?", "Hetzner"},
		{"A bigger heap cured the pauses.", "What solved the pauses?", "heap"},
		{"We picked Hetzner over AWS mainly for the price.", "What was the reason for going with Hetzner?", "price"},
		{"The office printer is on the third floor.", "Where can I find the printer?", "third"},
		{"The office printer is on the third floor.", "Where can I find the scanner?", unknown},
		{"Our CTO is Margit.", "Who is our chief financial officer?", unknown},
		{"We use PostgreSQL 16 as our primary database.", "Where does our data live?", "PostgreSQL 16"},
		{"Flaky DNS made the checkout time out.", "Why did the checkout time out?", "Flaky DNS"},
		{"Search is powered by Solr.", "What is our search built on?", "Solr"},
		{"We use Go for the gateway\nbecause it compiles fast.", "Why do we use Go for the gateway?", "compiles fast"},
	} {
		t.Run(c.told+" "+c.asked, func(t *testing.T) {
			t.Parallel()
			k := newTalk(t)
			k.tell(c.told, "It rained all weekend.")
			if got := k.say(c.asked); c.want == unknown && sure(got) || c.want != unknown && !strings.Contains(got, c.want) {
				t.Errorf("got %s, want %q", got, c.want)
			}
		})
	}
}
