package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/hermes-memory/hermes/internal/fault"
)

// Tracing configures where spans are sent.
type Tracing struct {
	// Endpoint is the base URL for OTLP over HTTP, to which "/v1/traces" is appended.
	// Traces is the whole URL instead. Without either there are no spans.
	Endpoint, Traces string
	// Headers are sent with the spans: "name=value,name=value", values URL-encoded.
	Headers string
	// Conversations lets spans name sessions.
	Conversations bool
	Log           *slog.Logger
}

// tracing makes spans. A nil tracing makes none, at no cost.
type tracing struct {
	tracer        trace.Tracer
	provider      *sdktrace.TracerProvider
	conversations bool
	upstream      string // the name of the model's provider
}

// propagator propagates trace contexts over HTTP, as W3C specifies.
var propagator = propagation.TraceContext{}

// Trace enables spans if an endpoint is configured. It must be called before any
// observation. OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_TRACES_SAMPLER and
// OTEL_BSP_* have their standard meanings.
func (t *Telemetry) Trace(ctx context.Context, c Tracing) error {
	to := c.Traces
	if to == "" && c.Endpoint != "" {
		to = strings.TrimRight(c.Endpoint, "/") + "/v1/traces"
	}
	if to == "" {
		return nil
	}
	u, err := url.Parse(to)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fault.New(fault.Invalid, "invalid_otlp_endpoint", "telemetry.otlp_endpoint is not a URL that begins with http:// or https://.")
	}
	headers, err := parseHeaders(c.Headers)
	if err != nil {
		return err
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "hermes"), attribute.String("service.version", t.version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return fmt.Errorf("describe this server: %w", err)
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(newExporter(u, headers, c.Log)), sdktrace.WithResource(about))
	t.tracing = &tracing{
		tracer: provider.Tracer("hermes", trace.WithInstrumentationVersion(t.version)), provider: provider, conversations: c.Conversations,
	}
	return nil
}

// parseHeaders parses the format of OTEL_EXPORTER_OTLP_HEADERS. Its errors name no
// value, because values are keys.
func parseHeaders(text string) (map[string]string, error) {
	out := make(map[string]string)
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || name == "" || err != nil || strings.ContainsAny(name+value, "\r\n\x00") {
			return nil, fault.New(fault.Invalid, "invalid_otlp_headers", "telemetry.otlp_headers is not of the form name=value,name=value.")
		}
		out[name] = value
	}
	return out, nil
}

// Provider sets the model's provider for spans.
func (t *Telemetry) Provider(name string) {
	if t.tracing != nil {
		t.tracing.upstream = name
	}
}

// Close sends the pending spans, with a short timeout.
func (t *Telemetry) Close(ctx context.Context) {
	if t.tracing == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer cancel()
	_ = t.tracing.provider.Shutdown(ctx) // the exporter has logged a failure
}

// start begins a span. Without tracing it returns nil, and all methods of span accept
// nil.
func (t *Telemetry) start(ctx context.Context, name string, kind trace.SpanKind, about ...attribute.KeyValue) (context.Context, *span) {
	if t.tracing == nil {
		return ctx, nil
	}
	ctx, s := t.tracing.tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(about...))
	return ctx, &span{s}
}

// span is a span, or nil.
type span struct{ trace.Span }

// fail marks the span as failed, with a reason from a fixed set.
func (s *span) fail(why string) {
	s.SetAttributes(attribute.String("error.type", why))
	s.SetStatus(codes.Error, "")
}
