package run

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/session"
)

// wentOn reports whether the lineage holds more, or less, than the client means
// to go on from. An input that was never answered and is sent again is no more.
func (t *opened) wentOn() bool {
	if t.req.After == nil || t.req.OffRecord || t.lineage == nil {
		return false
	}
	recent, after := Visible(t.lineage.Recent), *t.req.After
	n := len(recent)
	if n > 0 && t.lineage.Recent[len(t.lineage.Recent)-1].Seq == after {
		return false
	}
	if in, ok := repeated(recent, t.req.Messages); ok {
		for i := 1; i < n; i++ {
			if recent[i].Seq == in.tailTo && recent[i-1].Seq == after {
				return false
			}
		}
	}
	return true
}

// copyFor copies a lineage up to where the client means to go on, and returns the
// request for the copy. What went on there stays as it is.
func (r *Runner) copyFor(ctx context.Context, req *Request) (*Request, error) {
	tip, err := r.sessions.Tip(ctx, req.Owner, req.Session)
	if err != nil {
		return nil, fmt.Errorf("find session to branch: %w", err)
	}
	last, err := r.sessions.Messages(ctx, req.Owner, tip.RootID, session.Range{From: *req.After, To: *req.After + 1})
	if err != nil {
		return nil, fmt.Errorf("find message to branch at: %w", err)
	}
	if len(last) == 0 {
		return nil, fault.New(fault.NotFound, "message_not_found", "The message to go on from is not there any more.")
	}
	made, err := r.curator.Fork(ctx, &curate.Branch{Owner: req.Owner, Session: tip.ID, MessageID: last[0].ID})
	if err != nil {
		return nil, err
	}
	branched := *req
	branched.Session, branched.After = made.ID, nil
	return &branched, nil
}

// cutBranch leaves out what a lineage went on with, where nothing is kept and so
// no copy is made.
func (t *laidOut) cutBranch() {
	if t.req.After != nil && t.req.OffRecord {
		t.input.tailTo = min(t.input.tailTo, *t.req.After+1)
	}
}
