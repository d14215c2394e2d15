package tool

import (
	"context"
	"strings"

	"github.com/hermes-memory/hermes/internal/run"
)

// Guarded is a set of tools of which some need approval. The turn asks for the approval
// before it runs the call; only a person can give it.
type Guarded struct {
	run.Tools
	// Names are the tools that need approval: a name, or a prefix followed by *.
	Names []string
}

// Offer implements run.Tools.
func (g Guarded) Offer(ctx context.Context, grant *run.Grant) []run.ToolDefinition {
	out := g.Tools.Offer(ctx, grant)
	for i := range out {
		out[i].Approval = out[i].Approval || g.needs(out[i].Name)
	}
	return out
}

// needs reports whether a tool is one of those named.
func (g Guarded) needs(name string) bool {
	for _, n := range g.Names {
		prefix, open := strings.CutSuffix(n, "*")
		if name == n || open && strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
