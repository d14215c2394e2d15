package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/hermes-memory/hermes/internal/job"
)

// Fire implements job.Observer.
func (t *Telemetry) Fire(ctx context.Context, late time.Duration) (context.Context, func(job.Status)) {
	began := time.Now()
	t.metrics.late.Observe(max(0, late.Seconds()))
	ctx, sp := t.start(ctx, "job fire", trace.SpanKindInternal, attribute.Float64("hermes.job.late_seconds", late.Seconds()))
	return ctx, func(s job.Status) {
		if sp != nil {
			sp.SetAttributes(attribute.String("hermes.job.status", string(s)))
			if s != job.Completed {
				sp.fail(string(s))
			}
			sp.End()
		}
		t.metrics.fires.WithLabelValues(string(s)).Inc()
		t.metrics.fireSeconds.Observe(time.Since(began).Seconds())
	}
}

// Delivery implements job.Observer.
func (t *Telemetry) Delivery(kind string, state job.DeliveryState) {
	if kind != "webhook" {
		kind = "other" // a row may name a kind that this build does not know
	}
	t.metrics.deliveries.WithLabelValues(kind, string(state)).Inc()
}
