package run

import (
	"cmp"
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
)

// openPast opens a session and its memory as they were known at an earlier time. It
// takes no lock: the past does not change, and the answer is not stored.
func (r *Runner) openPast(ctx context.Context, req *Request) (*lineage.Open, error) {
	tip, err := r.glance(ctx, req)
	if err != nil {
		return nil, err
	}
	recent, err := r.sessions.Messages(ctx, req.Owner, tip.RootID,
		session.Range{Limit: lineage.MaxRecent, Newest: true, Until: req.AsOf, Standing: true})
	if err != nil {
		return nil, fmt.Errorf("load messages: %w", err)
	}
	// Turns folded later are found by recall. The tail is as long as it fits.
	tip.Summary, tip.TailFrom, tip.NextSeq, tip.LineageTokens = "", 0, 0, 0
	if n := len(recent); n > 0 {
		tip.TailFrom, tip.NextSeq = recent[0].Seq, recent[n-1].Seq+1
	}
	key := cmp.Or(req.Key, tip.Key)
	view, err := r.views.Past(ctx, req.Owner, memory.Scope{Root: tip.RootID, Key: key, AsOf: req.AsOf})
	if err != nil {
		return nil, fmt.Errorf("load memory: %w", err)
	}
	return lineage.Look(lineage.Past(tip, recent), view, key, req.AsOf), nil
}

// openAside opens an empty lineage for a turn that neither reads nor stores anything: a
// front end's request for a title must neither wait for the conversation nor delay it.
func (r *Runner) openAside(ctx context.Context, req *Request) (*lineage.Open, error) {
	tip, err := r.glance(ctx, req)
	if err != nil {
		return nil, err
	}
	empty := lineage.Past(session.Session{ID: tip.ID, RootID: tip.RootID}, nil)
	return lineage.Look(empty, memory.NewView(), req.Key, r.config.Clock()), nil
}

// glance looks up the session of a request without taking its turn. A session that does
// not exist is made in memory and never stored.
func (r *Runner) glance(ctx context.Context, req *Request) (session.Session, error) {
	now := r.config.Clock()
	id := req.Session
	if id == "" {
		id = session.NewID(now)
	}
	tip, err := r.sessions.Tip(ctx, req.Owner, id)
	switch fault.KindOf(err) {
	case "":
		return tip, nil
	case fault.NotFound:
		return session.Session{ID: id, RootID: id, StartedAt: now}, nil
	}
	return session.Session{}, fmt.Errorf("find session: %w", err)
}
