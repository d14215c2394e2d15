package telemetry

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// exportPatience is the timeout for one attempt to send spans.
const exportPatience = 10 * time.Second

// exporter sends spans over OTLP/HTTP in protobuf. OpenTelemetry's exporter links gRPC
// and the descriptors of its messages, which costs every server 7 MiB of memory, even
// without tracing.
type exporter struct {
	to      string
	headers map[string]string
	client  *http.Client
	log     *slog.Logger
	failing atomic.Bool
}

func newExporter(to *url.URL, headers map[string]string, log *slog.Logger) *exporter {
	return &exporter{to: to.String(), headers: headers, client: &http.Client{Timeout: exportPatience}, log: log}
}

// ExportSpans implements sdktrace.SpanExporter. Spans that cannot be sent are lost. The
// log reports the first failure and the recovery.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := e.send(ctx, appendRequest(nil, spans))
	switch {
	case err == nil:
		if e.failing.Swap(false) {
			e.log.Info("spans are sent again")
		}
	case !e.failing.Swap(true):
		e.log.Warn("spans could not be sent; they are lost until it works again", "err", err)
	}
	return nil // the failure is logged
}

func (e *exporter) send(ctx context.Context, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.to, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("make request: %w", err)
	}
	for name, value := range e.headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	res, err := e.client.Do(req)
	if err != nil {
		return fmt.Errorf("send spans: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.CopyN(io.Discard, res.Body, 64<<10) // so that the connection can be used again
	if res.StatusCode > 299 {
		return fmt.Errorf("send spans: got status %d", res.StatusCode)
	}
	return nil
}

// Shutdown implements sdktrace.SpanExporter.
func (e *exporter) Shutdown(context.Context) error {
	e.client.CloseIdleConnections()
	return nil
}
