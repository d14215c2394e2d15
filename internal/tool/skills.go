package tool

import (
	"context"
	"fmt"
	"strings"

	"github.com/hermes-memory/hermes/internal/cite"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/secret"
)

// Skills is the tool with which a model reads and writes instructions: folders with a
// SKILL.md, as agentskills.io specifies.
type Skills struct {
	// Home is the directory that contains "skills".
	Home string
	// Trust allows saving while the prompt has text of other programs.
	Trust bool
}

// SkillsName is the tool's name.
const SkillsName = "skills"

const (
	skillsDescription = "Written instructions for tasks that come up again."
	skillsProperties  = `"name":{"type":"string","description":"small letters, digits, hyphens; at most 64"},` +
		`"file":{"type":"string","description":"a file of the skill, instead of its SKILL.md"},` +
		`"description":{"type":"string","description":"what it does and when to use it; at most 1024 characters"},` +
		`"instructions":{"type":"string","description":"Markdown"}`
)

// Has implements Source.
func (Skills) Has(name string) bool { return name == SkillsName }

// Offer implements Source.
func (s Skills) Offer(_ context.Context, g *run.Grant) []run.ToolDefinition {
	if !g.Owner.Can(owner.Memory) {
		return nil
	}
	actions := allowed(g, SkillsName, s.actions())
	return []run.ToolDefinition{{
		Name: SkillsName, Description: describe(skillsDescription, actions), Parameters: schemaOf(actions, skillsProperties),
	}}
}

// actions implements actor.
func (Skills) actions() []action {
	return []action{
		{"list", "list (names and when to use them)"},
		{"view", "view (name, optionally file: read it before doing such a task)"},
		{"save", "save (name, description, instructions: write down a way of doing something that worked, or a better version of it)"},
	}
}

// skillsCall holds the arguments of a call.
type skillsCall struct {
	Action       string `json:"action"`
	Name         string `json:"name"`
	File         string `json:"file"`
	Description  string `json:"description"`
	Instructions string `json:"instructions"`
}

// Call implements Source.
func (s Skills) Call(_ context.Context, g *run.Grant, c run.ToolRequest) run.ToolResult {
	if !g.Owner.Can(owner.Memory) {
		return refuse("this key may not use skills")
	}
	var in skillsCall
	if err := arguments(c.Arguments, &in); err != nil {
		return failed(err)
	}
	if !g.AllowsAction(SkillsName, in.Action) {
		return noAction(allowed(g, SkillsName, s.actions()))
	}
	switch in.Action {
	case "list":
		return s.list(g)
	case "view":
		return s.view(g, &in)
	case "save":
		return s.save(g, &in)
	}
	return noAction(s.actions())
}

func (s Skills) list(g *run.Grant) run.ToolResult {
	var out strings.Builder
	seen := make(map[string]bool)
	for _, shelf := range shelves(s.Home, g) {
		skills, err := shelf.list()
		if err != nil {
			return failed(err)
		}
		for _, skill := range skills {
			if !seen[skill.Name] {
				seen[skill.Name] = true
				fmt.Fprintf(&out, "- %s: %s\n", skill.Name, cite.Line(skill.Description))
			}
		}
	}
	if out.Len() == 0 {
		out.WriteString("There are no skills yet.")
	}
	return run.ToolResult{Text: out.String(), Note: memory.EchoNote}
}

func (s Skills) view(g *run.Grant, in *skillsCall) run.ToolResult {
	for _, shelf := range shelves(s.Home, g) {
		text, err := shelf.view(in.Name, in.File)
		if err == nil {
			return run.ToolResult{Text: string(text), Note: memory.EchoNote}
		}
		if fault.KindOf(err) != fault.NotFound {
			return failed(err)
		}
	}
	return failed(noSkill())
}

func (s Skills) save(g *run.Grant, in *skillsCall) run.ToolResult {
	if why := mayChange(g, s.Trust); why != "" {
		return refuse("the skill was not saved: %s", why)
	}
	if text := in.Description + "\n" + in.Instructions; secret.Mask(text) != text {
		return refuse("the skill holds what looks like a password or a key; those are not kept")
	}
	skill := Skill{Name: in.Name, Description: strings.TrimSpace(in.Description), Body: in.Instructions}
	if err := shelves(s.Home, g)[0].save(&skill); err != nil {
		return failed(err)
	}
	return run.ToolResult{Text: fmt.Sprintf("Saved the skill %s.", in.Name), Note: memory.EchoNote}
}
