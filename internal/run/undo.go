package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// TakenBack is what an undo took back.
type TakenBack struct {
	Session session.Session
	// Messages is how many; 0 when there was nothing to take back.
	Messages int
	// Text is what the user had said.
	Text string
}

// Undo takes the last exchange back: the newest message of the user that
// stands, and all that followed it. Neither a model nor memory sees it any
// more; the archive keeps it, marked.
func (r *Runner) Undo(ctx context.Context, o owner.Owner, id session.ID) (TakenBack, error) {
	l, release, err := r.lineages.take(ctx, o, id)
	if err != nil {
		return TakenBack{}, err
	}
	defer release()
	tip, err := r.sessions.Tip(ctx, o, id)
	if err != nil {
		return TakenBack{}, fmt.Errorf("find session: %w", err)
	}
	out := TakenBack{Session: tip}
	last, err := r.lastSaid(ctx, o, l)
	if err != nil || last == nil {
		return out, err
	}
	out.Text = last.Content
	gone, err := r.withdraw(ctx, o, l, last.Seq, r.config.now())
	out.Messages, out.Session = len(gone), l.tip
	return out, err
}

// lastSaid is the newest message of the user that stands; nil if none does.
func (r *Runner) lastSaid(ctx context.Context, o owner.Owner, l *lineage) (*session.Message, error) {
	page := l.recent
	for len(page) > 0 {
		for i := len(page) - 1; i >= 0; i-- {
			if page[i].Role == session.User {
				return &page[i], nil
			}
		}
		if page[0].Seq == 0 {
			break
		}
		var err error
		page, err = r.sessions.Messages(ctx, o, l.tip.RootID, session.Range{To: page[0].Seq, Limit: maxRecent, Newest: true, Standing: true})
		if err != nil {
			return nil, fmt.Errorf("read messages: %w", err)
		}
	}
	return nil, nil //nolint:nilnil // there is none, and that is no error
}

// withdraw takes back what stands of a lineage from a place on: its end, so that
// nothing that stands was said after it there. Memory is as if it had never been
// said. The caller holds the lineage's turn.
func (r *Runner) withdraw(ctx context.Context, o owner.Owner, l *lineage, from int64, now time.Time) ([]session.Message, error) {
	root := l.tip.RootID
	gone, err := r.sessions.Messages(ctx, o, root, session.Range{From: from, Standing: true})
	if err != nil || len(gone) == 0 {
		return nil, err
	}
	tip, err := r.sessions.Tip(ctx, o, root) // with the title as it is stored
	if err != nil {
		return nil, fmt.Errorf("find session: %w", err)
	}
	w := Rewrite{Undone: []Undone{{Root: root, From: from, At: now}}}
	for i := range gone {
		tip.LineageTokens -= int64(gone[i].Tokens + compression.MessageOverhead)
	}
	if err := r.unnameGone(ctx, o, &tip, gone); err != nil {
		return nil, err
	}
	if from <= tip.TailFrom { // nothing of the tail is left: the next turn folds anew
		tip.TailFrom, tip.Summary = 0, ""
	}
	w.Sessions = []session.Session{tip}
	kept := make(map[memory.Scope][]memory.Fact)
	for i := range gone {
		scope := scopeOf(&gone[i])
		if _, done := kept[scope]; done {
			continue
		}
		if kept[scope], err = r.without(ctx, o, scope, root, from, &w); err != nil {
			return nil, err
		}
	}
	l.loaded = false // whatever comes of it
	if err := r.store.Rewrite(ctx, o, w); err != nil {
		return nil, fmt.Errorf("take back: %w", err)
	}
	if tip, err = r.sessions.Tip(ctx, o, root); err != nil {
		return nil, fmt.Errorf("find session: %w", err)
	}
	if err := r.lineages.load(ctx, o, l, &tip, false); err != nil {
		return nil, err
	}
	for scope, facts := range kept {
		r.views.Withdraw(o, scope, memory.Withdrawal{Root: root, From: from, Facts: facts, Before: near(l.recent, scope.Key)})
		if scope.Key != "" { // the lineage's own memory saw it, too
			r.views.Drop(o, memory.Scope{Root: root})
		}
	}
	return gone, nil
}

// unnameGone takes a session's title away if it was made of what is taken back.
func (r *Runner) unnameGone(ctx context.Context, o owner.Owner, tip *session.Session, gone []session.Message) error {
	ms, err := r.opening(ctx, o, tip.RootID)
	if err != nil {
		return err
	}
	var left strings.Builder // of the first exchange: it may still say the title
	end := gone[0].Seq
	for i := range ms {
		if ms[i].Seq < gone[0].Seq {
			left.WriteString(ms[i].Content + "\n")
		}
		end = max(end, ms[i].Seq+1)
	}
	for i := range gone {
		unname(tip, gone[i].Content, left.String(), gone[i].Seq < end)
	}
	return nil
}

// near are the newest messages of a lineage in a scope: what the next one may
// refer to.
func near(recent []session.Message, key session.Key) []ranking.Document {
	var out []ranking.Document
	for i := range recent {
		if key == "" || recent[i].Key == key {
			out = append(out, ranking.DocumentOf(&recent[i]))
		}
	}
	return out
}

// without returns the facts of a scope as they are without the end of a lineage,
// and adds to the rewrite what that changes. It returns nil when nothing changes
// because the messages taught nothing.
func (r *Runner) without(ctx context.Context, o owner.Owner, scope memory.Scope, root session.ID, from int64, w *Rewrite) ([]memory.Fact, error) {
	gone := func(root2 session.ID, seq int64) bool { return root2 == root && seq >= from }
	stored, err := r.Facts(ctx, o, scope) // of the view: it is in use, or will be
	if err != nil {
		return nil, fmt.Errorf("read facts: %w", err)
	}
	lost := make(map[memory.FactID]bool)
	for i := range stored {
		if s := &stored[i].Source; gone(s.Root, s.Seq) {
			lost[stored[i].ID] = true
		}
	}
	if len(lost) == 0 {
		return nil, nil
	}
	kept := slices.DeleteFunc(slices.Clone(stored), func(f memory.Fact) bool { return lost[f.ID] })
	if !slices.ContainsFunc(kept, func(f memory.Fact) bool { return leadsTo(&f, lost) }) {
		return kept, nil
	}
	// What it had replaced may hold again: only its source can tell.
	view, _, err := r.relearn(ctx, o, scope, func(d *ranking.Document) bool { return !gone(d.Root, d.Seq) }, "")
	if err != nil {
		return nil, err
	}
	facts := view.Facts()
	if !slices.EqualFunc(kept, facts, func(a, b memory.Fact) bool { return a.ID == b.ID }) {
		w.Scopes = append(w.Scopes, ScopeFacts{scope, facts})
		return facts, nil
	}
	for i := range facts {
		if leadsTo(&kept[i], lost) || kept[i].SupersededBy != facts[i].SupersededBy || !slices.Equal(kept[i].Links, facts[i].Links) {
			w.Relinked = append(w.Relinked, facts[i])
		}
	}
	return facts, nil
}

// leadsTo reports whether a fact was replaced by a lost one, or is linked to one.
func leadsTo(f *memory.Fact, lost map[memory.FactID]bool) bool {
	return lost[f.SupersededBy] || slices.ContainsFunc(f.Links, func(l memory.Link) bool { return lost[l.To] })
}
