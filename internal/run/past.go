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
	tip := session.Session{ID: req.Session, RootID: req.Session, StartedAt: t.now}
	if req.Session == "" {
		tip.ID = session.NewID(t.now)
		tip.RootID = tip.ID
	}
	found, err := r.sessions.Tip(ctx, req.Owner, tip.ID)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return fmt.Errorf("find session: %w", err)
	}
	if err == nil {
		tip = found
	}
	recent, err := r.sessions.Messages(ctx, req.Owner, tip.RootID, session.Range{Limit: maxRecent, Newest: true, Until: req.AsOf})
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
