// Package tool holds the tools that this server runs for models: memory, skills, the
// search in past sessions, and the tools of MCP servers. Each tool checks the turn's
// grant where it runs. Package run owns the loop in which a model calls tools, and
// other packages own the data.
package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/run"
)

// Source is a family of tools.
type Source interface {
	// Offer lists the tools that the grant allows. See [run.Tools].
	Offer(ctx context.Context, g *run.Grant) []run.ToolDefinition
	// Call runs a tool. It is called for names that the source has offered, and checks
	// the grant again.
	Call(ctx context.Context, g *run.Grant, c run.ToolRequest) run.ToolResult
	// Has reports whether a name belongs to the source.
	Has(name string) bool
}

// Set are all tools of a server. It implements [run.Tools].
type Set []Source

var _ run.Tools = Set(nil)

// Offer implements run.Tools. A source without a chosen tool is not asked: an MCP server
// is not started for a turn that cannot use it.
func (s Set) Offer(ctx context.Context, g *run.Grant) []run.ToolDefinition {
	var out []run.ToolDefinition
	for _, source := range s {
		if chosen(source, g) {
			out = append(out, source.Offer(ctx, g)...)
		}
	}
	return slices.DeleteFunc(out, func(d run.ToolDefinition) bool { return !g.Allows(d.Name) })
}

// chosen reports whether a turn may use a tool of a source.
func chosen(source Source, g *run.Grant) bool {
	return g.Only == nil || slices.ContainsFunc(g.Only, func(c run.ToolChoice) bool { return source.Has(c.Name) })
}

// Call implements run.Tools.
func (s Set) Call(ctx context.Context, g *run.Grant, c run.ToolRequest) run.ToolResult {
	if source := s.source(c.Name); source != nil && g.Allows(c.Name) {
		return source.Call(ctx, g, c)
	}
	return refuse("there is no tool %q", c.Name)
}

// source is the source of a tool; nil for none.
func (s Set) source(name string) Source {
	i := slices.IndexFunc(s, func(source Source) bool { return source.Has(name) })
	if i < 0 {
		return nil
	}
	return s[i]
}

// refuse is the result of a refused call.
func refuse(format string, args ...any) run.ToolResult {
	return run.ToolResult{Text: "Error: " + fmt.Sprintf(format, args...), Failed: true, Note: memory.EchoNote}
}

// failed is the result of a failed call. It shows only the public text of a fault,
// because a model's output may go anywhere.
func failed(err error) run.ToolResult {
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind != fault.Internal {
		return refuse("%s", f.Msg)
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return refuse("it took too long")
	}
	return refuse("it went wrong inside the server")
}

// mayChange is why a tool may not change anything; "" if it may.
func mayChange(g *run.Grant, trust bool) string {
	switch {
	case g.ReadOnly != "":
		return g.ReadOnly
	case g.Outside && !trust:
		return "text of other programs is in sight, and it could be what asks for this; the user can do it by hand (hermes memory), or ask for it in a turn without such text"
	}
	return ""
}

// arguments decodes the arguments of a call. Unknown names are refused: a model that
// makes up a name expects it to have an effect.
func arguments(raw json.RawMessage, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fault.Wrap(fault.Invalid, "", "The arguments do not fit the tool's schema.", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fault.New(fault.Invalid, "", "There is more than one value in the arguments.")
	}
	return nil
}
