package provider_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/provider/providertest"
)

// BenchmarkTurn measures turns without a provider, with one that answers, and with one that
// does not. Without one nothing may be dearer than before.
//
//	go test ./internal/provider -run '^$' -bench Turn -benchtime 1000x
func BenchmarkTurn(b *testing.B) {
	for _, c := range []struct {
		name  string
		off   bool
		fault *providertest.Fault
	}{
		{"none", true, nil}, {"answers", false, nil}, {"hangs", false, &providertest.Fault{On: "/context", Hang: true}},
		{"500", false, &providertest.Fault{On: "/context", Status: 500}}, {"garbage", false, &providertest.Fault{On: "/context", Body: "{{{"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			h := build(b, func(p *provider.Parts) {
				p.Wait, p.Now = 150*time.Millisecond, time.Now
				if c.off {
					p.Provider = nil
				}
			})
			h.say("s", "key", "I like tea.")
			h.catchUp()
			h.honcho.Always(c.fault)
			took := make([]time.Duration, 0, b.N)
			for i := 0; b.Loop(); i++ {
				began := time.Now()
				h.say("s", "key", fmt.Sprintf("What about number %d?", i))
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
			b.ReportMetric(float64(took[len(took)-1].Microseconds()), "max-µs")
		})
	}
}
