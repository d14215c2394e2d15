// Package telemetry turns the observations of other packages into metrics and spans. It
// implements the observers that they declare; none of them knows a metrics library. It
// never receives a text, path, session or key, and label values come from sets that are
// fixed at build time.
package telemetry

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/storage"
	"github.com/hermes-memory/hermes/internal/study"
)

// Telemetry collects observations and serves the metrics. It is safe for concurrent
// use.
type Telemetry struct {
	version  string
	registry *prometheus.Registry
	metrics  *metrics
	tracing  *tracing // nil without tracing
}

// New returns a Telemetry for a server of the given version.
func New(version string) *Telemetry {
	t := &Telemetry{version: version, registry: prometheus.NewRegistry(), metrics: newMetrics()}
	t.registry.MustRegister(t.metrics.all()...)
	t.registry.MustRegister(newRuntime()...)
	t.registry.MustRegister(newBuild(version))
	return t
}

// Handler answers with the metrics, in Prometheus's text format or the negotiated one.
func (t *Telemetry) Handler() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{})
}

// Sources are read whenever the metrics are scraped. Nil ones are left out.
type Sources struct {
	Runs  func() run.Load
	Store func() storage.Load
	Jobs  func() job.Load
	Study func() study.Stats
	// Line returns the number of turns with a permit, and of queued ones.
	Line func() (in, waiting int)
	// Cache returns the figures of the cache of scopes.
	Cache func() piece.Stats
	// Platforms returns the state of each bot.
	Platforms func() []gateway.Status
}

// Watch adds sources. It is called once.
func (t *Telemetry) Watch(s Sources) { t.registry.MustRegister(sources{s}) }
