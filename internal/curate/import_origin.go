package curate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Fate is what an import made of a conversation of another program.
type Fate string

// The fates.
const (
	// FateNew conversations were not imported before.
	FateNew Fate = "new"
	// FateSame conversations have nothing that was not imported before.
	FateSame Fate = "unchanged"
	// FateGrown conversations got the messages that are new in the other program.
	FateGrown Fate = "grown"
	// FateChanged conversations have another end in the other program than at the last
	// import, or were edited there. What stood from the change on was undone.
	FateChanged Fate = "changed"
	// FateApart conversations have changed in both programs. The other program's version
	// is a session of its own.
	FateApart Fate = "apart"
	// FateDeleted conversations were deleted here, and are left out. Their Session is the one that stays, if only a
	// session apart was deleted.
	FateDeleted Fate = "deleted"
)

// importOrigin stores a conversation of another program, or what is new of it.
func (c *Curator) importOrigin(ctx context.Context, a *Archived) (Imported, error) {
	root := a.Sessions[0].ID
	for {
		known, err := c.origin(ctx, a)
		if err != nil {
			return Imported{}, err
		}
		switch {
		case known == nil:
			got, err := c.importNew(ctx, a)
			if came, lost := c.cameMeanwhile(ctx, a, err); came || lost != nil {
				if lost != nil {
					return Imported{}, lost
				}
				continue
			}
			return got.as(FateNew, root), err
		case known.Root == "":
			return c.importDeleted(ctx, a, known)
		}
		if done, err := c.stored(ctx, a, known); err != nil {
			return Imported{}, err
		} else if done {
			return c.unchanged(ctx, a, known)
		}
		got, again, err := c.update(ctx, a, known)
		if !again {
			return got, err
		}
	}
}

// stored reports whether all of a conversation is stored, and nothing is left to be compared or completed.
func (c *Curator) stored(ctx context.Context, a *Archived, known *lineage.Origin) (bool, error) {
	old, err := c.nothingNew(ctx, a, known)
	if err != nil || !old || compares(a, known) {
		return false, err
	}
	left, err := c.incomplete(ctx, a.Owner, known.Root)
	return !left, err
}

// cameMeanwhile reports whether a conversation that could not be stored as a new one is there, because another
// import has stored it since it was looked for.
func (c *Curator) cameMeanwhile(ctx context.Context, a *Archived, err error) (bool, error) {
	if a.Restore || fault.CodeOf(err) != codeExists {
		return false, nil
	}
	known, err := c.origin(ctx, a)
	return known != nil && known.Root != "", err
}

// unchanged is the outcome of a conversation that is stored already. An import may have left the memory of the stored
// session's key to be learnt, which need not be the key of the line.
func (c *Curator) unchanged(ctx context.Context, a *Archived, known *lineage.Origin) (Imported, error) {
	tip, err := c.sessions.Tip(ctx, a.Owner, known.Root)
	if err != nil {
		return Imported{}, fmt.Errorf("find session: %w", err)
	}
	keys, err := c.unsettled(ctx, a.Owner, append(slices.Clone(a.Sessions), tip))
	return Imported{Same: true, Fate: FateSame, Session: known.Root, Absent: a.absent(known), Keys: keys}, err
}

// absent is the number of stored memories that a line lacks. A conversation that lacks messages is another one, and not
// a page of one.
func (a *Archived) absent(known *lineage.Origin) int {
	if !a.Origin.Adds {
		return 0
	}
	return known.Absent(a.Origin)
}

// origin is what is stored of a conversation; nil for nothing.
func (c *Curator) origin(ctx context.Context, a *Archived) (*lineage.Origin, error) {
	return ifKnown(c.store.Origin(ctx, a.Owner, a.Origin.System, a.Origin.ID))
}

// ifKnown is an origin that was looked up; nil for none.
func ifKnown(g lineage.Origin, err error) (*lineage.Origin, error) {
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("look for the import: %w", err)
	}
	return &g, nil
}

