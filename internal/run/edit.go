package run

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Append adds messages to a transcript without calling a model: an import, or
// what was said elsewhere. Each keeps its own time and is distilled like any
// message of a turn. It returns the session and the messages as stored.
func (r *Runner) Append(ctx context.Context, req *Request) (session.Session, []session.Message, error) {
	take := r.lineages.hold
	if answered(req.Messages) { // they may make a title, of what was said before
		take = r.lineages.take
	}
	t, err := r.openWith(ctx, req, take)
	if err != nil {
		return session.Session{}, nil, err
	}
	defer t.end()
	if err := r.leaveOut(ctx, req); err != nil {
		return session.Session{}, nil, err
	}
	t.receive()
	t.input = input{fresh: req.Messages}
	if err := t.accept(ctx); err != nil {
		return session.Session{}, nil, err
	}
	if err := t.durable(ctx); err != nil {
		return session.Session{}, nil, err
	}
	t.told()
	return t.lineage.tip, t.kept, nil
}

// leaveOut keeps an import from bringing back what its owner has had forgotten,
// unless that was asked for.
func (r *Runner) leaveOut(ctx context.Context, req *Request) error {
	if req.Restore {
		return nil
	}
	erasures, err := r.quotes.Erasures(ctx, req.Owner)
	if err != nil {
		return fmt.Errorf("read erasures: %w", err)
	}
	for i := range req.Messages {
		m := &req.Messages[i]
		clean, n := memory.RedactErased(req.Owner, m.Content, erasures)
		if n > 0 {
			m.Content, m.Wire, m.ToolCalls = clean, nil, nil
		}
	}
	return nil
}

// Create opens a session without a turn. Conflict if the id is taken.
func (r *Runner) Create(ctx context.Context, o owner.Owner, s session.Session) error {
	l, release, err := r.lineages.hold(ctx, o, s.ID)
	if err != nil {
		return err
	}
	defer release()
	l.loaded = false // read it with the next turn
	return r.sessions.CreateSession(ctx, o, s)
}

// Check looks at a session just before it is changed, while nobody else can; an
// error of it leaves all as it is. nil checks nothing.
type Check func(session.Session) error

// on makes the check.
func (c Check) on(s session.Session) error {
	if c == nil {
		return nil
	}
	return c(s)
}

// Edit changes what a person may change of a session, between two turns.
func (r *Runner) Edit(ctx context.Context, o owner.Owner, id session.ID, p session.Patch, check Check) (session.Session, error) {
	l, release, err := r.lineages.hold(ctx, o, id)
	if err != nil {
		return session.Session{}, err
	}
	defer release()
	l.loaded = false // read it back with the next turn
	tip, err := r.sessions.Tip(ctx, o, id)
	if err != nil {
		return session.Session{}, fmt.Errorf("find session: %w", err)
	}
	if err := check.on(tip); err != nil {
		return session.Session{}, err
	}
	if p.At.IsZero() {
		p.At = r.config.now()
	}
	return r.sessions.UpdateSession(ctx, o, tip.ID, p)
}

// Delete erases a lineage with everything derived from it, between two turns.
func (r *Runner) Delete(ctx context.Context, o owner.Owner, id session.ID, check Check) (session.Session, error) {
	l, release, err := r.lineages.hold(ctx, o, id)
	if err != nil {
		return session.Session{}, err
	}
	defer release()
	tip, err := r.sessions.Tip(ctx, o, id)
	if err != nil {
		return session.Session{}, fmt.Errorf("find session: %w", err)
	}
	if err := check.on(tip); err != nil {
		return session.Session{}, err
	}
	*l = lineage{}
	err = r.sessions.DeleteLineage(ctx, o, tip.RootID)
	// It may have fed any scope of its owner. Dropped before, a view could be
	// read back before the rows are gone.
	r.views.DropOwner(o)
	return tip, err
}

// Known is what memory holds for a scope, for people and programs to look at.
type Known struct {
	Session session.Session
	Facts   []memory.Fact
	Hash    string
	// Next is what the next turn would be shown of memory.
	Next   memory.Block
	Budget int
}

// Inspect returns the state of a session's scope.
func (r *Runner) Inspect(ctx context.Context, o owner.Owner, id session.ID, key session.Key) (Known, error) {
	tip, err := r.sessions.Tip(ctx, o, id)
	if err != nil {
		return Known{}, fmt.Errorf("find session: %w", err)
	}
	known := Known{Session: tip, Budget: min(r.config.Budget/stateShare, maxState)}
	count, _ := compression.CounterFor(r.models.Name)
	err = r.look(ctx, o, memory.Scope{Root: tip.RootID, Key: key}, func(v *memory.View) error {
		known.Facts, known.Hash = v.Facts(), v.Hash()
		known.Next = v.Block(known.Budget, count, memory.BlockOptions{Now: r.config.now()})
		return nil
	})
	return known, err
}
