package curate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// TakenBack is the outcome of an undo.
type TakenBack struct {
	Session session.Session
	// Messages is the number of undone messages; 0 if there were none.
	Messages int
	// Text is the text of the user's undone message.
	Text string
}

// Undo undoes the last exchange: the newest standing message of the user and all
// messages after it. If an answer among them names an earlier input by ReplyTo, the undo
// begins with that input. Models and memory no longer see the messages. The archive
// keeps them, marked as undone.
func (c *Curator) Undo(ctx context.Context, o owner.Owner, id session.ID) (TakenBack, error) {
	return c.takeBack(ctx, o, id, func(l *lineage.Lineage) (*LastInput, error) { return c.lastInput(ctx, o, l) })
}

// LastInput is what [Curator.Undo] would undo.
type LastInput struct {
	// Message is the newest standing message of the user.
	Message session.Message
	// From is the Seq from which on messages would be undone, To the Seq of the next message.
	From, To int64
}

// LastInput returns what an undo of a session would undo; nil for nothing.
func (c *Curator) LastInput(ctx context.Context, o owner.Owner, id session.ID) (*LastInput, error) {
	l, _, err := c.takeTip(ctx, o, id, lineage.Whole)
	if err != nil {
		return nil, err
	}
	defer l.Release()
	return c.lastInput(ctx, o, l.Lineage)
}

// lastInput is the newest input of a lineage; nil for none.
func (c *Curator) lastInput(ctx context.Context, o owner.Owner, l *lineage.Lineage) (*LastInput, error) {
	last, err := c.lastSaid(ctx, o, l)
	if err != nil || last == nil {
		return nil, err
	}
	from, err := c.wholeFrom(ctx, o, l.Tip.RootID, last.Seq)
	return &LastInput{Message: *last, From: from, To: l.Tip.NextSeq}, err
}

// UndoFrom undoes the standing messages of a session from a Seq on, if one of those before
// the Seq to still stands. So it undoes nothing the second time, whatever was said meanwhile.
func (c *Curator) UndoFrom(ctx context.Context, o owner.Owner, id session.ID, from, to int64) (TakenBack, error) {
	return c.takeBack(ctx, o, id, func(l *lineage.Lineage) (*LastInput, error) {
		left, err := c.sessions.Messages(ctx, o, l.Tip.RootID, session.Range{From: from, To: to, Limit: 1, Standing: true})
		if err != nil || len(left) == 0 {
			return nil, err
		}
		return &LastInput{From: from}, nil
	})
}

// takeBack undoes the messages from the one that is found on.
func (c *Curator) takeBack(
	ctx context.Context, o owner.Owner, id session.ID, find func(*lineage.Lineage) (*LastInput, error),
) (TakenBack, error) {
	l, tip, err := c.takeTip(ctx, o, id, lineage.Whole)
	if err != nil {
		return TakenBack{}, err
	}
	defer l.Release()
	out := TakenBack{Session: tip}
	last, err := find(l.Lineage)
	if err != nil || last == nil {
		return out, err
	}
	out.Text = last.Message.Content
	gone, err := c.Withdraw(ctx, o, l.Lineage, last.From, c.now())
	out.Messages, out.Session = len(gone), l.Tip
	return out, err
}

// Retract undoes the newest standing message of a lineage. NotFound if the lineage has no
// standing message with this id; Conflict if it is not the newest one.
func (c *Curator) Retract(ctx context.Context, o owner.Owner, id session.ID, message int64) (session.Session, error) {
	l, tip, err := c.takeTip(ctx, o, id, lineage.Whole)
	if err != nil {
		return session.Session{}, err
	}
	defer l.Release()
	found, err := c.sessions.Messages(ctx, o, tip.RootID, session.Range{MessageID: message, Standing: true})
	if err != nil {
		return tip, fmt.Errorf("find message: %w", err)
	}
	if len(found) == 0 {
		return tip, fault.New(fault.NotFound, "item_not_found", "This conversation has no item with this id.").At("item_id")
	}
	newest, err := c.sessions.Messages(ctx, o, tip.RootID, session.Range{From: found[0].Seq, Limit: 1, Newest: true, Standing: true})
	if err != nil {
		return tip, fmt.Errorf("read messages: %w", err)
	}
	if len(newest) > 0 && newest[0].ID != message {
		return tip, fault.New(fault.Conflict, "item_not_last",
			"Only the newest item of a conversation can be deleted. To erase another one, forget what it says: POST /api/memory/forget.").At("item_id")
	}
	_, err = c.Withdraw(ctx, o, l.Lineage, found[0].Seq, c.now())
	return l.Tip, err
}