// update brings a stored conversation up to date. again says that the conversation was
// changed before its lineage was held.
func (c *Curator) update(ctx context.Context, a *Archived, known *lineage.Origin) (got Imported, again bool, err error) {
	l, err := c.lineages.Take(ctx, a.Owner, known.Root, lineage.Whole)
	if err != nil {
		return Imported{}, false, err
	}
	defer l.Release()
	now, err := c.origin(ctx, a)
	if err != nil || !sameOrigin(now, known) {
		return Imported{}, err == nil, err
	}
	if a.Origin.Adds {
		got, err = c.add(ctx, a, l, known)
		return got, false, err
	}
	p, err := c.plan(ctx, a, known)
	if err != nil {
		return Imported{}, false, err
	}
	defer p.close()
	switch p.fate {
	case FateSame:
		l.Stale()
		err := errors.Join(c.noteTexts(ctx, a, known), c.finish(ctx, a.Owner, known.Root, &a.Sessions[0]))
		if err != nil {
			return Imported{}, false, err
		}
		got, err = c.unchanged(ctx, a, known)
		return got, false, err
	case FateApart:
		got, err = c.importApart(ctx, a, known, c.whole(ctx, a, known.Root, p))
		return got, false, err
	}
	more := *a
	if more.held, err = c.holders(ctx, a, known); err != nil {
		return Imported{}, false, err
	}
	more.Messages = behind(p.rest, p.common-p.read)
	got, err = c.storeBehind(ctx, &more, l, known, p)
	got.Fate, got.Session, got.Undone = p.fate, known.Root, p.undone()
	return got, false, err
}

// storeBehind stores the messages behind those that a plan keeps, in place of what stands there.
func (c *Curator) storeBehind(ctx context.Context, a *Archived, l *lineage.Held, known *lineage.Origin, p *plan) (Imported, error) {
	if p.standing > p.common {
		if got, done, err := c.renote(ctx, a, l, p); done || err != nil {
			return got, err
		}
		// the marks lose what is undone, so that an import that breaks off behind that is completed
		left := known.Upto(p.common, known.Root, known.NextSeq)
		if _, err := c.withdraw(ctx, a.Owner, l.Lineage, p.from, c.now(), left); err != nil {
			return Imported{}, err
		}
	}
	return c.extend(ctx, a, l, p.common)
}

// HeldBy is the conversation of another program that a lineage holds; nil for none.
func (c *Curator) HeldBy(ctx context.Context, o owner.Owner, root session.ID) (*lineage.Origin, error) {
	return ifKnown(c.store.OriginOf(ctx, o, root))
}

// held is the conversation that an exported lineage held, as it is to be noted here; nil if there is none, or
// another lineage of this store holds it.
func (im *importer) held(ctx context.Context, tip *session.Session) (*lineage.Origin, error) {
	if im.from == nil {
		return nil, nil
	}
	known, err := ifKnown(im.curator.store.Origin(ctx, im.o, im.from.System, im.from.ID))
	if err != nil || known != nil && known.Root != "" {
		return nil, err
	}
	return im.from.Upto(im.from.Len(), tip.RootID, min(im.from.NextSeq, tip.NextSeq)), nil
}

// noteFrom notes the conversation that an exported lineage held, if the lineage is stored without it.
func (im *importer) noteFrom(ctx context.Context) error {
	if im.from == nil {
		return nil
	}
	tip, err := im.curator.sessions.Tip(ctx, im.o, im.want.RootID)
	if err != nil {
		return fmt.Errorf("find session: %w", err)
	}
	from, err := im.held(ctx, &tip)
	if err != nil || from == nil {
		return err
	}
	return im.store(ctx, lineage.Step{Session: tip, Origin: from})
}

// sameOrigin reports whether the stored state is still the one that was read.
func sameOrigin(now, known *lineage.Origin) bool {
	return now != nil && now.Root == known.Root && now.NextSeq == known.NextSeq && now.Len() == known.Len()
}

// placeOf returns the Seq of the standing message behind the first n, and how many messages
// stand.
func (c *Curator) placeOf(ctx context.Context, o owner.Owner, root session.ID, n int) (seq int64, standing int, err error) {
	for m, err := range c.standing(ctx, o, root, math.MaxInt64) {
		if err != nil {
			return 0, 0, err
		}
		if standing == n {
			seq = m.Seq
		}
		standing++
	}
	return seq, standing, nil
}

// extend adds messages to the lineage that holds the first n of a conversation. A failure leaves a
// part, and the next import adds the rest.
func (c *Curator) extend(ctx context.Context, a *Archived, l *lineage.Held, n int) (Imported, error) {
	im, err := c.extender(ctx, a, l, n)
	if err != nil {
		return Imported{}, err
	}
	tip := im.tip
	messages := of(tip.ID, a.Messages)
	if a.Origin != nil {
		messages = under(tip.Key, messages)
	}
	err = im.run(ctx, messages)
	return Imported{Messages: int(im.tip.NextSeq - tip.NextSeq), Cut: im.cut, Keys: im.keys, doomed: im.doomed}, err
}

