package run

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
)

// openPast gives a turn the session and the memory as they were known at a time
// gone by. It needs nobody's turn: the past does not change, and nothing is
// kept of the answer.
func (r *Runner) openPast(ctx context.Context, t *turn) error {
	req := t.req
	tip, err := r.glance(ctx, t)
	if err != nil {
		return err
	}
	recent, err := r.sessions.Messages(ctx, req.Owner, tip.RootID, session.Range{Limit: maxRecent, Newest: true, Until: req.AsOf, Standing: true})
	if err != nil {
		return fmt.Errorf("load messages: %w", err)
	}
	// What was folded away by then is found by recall; the tail is what fits.
	tip.Summary, tip.TailFrom, tip.NextSeq, tip.LineageTokens = "", 0, 0, 0
	if n := len(recent); n > 0 {
		tip.TailFrom, tip.NextSeq = recent[0].Seq, recent[n-1].Seq+1
	}
	t.lineage = &lineage{tip: tip, exists: len(recent) > 0, recent: recent, loaded: true}
	t.view, err = r.views.Past(ctx, req.Owner, memory.Scope{Root: tip.RootID, Key: req.Key, AsOf: req.AsOf})
	if err != nil {
		return fmt.Errorf("load memory: %w", err)
	}
	t.now = req.AsOf
	return nil
}

// openAside gives a turn that neither reads nor keeps anything a place of its
// own: a front end's call for a title must not wait for the conversation, nor
// hold it up.
func (r *Runner) openAside(ctx context.Context, t *turn) error {
	tip, err := r.glance(ctx, t)
	if err != nil {
		return err
	}
	t.lineage = &lineage{tip: session.Session{ID: tip.ID, RootID: tip.RootID}, loaded: true}
	t.view = memory.NewView()
	return nil
}

// glance looks up the session a turn names, without taking its turn. One that
// does not exist is made up, and never stored.
func (r *Runner) glance(ctx context.Context, t *turn) (session.Session, error) {
	id := t.req.Session
	if id == "" {
		id = session.NewID(t.now)
	}
	tip, err := r.sessions.Tip(ctx, t.req.Owner, id)
	switch fault.KindOf(err) {
	case "":
		return tip, nil
	case fault.NotFound:
		return session.Session{ID: id, RootID: id, StartedAt: t.now}, nil
	}
	return session.Session{}, fmt.Errorf("find session: %w", err)
}
