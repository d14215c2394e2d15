package tool

import (
	"context"
	"log/slog"
	"time"

	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/trail"
)

// Audited are tools whose calls are recorded, except calls that only read.
type Audited struct {
	run.Tools
	Audit audit.Store
	Now   func() time.Time
	Log   *slog.Logger
}

// Call implements run.Tools. The entry is written with the first transaction of the
// tool, or when the tool is done.
func (a Audited) Call(ctx context.Context, g *run.Grant, c run.ToolRequest) run.ToolResult {
	if c.Name == search.ToolName {
		return a.Tools.Call(ctx, g, c)
	}
	ctx, note := audit.With(trail.As(ctx, trail.Model), g.Owner, a.Now, "tool.call", audit.Tool, c.Name)
	result := a.Tools.Call(ctx, g, c)
	outcome := ""
	if result.Failed {
		outcome = "failed"
	}
	if err := note.Close(context.WithoutCancel(ctx), a.Audit, outcome); err != nil {
		a.Log.WarnContext(ctx, "the audit could not be written", "action", "tool.call", "err", err)
	}
	return result
}
