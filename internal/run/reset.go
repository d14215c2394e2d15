package run

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Reset ends a session and opens a new one in its place, between two turns: of
// the same key, source, model and prompt, under a new id and with an empty
// transcript. It is a lineage of its own, so without a key its memory is empty,
// too, and it is named after its own first exchange. The ids of the old lineage
// go on leading to the old one.
func (r *Runner) Reset(ctx context.Context, o owner.Owner, id session.ID) (session.Session, error) {
	l, release, err := r.lineages.hold(ctx, o, id)
	if err != nil {
		return session.Session{}, err
	}
	defer release()
	old, err := r.sessions.Tip(ctx, o, id)
	if err != nil {
		return session.Session{}, fmt.Errorf("find session: %w", err)
	}
	now := r.config.now()
	next := session.Session{
		ID: session.NewID(now), ParentID: old.ID, Key: old.Key, Source: old.Source, UserID: old.UserID, Model: old.Model,
		SystemPrompt: old.SystemPrompt, StartedAt: now, LastActive: now,
	}
	next.RootID = next.ID
	if !old.Ended() {
		old.EndedAt, old.EndReason = now, session.EndReset
	}
	l.loaded = false // read it back with the next turn
	if err := r.store.AppendTurn(ctx, o, Step{Ended: &old, Opened: true, Session: next}); err != nil {
		return session.Session{}, fmt.Errorf("reset session: %w", err)
	}
	return next, nil
}

// Folded is what compressing a session by hand came to.
type Folded struct {
	Session    session.Session
	Compressed bool
	// Reason says why it was not.
	Reason string
}

// Compress folds the older half of a session's tail now, and more where the
// budget asks for it, if that makes the tail smaller by a fifth at least.
func (r *Runner) Compress(ctx context.Context, o owner.Owner, id session.ID) (Folded, error) {
	l, release, err := r.lineages.take(ctx, o, id)
	if err != nil {
		return Folded{}, err
	}
	defer release()
	if !l.exists {
		_, err := r.sessions.Tip(ctx, o, id)
		return Folded{}, err
	}
	name := r.modelName(l.tip.Model)
	budget, err := r.config.budget(&Request{}, name)
	if err != nil {
		return Folded{}, err
	}
	count, _ := compression.CounterFor(name)
	memoryRoom := min(budget/stateShare, maxState) + min(budget/quotesShare, maxQuotes)
	limits := compression.LimitsFor(budget, count(l.tip.SystemPrompt), memoryRoom)
	folded, ok := compression.FoldNow(l.tail(), l.tip.Summary, limits, count)
	if !ok {
		return Folded{Session: l.tip, Reason: "There is nothing to fold that would make the tail smaller by a fifth."}, nil
	}
	ended := l.fold(&folded, r.config.now())
	l.loaded = false
	if err := r.store.AppendTurn(ctx, o, Step{Ended: ended, Opened: true, Session: l.tip}); err != nil {
		return Folded{}, fmt.Errorf("compress session: %w", err)
	}
	tip, err := r.sessions.Tip(ctx, o, id)
	return Folded{Session: tip, Compressed: true}, err
}
