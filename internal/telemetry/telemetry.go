// Package telemetry turns the observations of other packages into metrics and spans. It
// implements the observers that they declare; none of them knows a metrics library. It
// never receives a text, path, session or key, and label values come from sets that are
// fixed at build time.
package telemetry

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/sqlite"
	"github.com/hermes-memory/hermes/internal/study"
)

// Telemetry is told what goes on, and shows it. It is safe for concurrent use.
type Telemetry struct {
	version  string
	registry *prometheus.Registry
	metrics  *metrics
	tracing  *tracing // nil when there are no spans
}

// New returns a Telemetry of a server of the given version.
func New(version string) *Telemetry {
	t := &Telemetry{version: version, registry: prometheus.NewRegistry(), metrics: newMetrics()}
	t.registry.MustRegister(t.metrics.all()...)
	t.registry.MustRegister(newRuntime()...)
	t.registry.MustRegister(newBuild(version))
	return t
}

// Handler answers with the metrics, in the text format of Prometheus or the
// one that is asked for.
func (t *Telemetry) Handler() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{})
}

// Sources are asked how things are whenever the metrics are read. Nil ones are
// left out.
type Sources struct {
	Runs  func() run.Load
	Store func() sqlite.Load
	Jobs  func() job.Load
	Study func() study.Stats
	// Line says how many turns have a place, and how many wait for one.
	Line func() (in, waiting int)
}

// Watch adds sources. It is called once.
func (t *Telemetry) Watch(s Sources) { t.registry.MustRegister(sources{s}) }
