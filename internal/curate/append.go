package curate

import (
	"context"
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/title"
)

// Addition is messages that are added to a transcript without a model: an import,
// a note, or what was said elsewhere.
type Addition struct {
	Owner owner.Owner
	// Session is any id of the lineage; "" adds to a new one.
	Session session.ID
	Key     session.Key
	Source  session.Source
	UserID  string
	// Messages keep their own times.
	Messages []session.Message
	// Restore lets an import bring back what was forgotten.
	Restore bool
}

// Append adds messages to a transcript. Each is distilled like any message of a
// turn. It returns the session and the messages as stored.
func (c *Curator) Append(ctx context.Context, a *Addition) (session.Session, []session.Message, error) {
	reach := lineage.Bare
	called := slices.ContainsFunc(a.Messages, func(m session.Message) bool { return m.Role == session.Tool })
	if called || title.Answered(a.Messages) { // what was said before names a tool, or makes a title
		reach = lineage.Whole
	}
	open, err := c.lineages.Open(ctx, &lineage.Opening{
		Owner: a.Owner, Session: a.Session, Key: a.Key, Source: a.Source, UserID: a.UserID, Reach: reach,
	})
	if err != nil {
		return session.Session{}, nil, err
	}
	defer open.Close()
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

// leaveOut keeps an import from bringing back what its owner has had forgotten,
// unless that was asked for.
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

// leaveOutOf takes what was forgotten out of a message.
func leaveOutOf(o owner.Owner, m *session.Message, erasures []memory.Erasure) {
	text, n := memory.RedactErased(o, m.Content, erasures)
	for _, other := range []string{m.Name, string(m.Wire), string(m.ToolCalls), string(m.Receipt), m.ToolCallID, m.ToolName} {
		_, k := memory.RedactErased(o, other, erasures)
		n += k
	}
	if n > 0 {
		m.Content, m.Name, m.Wire, m.ToolCalls, m.Receipt, m.ReceiptID = text, "", nil, nil, nil, ""
	}
}