// wholeFrom moves from back until no standing message at or after it replies to an
// earlier standing message.
func (c *Curator) wholeFrom(ctx context.Context, o owner.Owner, root session.ID, from int64) (int64, error) {
	seen := map[int64]bool{0: true}
	for to := int64(0); ; { // [from, to) is not checked yet; 0 means no end
		ms, err := c.sessions.Messages(ctx, o, root, session.Range{From: from, To: to, Standing: true})
		if err != nil {
			return 0, fmt.Errorf("read messages: %w", err)
		}
		first := from
		for i := range ms {
			id := ms[i].ReplyTo
			if seen[id] {
				continue
			}
			seen[id] = true
			input, err := c.sessions.Messages(ctx, o, root, session.Range{MessageID: id, Standing: true})
			if err != nil {
				return 0, fmt.Errorf("find input: %w", err)
			}
			if len(input) > 0 {
				first = min(first, input[0].Seq)
			}
		}
		if first == from {
			return from, nil
		}
		from, to = first, from
	}
}

// lastSaid is the newest standing message of the user; nil for none.
func (c *Curator) lastSaid(ctx context.Context, o owner.Owner, l *lineage.Lineage) (*session.Message, error) {
	page := l.Recent
	for len(page) > 0 {
		for i := len(page) - 1; i >= 0; i-- {
			if page[i].Role == session.User && !page[i].Aside() {
				return &page[i], nil
			}
		}
		if page[0].Seq == 0 {
			break
		}
		var err error
		page, err = c.sessions.Messages(ctx, o, l.Tip.RootID,
			session.Range{To: page[0].Seq, Limit: lineage.MaxRecent, Newest: true, Standing: true})
		if err != nil {
			return nil, fmt.Errorf("read messages: %w", err)
		}
	}
	return nil, nil
}

// Withdraw undoes all standing messages of a lineage from a Seq on. Memory becomes as
// if they had never been said. The caller holds the lineage's turn.
func (c *Curator) Withdraw(ctx context.Context, o owner.Owner, l *lineage.Lineage, from int64, now time.Time) ([]session.Message, error) {
	return c.withdraw(ctx, o, l, from, now, nil)
}

// withdraw is [Curator.Withdraw] that notes, in the same transaction, what is left of the conversation of another
// program that the lineage holds; nil notes nothing.
func (c *Curator) withdraw(
	ctx context.Context, o owner.Owner, l *lineage.Lineage, from int64, now time.Time, left *lineage.Origin,
) ([]session.Message, error) {
	end, err := c.endFrom(ctx, o, l.Tip.RootID, from)
	if err != nil || len(end.gone) == 0 {
		return nil, err
	}
	release, err := c.lineages.Alone(ctx, o, scopesOf(end.gone)...)
	if err != nil {
		return nil, err
	}
	defer release()
	w := end.rewrite(now)
	if left != nil {
		w.Step = &lineage.Step{Session: end.tip, Origin: left}
	}
	undone := make(map[memory.Scope]memory.Withdrawal)
	for _, scope := range scopesOf(end.gone) {
		if undone[scope], _, err = c.without(ctx, o, scope, end.of(scope), &w); err != nil {
			return nil, err
		}
	}
	l.Stale() // also after a failure
	if err := c.store.Rewrite(ctx, o, w); err != nil {
		return nil, fmt.Errorf("take back: %w", err)
	}
	if err := c.lineages.Reload(ctx, o, l); err != nil {
		return nil, err
	}
	for scope, end := range undone {
		c.views.Withdraw(ctx, o, scope, end)
	}
	return end.gone, nil
}

// withdrawn is the end of a lineage that is to be undone.
type withdrawn struct {
	from int64
	gone []session.Message // the messages that stand
	tip  session.Session   // without the end
}

// endFrom reads the end of a lineage from a Seq on.
func (c *Curator) endFrom(ctx context.Context, o owner.Owner, root session.ID, from int64) (*withdrawn, error) {
	gone, err := c.sessions.Messages(ctx, o, root, session.Range{From: from, Standing: true})
	if err != nil {
		return nil, fmt.Errorf("read messages: %w", err)
	}
	end := &withdrawn{from: from, gone: gone}
	if len(gone) == 0 {
		return end, nil
	}
	if end.tip, err = c.sessions.Tip(ctx, o, root); err != nil { // with the stored title
		return nil, fmt.Errorf("find session: %w", err)
	}
	for i := range gone {
		end.tip.LineageTokens -= int64(gone[i].Tokens + compression.MessageOverhead)
	}
	if from <= end.tip.TailFrom { // the tail becomes empty: the next turn folds again
		end.tip.TailFrom, end.tip.Summary = 0, ""
	}
	return end, c.unnameGone(ctx, o, &end.tip, gone)
}

// rewrite undoes the end. What memory is without it is to be added.
func (w *withdrawn) rewrite(now time.Time) Rewrite {
	return Rewrite{Undone: []Undone{{Root: w.tip.RootID, From: w.from, At: now}}, Sessions: []session.Session{w.tip}}
}

// of is the end with the messages of a scope.
func (w *withdrawn) of(scope memory.Scope) lineageEnd {
	return lineageEnd{w.tip.RootID, w.from, idsIn(w.gone, scope)}
}

