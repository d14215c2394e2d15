package run

import (
	"context"
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/session"
)

// wentOn reports whether the newest message of the lineage is another one than the
// message that the client wants to continue from. An unanswered input that is sent
// again does not count.
func (t *opened) wentOn() bool {
	if t.req.After == nil || t.req.OffRecord || t.lineage == nil {
		return false
	}
	spoken := session.Spoken(t.lineage.Recent)
	recent, after := Visible(spoken), *t.req.After
	n := len(recent)
	if n > 0 && spoken[len(spoken)-1].Seq == after {
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

// overtaken returns the request of a nameless client with the message that it continues
// from, if other turns continued from there after the request arrived: the client does not
// know their answers, so it does not take them back, as a client does that changes an earlier
// message. It has a branch of its own. The same input once more is a repetition, and no
// branch.
func (t *opened) overtaken() (*Request, bool) {
	if t.lineage == nil || !slices.ContainsFunc(t.lineage.Recent, t.isNews) {
		return nil, false
	}
	in, err := t.newInput(t.req.Messages)
	if err != nil || !in.undoes || len(in.fresh) == 0 {
		return nil, false // a refusal comes later
	}
	branch, after := *t.req, in.undoFrom-1
	branch.After = &after
	return &branch, true
}

// isNews reports whether a message is an answer that was stored after the request of a
// nameless client arrived. A turn that stores nothing needs no branch.
func (t *opened) isNews(m session.Message) bool {
	if seen := t.req.Seen; t.req.OffRecord || seen == 0 || m.Seq < seen {
		return false
	}
	return m.Role == session.Assistant && m.Stands() && !m.Partial()
}

// copyFor forks a lineage at the message that the client wants to continue from, and
// returns the request for the copy. The original is left unchanged.
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
		return nil, fault.New(fault.NotFound, "message_not_found", "The message to continue from no longer exists.")
	}
	made, err := r.curator.Fork(ctx, &curate.Branch{Owner: req.Owner, Session: tip.ID, MessageID: last[0].ID})
	if err != nil {
		return nil, err
	}
	branched := *req
	branched.Session, branched.After = made.ID, nil
	return &branched, nil
}

// leavesBranch reports whether the turn continues from an earlier message and stores
// nothing, so that no copy of the lineage is made.
func (t *laidOut) leavesBranch() bool { return t.req.After != nil && t.req.OffRecord }

// cutBranch hides the messages after the one that the client wants to continue from, if
// the turn stores nothing and so needs no copy.
func (t *laidOut) cutBranch() {
	if t.leavesBranch() {
		t.input.tailTo = min(t.input.tailTo, *t.req.After+1)
	}
}
