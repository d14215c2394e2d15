package telemetry

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Transport measures the calls of the model server through next.
func (t *Telemetry) Transport(next http.RoundTripper) http.RoundTripper {
	return &transport{next: next, t: t}
}

type transport struct {
	next http.RoundTripper
	t    *Telemetry
}

// RoundTrip implements http.RoundTripper.
func (tr *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	c := &call{t: tr.t, operation: operation(r.URL.Path), began: time.Now()}
	r, c.span = tr.t.clientSpan(r, c.operation)
	res, err := tr.next.RoundTrip(r)
	if err != nil {
		c.end(failure(r.Context(), err))
		return nil, err
	}
	if c.span != nil {
		c.span.SetAttributes(attribute.Int("http.response.status_code", res.StatusCode))
	}
	tr.t.metrics.upstreamHead.WithLabelValues(c.operation).Observe(time.Since(c.began).Seconds())
	res.Body = &watchedBody{ReadCloser: res.Body, ctx: r.Context(), call: c, outcome: answer(res.StatusCode)}
	return res, nil
}

// call is one call under way.
type call struct {
	t         *Telemetry
	operation string
	began     time.Time
	span      *span
}

// clientSpan begins the span of a call and propagates it to the model server.
func (t *Telemetry) clientSpan(r *http.Request, operation string) (*http.Request, *span) {
	if t.tracing == nil {
		return r, nil
	}
	about := []attribute.KeyValue{
		attribute.String(genOperation, operation), attribute.String(genProvider, t.tracing.upstream),
		attribute.String("http.request.method", r.Method), attribute.String("server.address", r.URL.Hostname()),
	}
	name := operation
	if model, ok := r.Context().Value(asked{}).(string); ok && model != "" {
		name += " " + model
		about = append(about, attribute.String(genRequestModel, model))
	}
	ctx, s := t.start(r.Context(), name, trace.SpanKindClient, about...)
	r = r.Clone(ctx) // the header is shared
	propagator.Inject(ctx, propagation.HeaderCarrier(r.Header))
	return r, s
}

func (c *call) end(outcome string) {
	if c.span != nil {
		if outcome != "ok" {
			c.span.fail(outcome)
		}
		c.span.End()
	}
	c.t.metrics.upstreamCalls.WithLabelValues(c.operation, outcome).Inc()
	c.t.metrics.upstreamSeconds.WithLabelValues(c.operation).Observe(time.Since(c.began).Seconds())
}

// watchedBody observes the end of an answer. Like any body, it belongs to one
// goroutine.
type watchedBody struct {
	io.ReadCloser
	ctx     context.Context // of the call
	call    *call
	outcome string
}

// Read implements io.Reader.
func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && b.outcome == "ok" {
		b.outcome = failure(b.ctx, err)
		if b.outcome == "unreachable" {
			b.outcome = "broken"
		}
	}
	return n, err
}

// Close implements io.Closer.
func (b *watchedBody) Close() error {
	if b.call != nil {
		b.call.end(b.outcome)
		b.call = nil
	}
	return b.ReadCloser.Close()
}

// operation is the operation of a call, by the end of its path.
func operation(path string) string {
	switch {
	case strings.HasSuffix(path, "/chat/completions"), strings.HasSuffix(path, "/messages"):
		return "chat"
	case strings.HasSuffix(path, "/embeddings"):
		return "embeddings"
	case strings.HasSuffix(path, "/models"):
		return "models"
	}
	return "other"
}

// answer is the outcome of a call that was answered.
func answer(status int) string {
	switch {
	case status == http.StatusTooManyRequests:
		return "rate_limited"
	case status >= 500:
		return "error"
	case status >= 300:
		return "refused"
	}
	return "ok"
}

// failure is the outcome of a call without a complete answer.
func failure(ctx context.Context, err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), context.Canceled):
		return "cancelled"
	case ctx.Err() != nil: // the client's timeout
		return "timeout"
	}
	return "unreachable"
}
