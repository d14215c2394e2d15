package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/run"
)

// OnChoice is a source that is not enabled: only turns that choose its tools are offered
// them.
type OnChoice struct{ Source }

// Offer implements Source.
func (c OnChoice) Offer(ctx context.Context, g *run.Grant) []run.ToolDefinition {
	if g.Only == nil {
		return nil
	}
	return c.Source.Offer(ctx, g)
}

// Call implements Source.
func (c OnChoice) Call(ctx context.Context, g *run.Grant, r run.ToolRequest) run.ToolResult {
	if g.Only == nil {
		return refuse("there is no tool %q", r.Name)
	}
	return c.Source.Call(ctx, g, r)
}

// Saving are the tools of a turn in which a model only saves: it adds facts to memory, and
// changes and erases none. It may also write skills.
func Saving() []run.ToolChoice {
	return []run.ToolChoice{{Name: MemoryName, Actions: []string{memorySave}}, {Name: SkillsName}}
}

// actions implements actor.
func (c OnChoice) actions() []action {
	if a, ok := c.Source.(actor); ok {
		return a.actions()
	}
	return nil
}

// action is a value of a tool's argument "action".
type action struct {
	name  string
	about string // the line of the tool's description
}

// actor is a source of one tool that has actions. Its Call checks that the grant allows
// the action.
type actor interface{ actions() []action }

// Check implements run.Tools. A tool of an MCP server need not be available.
func (s Set) Check(choice []run.ToolChoice) error {
	for _, c := range choice {
		source := s.source(c.Name)
		if source == nil {
			return fault.New(fault.Invalid, "invalid_tool_choice", fmt.Sprintf("This server has no tool %q. Choose another one for the turn.", c.Name))
		}
		if c.Actions == nil {
			continue
		}
		var has []action
		if a, ok := source.(actor); ok {
			has = a.actions()
		}
		for _, name := range c.Actions {
			if !slices.ContainsFunc(has, func(a action) bool { return a.name == name }) {
				return fault.New(fault.Invalid, "invalid_tool_choice",
					fmt.Sprintf("The tool %q has no action %q. Choose another one for the turn.", c.Name, name))
			}
		}
	}
	return nil
}

// allowed are the actions of a tool that a turn may use.
func allowed(g *run.Grant, tool string, all []action) []action {
	return slices.DeleteFunc(all, func(a action) bool { return !g.AllowsAction(tool, a.name) })
}

// describe is a description with the lines of some actions.
func describe(head string, actions []action) string {
	lines := make([]string, len(actions))
	for i, a := range actions {
		lines[i] = a.about
	}
	return head + " Actions: " + strings.Join(lines, ", ") + "."
}

// schemaOf is the schema of a tool: an object with some actions and further properties.
func schemaOf(actions []action, properties string) json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"action":{"type":"string","enum":["` + strings.Join(namesOf(actions), `","`) + `"]},` +
		properties + `},"required":["action"],"additionalProperties":false}`)
}

// namesOf are the names of actions. They are plain words.
func namesOf(actions []action) []string {
	names := make([]string, len(actions))
	for i, a := range actions {
		names[i] = a.name
	}
	return names
}

// noAction is the result of a call for an action that the tool does not have in this turn.
func noAction(actions []action) run.ToolResult {
	return refuse("action is one of %s", strings.Join(namesOf(actions), ", "))
}
