package curate

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Reset ends a session and opens a new one with the same key, source, model and prompt,
// between two turns. The new session is a new lineage with a new id and an empty
// transcript. Without a key its memory is empty too. It gets its title from its own
// first exchange. The ids of the old lineage still lead to the old one.
func (c *Curator) Reset(ctx context.Context, o owner.Owner, id session.ID) (session.Session, error) {
	return c.ResetTo(ctx, o, id, "", session.EndReset)
}

// ResetTo is [Curator.Reset] with a reason, and with the id of the new session; "" makes
// one. If the new session exists, ResetTo returns it and changes nothing, so that an
// interrupted reset can be repeated.
func (c *Curator) ResetTo(ctx context.Context, o owner.Owner, id, to session.ID, why session.EndReason) (session.Session, error) {
	l, old, err := c.takeTip(ctx, o, id, lineage.Bare)
	if err != nil {
		return session.Session{}, err
	}
	defer l.Release()
	now := c.now()
	if to == "" {
		to = session.NewID(now)
	} else if done, err := c.sessions.Tip(ctx, o, to); fault.KindOf(err) != fault.NotFound {
		return done, err
	}
	next := session.Session{
		ID: to, ParentID: old.ID, Key: old.Key, Source: old.Source, UserID: old.UserID, Model: old.Model,
		SystemPrompt: old.SystemPrompt, StartedAt: now, LastActive: now,
	}
	next.RootID = next.ID
	if !old.Ended() {
		old.EndedAt, old.EndReason = now, why
	}
	l.Stale() // the next turn reads it from the store
	if err := c.store.AppendTurn(ctx, o, lineage.Step{Ended: &old, Opened: true, Session: next}); err != nil {
		return session.Session{}, fmt.Errorf("reset session: %w", err)
	}
	return next, nil
}

// Shorten folds messages that are in no session, at least their older half, as far as the
// budget of a model requires. summary quotes the beginnings of what the user said in the
// folded messages, one a line, after the lines of an earlier summary. The messages from
// index from on are kept; 0 if folding would not shrink them by a fifth.
func (c *Curator) Shorten(model, before string, ms []session.Message) (summary string, from int) {
	name := c.budgets.ModelName(model)
	count, _ := compression.CounterFor(name)
	lineage.Stamp(ms, "", c.now(), count)
	for i := range ms {
		ms[i].Seq = int64(i)
	}
	budget := c.budgets.Of(name)
	folded, ok := compression.FoldNow(ms, before, compression.LimitsFor(budget, 0, compression.MemoryRoom(budget)), count)
	if !ok {
		return before, 0
	}
	return folded.Summary, int(folded.TailFrom)
}

// Folded is the outcome of compressing a session on request.
type Folded struct {
	Session    session.Session
	Compressed bool
	// Reason says why nothing was folded.
	Reason string
}

// Compress folds the older half of a session's tail, and more if the budget requires
// it. It folds nothing unless the tail shrinks by at least a fifth.
func (c *Curator) Compress(ctx context.Context, o owner.Owner, id session.ID) (Folded, error) {
	l, _, err := c.takeTip(ctx, o, id, lineage.Whole)
	if err != nil {
		return Folded{}, err
	}
	defer l.Release()
	if l.Tip.MessageCount == 0 { // the session would end without a message
		return Folded{Session: l.Tip, Reason: "Nothing has been said in this session yet, so there is nothing more to fold."}, nil
	}
	name := c.budgets.ModelName(l.Tip.Model)
	count, _ := compression.CounterFor(name)
	budget := c.budgets.Of(name)
	limits := compression.LimitsFor(budget, count(l.Tip.SystemPrompt), compression.MemoryRoom(budget))
	folded, ok := compression.FoldNow(l.Tail(), l.Tip.Summary, limits, count)
	if !ok {
		return Folded{Session: l.Tip, Reason: "There is nothing to fold that would make the tail smaller by a fifth."}, nil
	}
	ended := l.Fold(&folded, c.now())
	l.Stale()
	if err := c.store.AppendTurn(ctx, o, lineage.Step{Ended: ended, Opened: true, Session: l.Tip}); err != nil {
		return Folded{}, fmt.Errorf("compress session: %w", err)
	}
	tip, err := c.sessions.Tip(ctx, o, id)
	return Folded{Session: tip, Compressed: true}, err
}
