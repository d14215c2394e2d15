package run

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/session"
)

// toolbox is the state of this server's tools in a turn.
type toolbox struct {
	tools   Tools
	limits  ToolLimits
	grant   Grant
	offered map[string]ToolDefinition
	closed  bool   // every call is for this server, also those of tools that were not offered
	wire    []byte // the "tools" of the request, including the client's
	advice  string // for the system prompt; "" for none
	size    int    // of the definitions and the advice, in tokens

	rounds []session.Message // calls and results, after the prompt's messages
	tokens int               // of rounds
	count  int               // number of rounds
	used   []lineage.ToolUse
	cost   Usage // of the model calls before the last one
	// guessed says that a part of cost was estimated.
	guessed bool
	outside bool   // the model has seen text of other programs
	mixed   *mixed // set when the final answer calls tools of both sides

	ctx  context.Context // for calls of models: it outlasts the time for tools
	time *allowance
}

// mixed is a final answer that calls tools of this server and of the client.
type mixed struct {
	calls   []openai.Call // of both sides
	results []session.Message
}

// toolShare bounds the definitions of this server's tools: they may take a third of the
// context that the turn's own text leaves.
const toolShare = 3

// offerTools decides which tools of this server are offered to the model.
func (t *laidOut) offerTools(ctx context.Context) error {
	r := t.runner
	if r.tools == nil || r.models.Upstream == nil || t.req.Stateless {
		return nil
	}
	rules := openai.ReadToolRules(t.req.Body)
	if !rules.Free || rules.Several {
		return nil // the client controls the tool calls of this answer
	}
	tip := &t.lineage.Tip
	box := &toolbox{
		tools: r.tools, limits: r.config.Tools.withDefaults(), offered: make(map[string]ToolDefinition),
		grant: Grant{
			Owner: t.req.Owner, Session: tip.ID, Root: tip.RootID, Key: t.req.Key, Asked: t.now, AsOf: t.req.AsOf,
			ReadOnly: t.readOnly(), Only: t.req.Only, Memory: turnMemory{t.opened},
		},
		closed: t.choseTools(&rules),
	}
	var functions []openai.Function
	var advice []string
	room := (t.limit - t.system - t.asked) / toolShare
	for _, d := range box.allowed(ctx) {
		if slices.Contains(rules.Names, d.Name) || box.offered[d.Name].Name != "" {
			continue // the client's tool of this name takes precedence
		}
		size := t.count(d.Name) + t.count(d.Description) + t.count(string(d.Parameters)) + t.count(d.Advice) + toolFrame
		if size > room {
			r.log.Debug("a tool does not fit into the context", "tool", d.Name, "tokens", size)
			continue
		}
		room -= size
		box.offered[d.Name] = d
		functions = append(functions, openai.Function{Name: d.Name, Description: d.Description, Parameters: d.Parameters})
		if d.Advice != "" {
			advice = append(advice, d.Advice)
		}
	}
	if len(functions) == 0 {
		return nil
	}
	wire, err := openai.JoinTools([]byte(t.req.Tools), functions)
	if err != nil {
		return fmt.Errorf("encode tools: %w", err)
	}
	box.wire, box.advice = wire, strings.Join(advice, "\n")
	t.box = box
	box.size = t.count(string(wire)) - t.count(t.req.Tools) + t.adviceTokens()
	t.system += box.size
	return nil
}

// choseTools reports whether the tools chosen for the turn are all that the model has: the
// client has none.
func (t *opened) choseTools(rules *openai.ToolRules) bool {
	return t.req.Only != nil && len(rules.Names) == 0
}

// allowed are the tools of this server that the turn may use.
func (b *toolbox) allowed(ctx context.Context) []ToolDefinition {
	return slices.DeleteFunc(b.tools.Offer(ctx, &b.grant), func(d ToolDefinition) bool { return !b.grant.Allows(d.Name) })
}

// toolFrame is the cost of the JSON around a definition, in tokens.
const toolFrame = 24

// readOnly is why the turn's tools may change nothing; "" if they may.
func (t *opened) readOnly() string {
	switch {
	case !t.req.AsOf.IsZero():
		return "this turn looks at the past, and the past cannot be changed"
	case t.req.OffRecord:
		return "this turn is off the record"
	}
	return ""
}

// outside reports whether text of other programs was shown to the model in this turn.
// Text that has left the prompt to make room counts too, because the model has read it.
func (t *turn) outside() bool {
	foreign := func(ms []session.Message) bool {
		return slices.ContainsFunc(ms, func(m session.Message) bool { return m.Outside() })
	}
	b := t.box
	sent := t.prompt.outside || foreign(t.prompt.messages) || foreign(b.rounds)
	b.outside = b.outside || sent || t.view.Outside(t.prompt.facts)
	return b.outside
}

// toolText is the text of the tools that are sent, for counting.
func (t *laidOut) toolText() string {
	if t.box != nil {
		return string(t.box.wire)
	}
	return t.req.Tools
}

// adviceTokens is the cost of the advice on tools.
func (t *laidOut) adviceTokens() int {
	if t.box == nil || t.box.advice == "" {
		return 0
	}
	return t.count(t.box.advice) + compression.MessageOverhead
}

// turnMemory is the memory of a running turn's scope.
type turnMemory struct{ t *opened }

// Match implements ToolMemory.
func (m turnMemory) Match(question string, limit int) []memory.Fact {
	return m.t.view.Match(question, m.t.now, limit)
}

// Outside implements ToolMemory.
func (m turnMemory) Outside(id memory.FactID) bool { return m.t.view.Outside([]memory.FactID{id}) }

// Fact implements ToolMemory.
func (m turnMemory) Fact(id memory.FactID) (memory.Fact, error) { return curate.FactIn(m.t.view, id) }

// Forget implements ToolMemory.
func (m turnMemory) Forget(ctx context.Context, id memory.FactID) error {
	t := m.t
	fact, err := m.Fact(id)
	if err != nil {
		return err
	}
	if _, err := t.runner.curator.EraseFact(ctx, t.req.Owner, &fact, t.lineage); err != nil {
		return err
	}
	return t.renew(ctx) // the view in use still has the fact, and is no longer cached
}
