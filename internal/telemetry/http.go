package telemetry

import (
	"context"
	"net/http"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/trail"
)

// Begin implements httpapi.Observer.
func (t *Telemetry) Begin(ctx context.Context, h http.Header) (context.Context, func(httpapi.Answered)) {
	m := t.metrics
	m.requestsRunning.Inc()
	ctx, s := t.serverSpan(ctx, h)
	return ctx, func(a httpapi.Answered) {
		s.answered(&a)
		m.requestsRunning.Dec()
		m.requests.WithLabelValues(a.Method, a.Route, class(a.Status)).Inc()
		if a.Limited {
			m.limited.WithLabelValues("rate").Inc()
		}
		m.requestSeconds.WithLabelValues(a.Route).Observe(a.Took.Seconds())
	}
}

// serverSpan begins the span of a request, in the trace of its client if there is one.
func (t *Telemetry) serverSpan(ctx context.Context, h http.Header) (context.Context, *span) {
	if t.tracing == nil {
		return ctx, nil
	}
	if !trace.SpanContextFromContext(ctx).IsValid() { // otherwise the request is part of another one
		ctx = propagator.Extract(ctx, propagation.HeaderCarrier(h))
	}
	return t.start(ctx, "request", trace.SpanKindServer, attribute.String("hermes.request_id", trail.From(ctx).RequestID))
}

// answered ends the span of a request.
func (s *span) answered(a *httpapi.Answered) {
	if s == nil {
		return
	}
	s.SetName(a.Method + " " + a.Route)
	s.SetAttributes(
		attribute.String("http.request.method", a.Method), attribute.String("http.route", a.Route),
		attribute.Int("http.response.status_code", a.Status))
	if a.Status >= 500 {
		s.fail(strconv.Itoa(a.Status))
	}
	s.End()
}

// class is the first digit of a status.
func class(status int) string {
	if status < 100 || status > 599 {
		return "other"
	}
	return strconv.Itoa(status/100) + "xx"
}
