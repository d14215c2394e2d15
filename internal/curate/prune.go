package curate

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Prune says which ended sessions to delete. Their whole lineages are deleted.
type Prune struct {
	Owner owner.Owner
	// Before bounds the time of the last message; for a session without messages, the
	// time of its start.
	Before time.Time
	Source session.Source // "" means all
	// Limit is the maximum number; 0 means all.
	Limit  int
	DryRun bool
}

// Pruned is the outcome of a prune, or of its dry run.
type Pruned struct {
	Sessions int   // lineages
	Messages int64 // in them
	// Left is how many more there are, if Limit was reached.
	Left int
}

// Prune deletes ended sessions that have not been used for long, oldest last. A session
// that is used again meanwhile stays.
func (c *Curator) Prune(ctx context.Context, p *Prune) (Pruned, error) {
	var out Pruned
	var doomed []session.ID
	for s, err := range c.prunable(ctx, p) {
		if err != nil {
			return out, err
		}
		if p.Limit > 0 && len(doomed) >= p.Limit {
			out.Left++
			continue
		}
		doomed = append(doomed, s.RootID)
		if p.DryRun {
			out.count(s)
		}
	}
	if p.DryRun {
		return out, nil
	}
	err := c.deleteUnused(ctx, p, doomed, &out)
	return out, err
}

// count adds a deleted lineage, given its tip.
func (out *Pruned) count(tip *session.Session) {
	out.Sessions++
	out.Messages += tip.NextSeq
}

// prunable lists the tips of the ended sessions that a prune is about, newest first.
func (c *Curator) prunable(ctx context.Context, p *Prune) iter.Seq2[*session.Session, error] {
	return func(yield func(*session.Session, error) bool) {
		f := session.Filter{State: session.Ended, Source: p.Source, Limit: 200, Before: session.Cursor{LastActive: p.Before}}
		for {
			page, err := c.sessions.Sessions(ctx, p.Owner, f)
			if err != nil {
				yield(nil, fmt.Errorf("list sessions: %w", err))
				return
			}
			for i := range page {
				if !yield(&page[i], nil) {
					return
				}
			}
			if len(page) < f.Limit {
				return
			}
			last := &page[len(page)-1]
			f.Before = session.Cursor{LastActive: last.LastActive, ID: last.RootID}
		}
	}
}

// deleteUnused deletes lineages and counts them. It skips those that are in use again
// or gone.
func (c *Curator) deleteUnused(ctx context.Context, p *Prune, doomed []session.ID, out *Pruned) error {
	still := func(s session.Session) error {
		if !s.Ended() || !s.LastActive.Before(p.Before) {
			return fault.New(fault.Conflict, "session_in_use", "The session is in use again.")
		}
		return nil
	}
	defer c.tidy(ctx, p.Owner)
	for _, root := range doomed {
		tip, err := c.remove(ctx, p.Owner, root, still)
		switch fault.KindOf(err) {
		case "":
			out.count(&tip)
		case fault.Conflict, fault.NotFound:
		default:
			return err
		}
	}
	return nil
}
