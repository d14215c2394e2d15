package run

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/session"
)

// toolbox is what a turn's tools are and have done.
type toolbox struct {
	tools   Tools
	limits  ToolLimits
	grant   Grant
	offered map[string]ToolDefinition
	wire    []byte // the "tools" of the request, the client's among them
	advice  string // for the system prompt; "" for none
	size    int    // of our definitions and the advice, in tokens

	rounds []session.Message // calls and results, behind the prompt's messages
	tokens int               // what they take
	count  int               // how many rounds there were
	used   []ToolUse
	cost   Usage // of the model calls before the last one
	// guessed says that not all of cost was reported.
	guessed bool
	mixed   *mixed // set when the final answer calls tools of both sides

	ctx  context.Context // of the calls of models: it outlasts the time of tools
	time *allowance
}

// mixed is a final answer that calls tools of this server and of the client.
type mixed struct {
	calls   []openai.Call // all of them
	results []session.Message
}

// toolShare is how much of what the turn's own words leave of the context may
// be taken by the definitions of our tools: a third.
const toolShare = 3

// offerTools decides which tools of this server the turn is offered.
func (t *turn) offerTools(ctx context.Context) error {
	r := t.runner
	if r.tools == nil || r.models.Upstream == nil || t.req.Stateless {
		return nil
	}
	rules := openai.ReadToolRules(t.req.Body)
	if !rules.Free || rules.Several {
		return nil // the client has its own plan for this answer
	}
	tip := &t.lineage.tip
	box := &toolbox{
		tools: r.tools, limits: r.config.Tools.withDefaults(), offered: make(map[string]ToolDefinition),
		grant: Grant{
			Owner: t.req.Owner, Session: tip.ID, Root: tip.RootID, Key: t.req.Key, Asked: t.now, AsOf: t.req.AsOf,
			ReadOnly: t.readOnly(), Memory: turnMemory{t},
		},
	}
	var functions []openai.Function
	var advice []string
	system, input := t.pinned()
	room := (t.budget - system - input) / toolShare
	for _, d := range r.tools.Offer(ctx, &box.grant) {
		if slices.Contains(rules.Names, d.Name) || box.offered[d.Name].Name != "" {
			continue // the client's own tool of this name is the one it means
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
	return nil
}

// toolFrame is what the JSON around a definition takes, in tokens.
const toolFrame = 24

// readOnly says why the turn's tools may change nothing; "" when they may.
func (t *turn) readOnly() string {
	switch {
	case !t.req.AsOf.IsZero():
		return "this turn looks at the past, and the past cannot be changed"
	case t.req.OffRecord:
		return "this turn is off the record"
	}
	return ""
}

// outside reports whether text of other programs is before the model.
func (t *turn) outside() bool {
	foreign := func(ms []session.Message) bool {
		return slices.ContainsFunc(ms, func(m session.Message) bool { return m.Role == session.Tool && m.Note == "" })
	}
	return t.prompt.outside || foreign(t.prompt.messages) || foreign(t.box.rounds)
}

// toolText is the text of the tools that are sent, for counting.
func (t *turn) toolText() string {
	if t.box != nil {
		return string(t.box.wire)
	}
	return t.req.Tools
}

// adviceTokens is what the advice on tools takes.
func (t *turn) adviceTokens() int {
	if t.box == nil || t.box.advice == "" {
		return 0
	}
	return t.count(t.box.advice) + compression.MessageOverhead
}

// turnMemory is the memory of a running turn's scope.
type turnMemory struct{ t *turn }

// Match implements ToolMemory.
func (m turnMemory) Match(question string, limit int) []memory.Fact {
	return m.t.view.Match(question, m.t.now, limit)
}

// Fact implements ToolMemory.
func (m turnMemory) Fact(id memory.FactID) (memory.Fact, error) { return factIn(m.t.view, id) }

// Forget implements ToolMemory.
func (m turnMemory) Forget(ctx context.Context, id memory.FactID) error {
	t := m.t
	fact, err := m.Fact(id)
	if err != nil {
		return err
	}
	scope := memory.Scope{Root: t.lineage.tip.RootID, Key: t.req.Key}
	if _, err := t.runner.eraseFact(ctx, t.req.Owner, &fact, t.lineage); err != nil {
		return err
	}
	// The view we hold still knows it, and is out of the cache.
	view, leave, err := t.runner.views.Use(ctx, t.req.Owner, scope, false)
	if err != nil {
		return fmt.Errorf("read memory again: %w", err)
	}
	t.leave()
	t.view, t.leave = view, leave
	return nil
}
