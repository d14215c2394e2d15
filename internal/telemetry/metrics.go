package telemetry

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Bounds of the histograms, in seconds unless noted.
var (
	fast     = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5}
	slow     = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300}
	patient  = []float64{.1, 1, 5, 15, 60, 300, 900, 3600, 6 * 3600, 24 * 3600}
	together = []float64{1, 2, 4, 8, 16, 32, 64, 128, 256} // operations
)

// metrics are the metrics that are counted as events happen.
type metrics struct {
	requests        *prometheus.CounterVec
	requestSeconds  *prometheus.HistogramVec
	requestsRunning prometheus.Gauge

	turns        *prometheus.CounterVec
	turnSeconds  *prometheus.HistogramVec
	firstPiece   prometheus.Histogram
	streams      prometheus.Gauge
	context      *prometheus.CounterVec
	tokens       *prometheus.CounterVec
	compressions prometheus.Counter
	learned      prometheus.Counter
	reversals    prometheus.Counter
	replays      prometheus.Counter
	limited      *prometheus.CounterVec
	queueSeconds prometheus.Histogram

	upstreamCalls   *prometheus.CounterVec
	upstreamHead    *prometheus.HistogramVec
	upstreamSeconds *prometheus.HistogramVec

	tools       *prometheus.CounterVec
	toolSeconds *prometheus.HistogramVec

	batch     prometheus.Histogram
	commit    prometheus.Histogram
	sync      prometheus.Histogram
	rollbacks prometheus.Counter
	searches  *prometheus.HistogramVec

	fires       *prometheus.CounterVec
	fireSeconds prometheus.Histogram
	late        prometheus.Histogram
	deliveries  *prometheus.CounterVec
}

func newMetrics() *metrics {
	return &metrics{
		requests:        counters("http_requests_total", "Requests answered.", "method", "route", "status"),
		requestSeconds:  histograms("http_request_seconds", "Time from a request's head to the end of its answer.", slow, "route"),
		requestsRunning: gauge("http_requests_running", "Requests being answered."),

		turns:        counters("turns_total", "Turns by who answered and what came of it.", "responder", "outcome"),
		turnSeconds:  histograms("turn_seconds", "Time from a turn's request to its stored answer.", slow, "responder"),
		firstPiece:   histogram("turn_first_piece_seconds", "Time from a turn's request to the first piece of its answer.", slow),
		streams:      gauge("streams_open", "Turns that are streamed right now."),
		context:      counters("context_tokens_total", "Tokens of contexts: sent, of them the client's own, the budget, and what whole histories would have been.", "kind"),
		tokens:       counters("model_tokens_total", "Tokens that models took and gave, as they report them.", "direction"),
		compressions: counter("compressions_total", "Turns that folded their session's tail."),
		learned:      counter("facts_learned_total", "Facts that turns brought."),
		reversals:    counter("reversals_total", "Facts that contradicted earlier ones."),
		limited:      counters("limited_total", "Requests that a limit refused.", "reason"),
		queueSeconds: histogram("turn_queue_seconds", "Time that turns waited for a place.", fast),
		replays:      counter("idempotency_replays_total", "Requests that were answered with a stored answer."),

		upstreamCalls:   counters("upstream_calls_total", "Calls of the model server.", "operation", "outcome"),
		upstreamHead:    histograms("upstream_first_byte_seconds", "Time until the model server began to answer.", slow, "operation"),
		upstreamSeconds: histograms("upstream_call_seconds", "Time until the model server's answer was read.", slow, "operation"),

		tools:       counters("tool_calls_total", "Calls of this server's tools by models.", "tool", "outcome"),
		toolSeconds: histograms("tool_call_seconds", "Time of a tool call.", slow, "tool"),

		batch:     histogram("writer_batch_operations", "Writes that shared a transaction.", together),
		commit:    histogram("writer_commit_seconds", "Time of a write transaction, fsync included.", fast),
		sync:      histogram("writer_sync_seconds", "Time of the COMMIT of a write transaction: the fsync.", fast),
		rollbacks: counter("writer_rollbacks_total", "Write transactions that were rolled back."),
		searches:  histograms("search_seconds", "Time of a search.", fast, "outcome"),

		fires:       counters("job_fires_total", "Attempts to fire a job, by what came of them.", "status"),
		fireSeconds: histogram("job_fire_seconds", "Time of a fire.", slow),
		late:        histogram("job_late_seconds", "Time from when a fire was due to when it began.", patient),
		deliveries:  counters("job_deliveries_total", "Attempts to deliver, by what came of them.", "target", "state"),
	}
}

// all lists the metrics.
func (m *metrics) all() []prometheus.Collector {
	return []prometheus.Collector{
		m.requests, m.requestSeconds, m.requestsRunning,
		m.turns, m.turnSeconds, m.firstPiece, m.streams, m.context, m.tokens, m.compressions, m.learned, m.reversals, m.replays, m.limited,
		m.queueSeconds,
		m.upstreamCalls, m.upstreamHead, m.upstreamSeconds, m.tools, m.toolSeconds,
		m.batch, m.commit, m.sync, m.rollbacks, m.searches,
		m.fires, m.fireSeconds, m.late, m.deliveries,
	}
}

// prefix begins every name.
const prefix = "hermes_"

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: prefix + name, Help: help})
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: prefix + name, Help: help}, labels)
}

func gauge(name, help string) prometheus.Gauge {
	return prometheus.NewGauge(prometheus.GaugeOpts{Name: prefix + name, Help: help})
}

func histogram(name, help string, bounds []float64) prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{Name: prefix + name, Help: help, Buckets: bounds})
}

func histograms(name, help string, bounds []float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: prefix + name, Help: help, Buckets: bounds}, labels)
}

// newRuntime measures the Go runtime and the process.
func newRuntime() []prometheus.Collector {
	return []prometheus.Collector{
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	}
}

// newBuild is a metric with the version of the program.
func newBuild(version string) prometheus.Collector {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: prefix + "build_info", Help: "What runs; always 1."}, []string{"version", "go"})
	g.WithLabelValues(version, runtime.Version()).Set(1)
	return g
}
