package tool

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/hermes-memory/hermes/internal/cite"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/secret"
)

// Memory is the tool with which a model saves, corrects and erases single facts in the
// memory of its turn's scope. A saved statement is the result of the call, word for
// word: it counts as text of a tool, never as the user's words.
type Memory struct {
	// Trust allows changes while the prompt has text of other programs.
	Trust bool
}

// MemoryName is the tool's name.
const MemoryName = "memory"

const (
	// memorySave is the action that adds a fact.
	memorySave = "save"

	memoryDescription = "The long-term memory of this conversation. What the user says is remembered without it; use it when the user asks to " +
		"remember, correct or forget something, or for a conclusion worth keeping."
	memoryProperties = `"statement":{"type":"string","description":"One full sentence that can be understood by itself."},` +
		`"kind":{"type":"string","enum":["fact","decision","preference","instruction","identity","event","cause","number"]},` +
		`"fact_id":{"type":"string"},` +
		`"query":{"type":"string"}`

	// maxStatement bounds a saved statement, in bytes.
	maxStatement = 2000
	// maxFound bounds the facts that a search returns.
	maxFound = 12
)

// Has implements Source.
func (Memory) Has(name string) bool { return name == MemoryName }

// Offer implements Source.
func (m Memory) Offer(_ context.Context, g *run.Grant) []run.ToolDefinition {
	if !g.Owner.Can(owner.Memory) {
		return nil
	}
	actions := allowed(g, MemoryName, m.actions())
	return []run.ToolDefinition{{
		Name: MemoryName, Description: describe(memoryDescription, actions), Parameters: schemaOf(actions, memoryProperties),
	}}
}

// actions implements actor.
func (Memory) actions() []action {
	return []action{
		{memorySave, "save (statement)"},
		{"find", "find (query; shows facts with their ids)"},
		{"edit", "edit (fact_id, statement)"},
		{"forget", "forget (fact_id; erases it for good, only when the user asks)"},
	}
}

// memoryCall holds the arguments of a call.
type memoryCall struct {
	Action    string        `json:"action"`
	Statement string        `json:"statement"`
	Kind      memory.Kind   `json:"kind"`
	FactID    memory.FactID `json:"fact_id"`
	Query     string        `json:"query"`
}

// Call implements Source.
func (m Memory) Call(ctx context.Context, g *run.Grant, c run.ToolRequest) run.ToolResult {
	if !g.Owner.Can(owner.Memory) {
		return refuse("this key may not use memory")
	}
	var in memoryCall
	if err := arguments(c.Arguments, &in); err != nil {
		return failed(err)
	}
	if !g.AllowsAction(MemoryName, in.Action) {
		return noAction(allowed(g, MemoryName, m.actions()))
	}
	if in.Action == "find" {
		return find(g, in.Query)
	}
	if why := mayChange(g, m.Trust); why != "" {
		return refuse("memory was not changed: %s", why)
	}
	switch in.Action {
	case memorySave:
		return keep(&in, "")
	case "edit":
		if _, err := g.Memory.Fact(in.FactID); err != nil {
			return failed(err)
		}
		return keep(&in, in.FactID)
	case "forget":
		if err := g.Memory.Forget(ctx, in.FactID); err != nil {
			return failed(err)
		}
		return run.ToolResult{Text: fmt.Sprintf("Erased %s and its words.", in.FactID), Note: memory.EchoNote}
	}
	return noAction(m.actions())
}

// keep saves the statement as a note. The result is the statement itself, which becomes
// the fact's quote.
func keep(in *memoryCall, replaces memory.FactID) run.ToolResult {
	text := strings.TrimSpace(in.Statement)
	switch {
	case text == "" || len(text) > maxStatement:
		return refuse("a statement has 1–%d bytes", maxStatement)
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }):
		return refuse("the statement holds control characters")
	case secret.Mask(text) != text:
		return refuse("the statement holds what looks like a password or a key; those are not kept")
	case in.Kind != "" && !in.Kind.Asserted():
		return refuse("kind is one of fact, decision, preference, instruction, identity, event, cause, number")
	}
	return run.ToolResult{Text: text, Note: memory.FormatNote(in.Kind, replaces)}
}

// find shows facts with their ids.
func find(g *run.Grant, query string) run.ToolResult {
	if strings.TrimSpace(query) == "" {
		return refuse("say in query what to look for")
	}
	var out strings.Builder
	note := memory.EchoNote
	for _, f := range g.Memory.Match(query, maxFound) {
		if f.Current() {
			fmt.Fprintf(&out, "%s (%s, %s, %s): %s\n", f.ID, f.Kind, cite.Speaker(nil, string(f.Source.Role), f.Source.Speaker),
				f.SaidAt.UTC().Format(time.DateOnly), cite.Quoted(secret.Mask(f.Quote)))
			if g.Memory.Outside(f.ID) {
				note = memory.FoundNote
			}
		}
	}
	if out.Len() == 0 {
		out.WriteString("Nothing is remembered on that.")
	}
	return run.ToolResult{Text: out.String(), Note: note}
}
