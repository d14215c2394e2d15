package lineage

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/title"
)

// Opening says which lineage to open, and for whom.
type Opening struct {
	Owner owner.Owner
	// Session is any id of the lineage; "" opens a new lineage with a new id.
	Session session.ID
	// Key is the scope of long-term memory. "" means the key of the session, or the
	// lineage's own memory if the session has no key.
	Key    session.Key
	Source session.Source
	UserID string
	Reach  Reach
}

// Open is a lineage to which messages can be added. The caller holds its turn, and the
// memory of its scope is in use. Close releases both.
type Open struct {
	*Lineage
	View  *memory.View
	Owner owner.Owner
	Key   session.Key
	// At is when the turn was acquired. Its messages get this time, so that the times
	// of a lineage follow its order.
	At time.Time
	// Fresh says that the id is new.
	Fresh bool
	// Check is asked before each step, when View has all that was learnt before the step: its
	// error ends the step, of which nothing is then done. nil lets every step through.
	Check func(*memory.View) error

	lineages *Lineages
	held     *Held  // nil for a lineage of the past
	spare    ids    // reserved for the next step
	leave    func() // ends the use of View; nil if no view is in use
}

// Open acquires a lineage's turn and reads the memory of its scope.
func (ls *Lineages) Open(ctx context.Context, asked *Opening) (*Open, error) {
	id := asked.Session
	if id == "" {
		id = session.NewID(ls.now())
	}
	held, err := ls.Take(ctx, asked.Owner, id, asked.Reach)
	if err != nil {
		return nil, err
	}
	o := &Open{Lineage: held.Lineage, Owner: asked.Owner, Key: asked.Key, At: ls.now(), lineages: ls, held: held}
	if !o.Exists {
		o.Fresh = true
		o.Tip = session.Session{
			ID: id, RootID: id, Key: asked.Key, Source: asked.Source, UserID: asked.UserID, StartedAt: o.At, LastActive: o.At,
		}
		o.Recent = nil
	}
	o.Key = cmp.Or(o.Key, o.Tip.Key)
	if err := o.use(ctx, !o.Exists && o.Key == ""); err != nil {
		o.Close()
		return nil, err
	}
	return o, nil
}

// Look opens a past lineage, to which nothing is added.
func Look(l *Lineage, view *memory.View, key session.Key, at time.Time) *Open {
	return &Open{Lineage: l, View: view, Key: key, At: at}
}

// Scope is the scope whose memory is in use.
func (o *Open) Scope() memory.Scope { return memory.Scope{Root: o.Tip.RootID, Key: o.Key} }

// use reads the memory of the scope. empty says that the scope has none yet.
func (o *Open) use(ctx context.Context, empty bool) error {
	var now *memory.ScopeState
	if o.leave == nil { // the first use: later ones may find more
		now = o.held.seat.state(o.Scope())
	}
	view, leave, err := o.lineages.views.UseAt(ctx, o.Owner, o.Scope(), empty, now)
	if err != nil {
		return err
	}
	o.View, o.leave = view, leave
	return nil
}

// Renew reads the memory of the scope again, after facts were erased under it.
func (o *Open) Renew(ctx context.Context) error {
	leave := o.leave
	if err := o.use(ctx, false); err != nil {
		return fmt.Errorf("read memory again: %w", err)
	}
	leave()
	return nil
}

// Close ends the use of the memory and releases the turn. Only the first call has an
// effect.
func (o *Open) Close() {
	if o.leave != nil {
		o.leave()
		o.leave = nil
	}
	if o.held != nil {
		o.held.Release()
	}
}

// Distrust drops the cached lineage and scope: after a failed write, the caches may
// hold more than the store.
func (o *Open) Distrust() {
	o.Stale()
	o.lineages.views.Drop(o.Owner, o.Scope())
}

// inOrder takes a place in the order of the session key, and makes View include all
// earlier places.
func (o *Open) inOrder(ctx context.Context) (*place, error) {
	p, err := o.lineages.orders.take(ctx, o.Owner, o.Scope())
	if err != nil || o.Key == "" {
		return p, err
	}
	if o.lineages.views.Newest(o.Owner, o.Scope(), o.View, &p.now) {
		return p, nil
	}
	if err = p.settled(ctx); err == nil {
		err = o.Renew(ctx)
	}
	if err != nil {
		p.done()
		return nil, err
	}
	return p, nil
}

// Step gives messages their ids, hashes and session, lets memory learn them, and
// updates the session's counters. The caller stores the step and calls its Done.
//
// Under a session key it waits until earlier steps of the key are numbered and learnt.
// If the key's memory was read again meanwhile, View has changed afterwards.
func (o *Open) Step(ctx context.Context, ms []session.Message) (Step, error) {
	tip, ls := &o.Tip, o.lineages
	place, err := o.inOrder(ctx)
	if err != nil {
		return Step{}, err
	}
	made := false
	defer func() {
		if !made { // also after a panic: other turns of the key wait for this place
			place.done()
		}
	}()
	if o.Check != nil {
		if err := o.Check(o.View); err != nil {
			return Step{}, err
		}
	}
	first, err := o.reserve(ctx, len(ms))
	if err != nil {
		return Step{}, fmt.Errorf("reserve message ids: %w", err)
	}
	last := o.Last
	step := Step{Messages: ms, place: place, open: o, view: o.View}
	for i := range ms {
		m := &ms[i]
		m.ID, m.SessionID, m.RootID, m.Seq = first+int64(i), tip.ID, tip.RootID, tip.NextSeq
		m.Hash = Chain(last, m)
		last = m.Hash
		Count(tip, m)
		step.Learn(ls.Learn(o.View, ranking.DocumentOf(m)))
	}
	if err := o.View.Err(); err != nil {
		return Step{}, fmt.Errorf("learn messages: %w", err)
	}
	tip.LastActive = o.At
	tip.EndedAt, tip.EndReason = time.Time{}, "" // a new message reopens a session
	if o.Key != "" {
		tip.Key = o.Key
	}
	if tip.Title == "" {
		if step.Title = title.Of(session.Spoken(o.Recent), session.Spoken(ms)); step.Title != "" {
			tip.Title, tip.TitleSource = step.Title, session.TitleDerived
		}
	}
	step.Session = *tip
	if step.Title != "" {
		step.Session.Title = "" // the store sets it, numbered if it is taken
	}
	made = true
	return step, nil
}

// ids are reserved message ids.
type ids struct {
	first int64
	left  int
}

// reserve returns the first of n message ids. In a store that others share, each reservation is a
// round trip: a turn that no other one can number its messages among reserves one more, for the
// answer.
func (o *Open) reserve(ctx context.Context, n int) (int64, error) {
	if n > o.spare.left {
		more := n
		if o.lineages.shared != nil && o.Key == "" {
			more++
		}
		first, err := o.lineages.store.ReserveMessageIDs(ctx, o.Owner, more)
		if err != nil {
			return 0, err
		}
		o.spare = ids{first, more}
	}
	first := o.spare.first
	o.spare = ids{first + int64(n), o.spare.left - n}
	return first, nil
}
