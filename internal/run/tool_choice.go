package run

import (
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/fault"
)

// ToolChoice is a tool that a turn may use. A turn with a choice ([Request.Only]) is
// offered the chosen tools and no others. Its calls of other tools are refused.
type ToolChoice struct {
	Name string `json:"name"`
	// Actions are the values that the argument "action" may have; nil means all.
	Actions []string `json:"actions,omitzero"`
}

// Allows reports whether the turn may use a tool.
func (g *Grant) Allows(tool string) bool {
	return g.Only == nil || slices.ContainsFunc(g.Only, func(c ToolChoice) bool { return c.Name == tool })
}

// AllowsAction reports whether the turn may use a tool for an action.
func (g *Grant) AllowsAction(tool, action string) bool {
	if g.Only == nil {
		return true
	}
	return slices.ContainsFunc(g.Only, func(c ToolChoice) bool {
		return c.Name == tool && (c.Actions == nil || slices.Contains(c.Actions, action))
	})
}

// checkChoice refuses a choice of tools that the turn could not keep.
func (r *Runner) checkChoice(req *Request) error {
	if len(req.Only) == 0 {
		return nil
	}
	if r.tools == nil {
		return badChoice("This server has no tools.")
	}
	seen := make(map[string]bool, len(req.Only))
	for _, c := range req.Only {
		if seen[c.Name] {
			return badChoice(fmt.Sprintf("The tool %q is chosen twice.", c.Name))
		}
		seen[c.Name] = true
	}
	return r.tools.Check(req.Only)
}

// badChoice is the fault of a choice of tools.
func badChoice(problem string) error {
	return fault.New(fault.Invalid, "invalid_tool_choice", problem+" Choose other tools for the turn.")
}
