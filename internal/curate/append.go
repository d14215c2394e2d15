package curate

import (
	"context"
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/title"
)

// Addition are messages that are added to a transcript without a model: an import or a
// note.
type Addition struct {
	Owner owner.Owner
	// Session is any id of the lineage; "" opens a new lineage.
	Session session.ID
	Key     session.Key
	Source  session.Source
	UserID  string
	// Messages keep their times.
	Messages []session.Message
	// Restore lets an import restore forgotten content.
	Restore bool
	// Check refuses the messages by its error, given what memory knows before them; nil refuses
	// none.
	Check func(*memory.View) error
}

// Append adds messages to a transcript. Each is distilled like a message of a turn. It
// returns the session and the stored messages.
func (c *Curator) Append(ctx context.Context, a *Addition) (session.Session, []session.Message, error) {
	reach := lineage.Bare
	called := slices.ContainsFunc(a.Messages, func(m session.Message) bool { return m.Role == session.Tool })
	if called || title.Answered(a.Messages) { // earlier messages are needed for tool names and titles
		reach = lineage.Whole
	}
	open, err := c.lineages.Open(ctx, &lineage.Opening{
		Owner: a.Owner, Session: a.Session, Key: a.Key, Source: a.Source, UserID: a.UserID, Reach: reach,
	})
	if err != nil {
		return session.Session{}, nil, err
	}
	defer open.Close()
	open.Check = a.Check
	if err := c.leaveOut(ctx, a); err != nil {
		return session.Session{}, nil, err
	}
	count, _ := compression.CounterFor(c.budgets.Model)
	lineage.Stamp(a.Messages, open.Key, open.At, count)
	if called {
		names := make(map[string]string)
		lineage.NameTools(names, slices.Clone(open.Recent))
		lineage.NameTools(names, a.Messages)
	}
	step, err := open.Step(ctx, a.Messages)
	defer step.Done()
	if err != nil {
		open.Distrust()
		return session.Session{}, nil, err
	}
	step.Opened = open.Fresh
	if err := c.store.AppendTurn(context.WithoutCancel(ctx), a.Owner, step); err != nil {
		open.Distrust()
		return session.Session{}, nil, fmt.Errorf("store messages: %w", err)
	}
	open.Remember(step.Messages)
	open.Exists = true
	if c.wake != nil {
		c.wake(a.Owner, open.Tip.RootID)
	}
	return open.Tip, step.Messages, nil
}

// leaveOut removes forgotten content from an import, unless Restore is set.
func (c *Curator) leaveOut(ctx context.Context, a *Addition) error {
	if a.Restore {
		return nil
	}
	erasures, err := c.quotes.Erasures(ctx, a.Owner)
	if err != nil {
		return fmt.Errorf("read erasures: %w", err)
	}
	for i := range a.Messages {
		leaveOutOf(a.Owner, &a.Messages[i], erasures)
	}
	return nil
}

// WithoutForgotten are messages that were said before, without forgotten content. changed
// reports whether they had any; the messages that were given stay as they are.
func (c *Curator) WithoutForgotten(
	ctx context.Context, o owner.Owner, said []session.Message,
) (out []session.Message, changed bool, err error) {
	erasures, err := c.quotes.Erasures(ctx, o)
	if err != nil {
		return nil, false, fmt.Errorf("read erasures: %w", err)
	}
	out = slices.Clone(said)
	for i := range out {
		changed = leaveOutOf(o, &out[i], erasures) || changed
	}
	return out, changed, nil
}

// leaveOutOf removes forgotten content from a message, and reports whether it had any.
func leaveOutOf(o owner.Owner, m *session.Message, erasures []memory.Erasure) bool {
	names := func(text string) bool {
		_, n := memory.RedactErased(o, text, erasures)
		return n > 0
	}
	text, n := memory.RedactErased(o, m.Content, erasures)
	found := n > 0
	speaker := m.Name
	if memory.ByProgram(m) {
		speaker = ""
	}
	for _, other := range []string{speaker, string(m.Wire), string(m.ToolCalls), string(m.Receipt), m.ToolCallID, m.ToolName} {
		found = found || names(other)
	}
	if !found {
		return false
	}
	if names(string(m.ToolCalls)) {
		m.ToolCalls = callsWithout(m.ToolCalls, names)
	}
	for _, id := range []*string{&m.ToolCallID, &m.ToolName} {
		if names(*id) {
			*id = ""
		}
	}
	if speaker != "" { // a message that names a forgotten thing keeps no name but a program's
		m.Name = ""
	}
	m.Content, m.Wire, m.Receipt, m.ReceiptID = text, nil, nil, ""
	return true
}

// callsWithout are calls without the arguments that name a forgotten thing. A call stays
// for its result, unless its own id or name has the thing.
func callsWithout(raw []byte, names func(string) bool) []byte {
	calls := openai.UnmarshalCalls(raw)
	calls = slices.DeleteFunc(calls, func(c openai.Call) bool { return names(c.ID) || names(c.Function.Name) })
	for i := range calls {
		if names(calls[i].Function.Arguments) {
			calls[i].Function.Arguments = "{}"
		}
	}
	if len(calls) == 0 {
		return nil
	}
	return openai.MarshalCalls(calls)
}