// lastActive is when a stored session was active last, with the messages that a line adds. An export of this program
// tells it. Another program's line may have less than what is stored, or come from before what was said here.
func (a *Archived) lastActive(stored time.Time) time.Time {
	told := a.Sessions[0].LastActive
	if a.Origin != nil && told.Before(stored) {
		return stored
	}
	return told
}

// extender is the importer for messages behind the first n of a conversation that a lineage holds.
func (c *Curator) extender(ctx context.Context, a *Archived, l *lineage.Held, n int) (*importer, error) {
	tip, err := c.sessions.Tip(ctx, a.Owner, l.Tip.RootID)
	if err != nil {
		return nil, fmt.Errorf("find session: %w", err)
	}
	l.Stale()
	count, _ := compression.CounterFor(c.budgets.Model)
	gone, err := c.forgotten(ctx, a)
	if err != nil {
		return nil, err
	}
	tip.LastActive = a.lastActive(tip.LastActive)
	im := &importer{curator: c, gone: gone, o: a.Owner, count: count, names: make(map[string]string), inputs: make(map[int64]int64),
		restore: a.Restore, origin: a.Origin, stored: n, tip: tip, want: tip, begun: true, extends: true}
	if err := im.readErasures(ctx); err != nil {
		return nil, err
	}
	newest, err := c.sessions.Messages(ctx, a.Owner, tip.RootID, session.Range{Limit: 1, Newest: true})
	if err != nil {
		return nil, fmt.Errorf("read messages: %w", err)
	}
	if len(newest) > 0 {
		im.last = newest[0].Hash
	}
	if tip.EndReason == session.EndIncomplete {
		im.want.EndReason, im.want.EndedAt = a.Sessions[0].EndReason, a.Sessions[0].EndedAt
	}
	return im, nil
}

// behind are the messages behind the first n.
func behind(messages iter.Seq2[session.Message, error], n int) iter.Seq2[session.Message, error] {
	return picked(messages, func(i int, _ *session.Message) bool { return i >= n })
}

// picked are the messages that are wanted, by their places. An error is passed on.
func picked(messages iter.Seq2[session.Message, error], wanted func(place int, m *session.Message) bool) iter.Seq2[session.Message, error] {
	return func(yield func(session.Message, error) bool) {
		i := -1
		for m, err := range messages {
			if i++; (err != nil || wanted(i, &m)) && !yield(m, err) {
				return
			}
		}
	}
}

// of are messages as those of a session.
func of(id session.ID, messages iter.Seq2[session.Message, error]) iter.Seq2[session.Message, error] {
	return func(yield func(session.Message, error) bool) {
		for m, err := range messages {
			m.SessionID = id
			if !yield(m, err) {
				return
			}
		}
	}
}

// under are messages as those of a session key. A conversation of another program belongs to one person: its new
// messages come under the key that its session has here, whatever the key of the import is.
func under(key session.Key, messages iter.Seq2[session.Message, error]) iter.Seq2[session.Message, error] {
	return func(yield func(session.Message, error) bool) {
		for m, err := range messages {
			m.Key = key
			if !yield(m, err) {
				return
			}
		}
	}
}

// noteOrigin notes the state of a conversation that its lineage holds.
func (c *Curator) noteOrigin(ctx context.Context, o owner.Owner, known *lineage.Origin) error {
	tip, err := c.sessions.Tip(ctx, o, known.Root)
	if err != nil {
		return fmt.Errorf("find session: %w", err)
	}
	if err := c.store.AppendTurn(ctx, o, lineage.Step{Session: tip, Origin: known}); err != nil {
		return fmt.Errorf("note an import: %w", err)
	}
	return nil
}

// reached is the state of a conversation of another program after n more messages; nil for
// an export of this one.
func (im *importer) reached(n int) (*lineage.Origin, error) {
	if im.origin == nil {
		return nil, nil
	}
	im.stored += n
	if im.stored > im.origin.Len() {
		return nil, errMarks()
	}
	return im.origin.Upto(im.stored, im.tip.RootID, im.tip.NextSeq), nil
}

// complete checks that the whole conversation is stored.
func (im *importer) complete() error {
	if im.origin != nil && im.stored != im.origin.Len() {
		return errMarks()
	}
	return nil
}

func errMarks() error {
	return fault.New(fault.Invalid, "invalid_export", "The \"origin\" of a line must have a mark for each message.")
}