// scopesOf are the scopes of messages.
func scopesOf(ms []session.Message) []memory.Scope {
	var out []memory.Scope
	for i := range ms {
		if scope := scopeOf(&ms[i]); !slices.Contains(out, scope) {
			out = append(out, scope)
		}
	}
	return out
}

// idsIn are the ids of the messages of a scope among some.
func idsIn(ms []session.Message, scope memory.Scope) []int64 {
	var ids []int64
	for i := range ms {
		if scopeOf(&ms[i]) == scope {
			ids = append(ids, ms[i].ID)
		}
	}
	return ids
}

// unnameGone removes a session's title if it was made from undone messages.
func (c *Curator) unnameGone(ctx context.Context, o owner.Owner, tip *session.Session, gone []session.Message) error {
	ms, err := c.opening(ctx, o, tip.RootID)
	if err != nil {
		return err
	}
	var left strings.Builder // the rest of the first exchange, which may still support the title
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

// lineageEnd is the end of a lineage from a Seq on, with the ids of its standing messages in
// a scope.
type lineageEnd struct {
	root session.ID
	from int64
	ids  []int64
}

func (e *lineageEnd) has(root session.ID, seq int64) bool { return root == e.root && seq >= e.from }

// without finds out what the memory of a scope is without the end of a lineage, and adds the
// resulting changes to the rewrite. The view has learnt that memory; it is nil if no other fact
// depended on those of the end.
func (c *Curator) without(
	ctx context.Context, o owner.Owner, scope memory.Scope, end lineageEnd, w *Rewrite,
) (memory.Withdrawal, *memory.View, error) {
	out := memory.Withdrawal{Root: end.root, Messages: end.ids}
	lost := make(map[memory.FactID]bool)
	var stored learnt
	apart, first := false, memory.FactNumber(0)
	err := c.look(ctx, o, scope, func(v *memory.View) error { // the view is in use or soon will be
		var facts []memory.StoredFact
		facts, apart = v.Lost(end.ids)
		for i := range facts {
			lost[facts[i].ID] = true
		}
		if len(facts) > 0 {
			first = facts[0].Number
		}
		if !apart {
			stored = learnt{v.Facts(), v.Marks()}
		}
		return v.Err()
	})
	if err != nil {
		return out, nil, fmt.Errorf("read facts: %w", err)
	}
	if apart {
		out.First = first
		return out, nil, nil
	}
	kept := slices.DeleteFunc(slices.Clone(stored.facts), func(f memory.Fact) bool { return lost[f.ID] })
	// A fact that they replaced may hold again, and facts learnt after them were compared
	// with them. Only a rebuild from the messages can tell.
	view, err := c.relearnWithoutEnd(ctx, o, scope, end)
	if err != nil {
		return out, nil, err
	}
	again := learnt{view.Facts(), view.Marks()}
	if slices.EqualFunc(kept, again.facts, func(a, b memory.Fact) bool { return a.ID == b.ID }) {
		again.relink(kept, stored.marks, lost, w)
	} else {
		w.Scopes = append(w.Scopes, ScopeFacts{Scope: scope, Facts: again.facts, Marks: again.marks})
	}
	out.Facts = again.facts
	return out, view, nil
}

// relearnWithoutEnd learns a scope again from its messages without the end of a lineage.
func (c *Curator) relearnWithoutEnd(ctx context.Context, o owner.Owner, scope memory.Scope, end lineageEnd) (*memory.View, error) {
	return c.relearn(ctx, o, scope, func(d *ranking.Document) bool { return !end.has(d.Root, d.Seq) }, &Rebuilt{})
}

// learnt are all facts of a scope, with their marks.
type learnt struct {
	facts []memory.Fact
	marks []memory.Mark
}

// relink adds to a rewrite what has changed of the facts and marks that were kept.
func (l *learnt) relink(kept []memory.Fact, marks []memory.Mark, lost map[memory.FactID]bool, w *Rewrite) {
	had := make(map[memory.Mark]bool, len(marks))
	for _, mark := range marks {
		had[mark] = true
	}
	for _, mark := range l.marks {
		if !had[mark] {
			w.Marks = append(w.Marks, mark)
		}
	}
	for i := range l.facts {
		if leadsTo(&kept[i], lost) || !sameLinks(&kept[i], &l.facts[i]) {
			w.Relinked = append(w.Relinked, l.facts[i])
		}
	}
}

// sameLinks reports whether two states of a fact have the same links.
func sameLinks(a, b *memory.Fact) bool {
	return a.SupersededBy == b.SupersededBy && slices.Equal(a.Links, b.Links)
}

// leadsTo reports whether a fact was replaced by a lost fact, or is linked to one.
func leadsTo(f *memory.Fact, lost map[memory.FactID]bool) bool {
	return lost[f.SupersededBy] || slices.ContainsFunc(f.Links, func(l memory.Link) bool { return lost[l.To] })
}
