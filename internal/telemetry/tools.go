package telemetry

import (
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/hermes-memory/hermes/internal/run"
)

// Tools are tools whose calls are measured. own are the names of this program's tools;
// all others, whose names are not under its control, are labelled "mcp".
func (t *Telemetry) Tools(tools run.Tools, own []string) run.Tools {
	if tools == nil {
		return nil
	}
	return watchedTools{tools, own, t}
}

type watchedTools struct {
	run.Tools
	own []string
	t   *Telemetry
}

// Call implements run.Tools.
func (w watchedTools) Call(ctx context.Context, g *run.Grant, c run.ToolRequest) run.ToolResult {
	name := "mcp"
	if slices.Contains(w.own, c.Name) {
		name = c.Name
	}
	ctx, s := w.t.toolSpan(ctx, &c)
	began := time.Now()
	result := w.Tools.Call(ctx, g, c)
	outcome := "ok"
	if result.Failed {
		outcome = "failed"
	}
	if s != nil {
		if result.Failed {
			s.fail(outcome)
		}
		s.End()
	}
	w.t.metrics.tools.WithLabelValues(name, outcome).Inc()
	w.t.metrics.toolSeconds.WithLabelValues(name).Observe(time.Since(began).Seconds())
	return result
}

// toolSpan begins the span of a tool call.
func (t *Telemetry) toolSpan(ctx context.Context, c *run.ToolRequest) (context.Context, *span) {
	if t.tracing == nil {
		return ctx, nil
	}
	return t.start(ctx, opTool+" "+c.Name, trace.SpanKindInternal, attribute.String(genOperation, opTool),
		attribute.String(genToolName, c.Name), attribute.String(genToolCall, c.ID), attribute.String(genToolType, "function"))
}
