package curate

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/session"
)

// plan is what an import makes of a conversation of which a part is stored.
type plan struct {
	fate Fate
	// common is how many messages stay, from is the Seq of the standing message behind them, and standing is
	// how many messages stand.
	common   int
	from     int64
	standing int
	// read is how many messages of the line were read to make the plan, and rest are all behind them.
	read  int
	rest  iter.Seq2[session.Message, error]
	close func()
}

// undone is how many stored messages the plan undoes.
func (p *plan) undone() int { return max(0, p.standing-p.common) }

// nothingNew reports whether all of a conversation is stored, as far as its marks tell. One that ends earlier
// than the stored one comes from an older export, unless it says that it was changed after the newest
// stored message was said: then its end was deleted in the other program.
func (c *Curator) nothingNew(ctx context.Context, a *Archived, known *lineage.Origin) (bool, error) {
	switch {
	case a.Origin.Adds:
		return len(known.Fresh(a.Origin)) == 0, nil
	case known.Older(a.Origin):
		return true, nil
	case !known.Holds(a.Origin):
		return false, nil
	case known.Len() == a.Origin.Len(), a.Origin.ChangedAt.IsZero():
		return true, nil
	}
	newest, err := c.sessions.Messages(ctx, a.Owner, known.Root, session.Range{Limit: 1, Newest: true, Standing: true})
	if err != nil {
		return false, fmt.Errorf("read messages: %w", err)
	}
	return len(newest) > 0 && !a.Origin.ChangedAt.After(newest[0].SaidAt), nil
}

// compares reports whether the messages of a line are compared with the stored ones, because the marks do not
// tell enough: the stored ones may lack what was forgotten, or come from an import that noted no texts. A
// line with less than what is stored could only take the rest away.
func compares(a *Archived, known *lineage.Origin) bool {
	if a.Origin.Adds { // the first import by a version that knows ids notes them
		_, more := known.WithIDs(a.Origin)
		return a.Restore || more
	}
	return (a.Restore || known.Unread(a.Origin)) && a.Origin.Len() >= known.Len() && !known.Older(a.Origin)
}

// plan plans an import. It may read messages of the line, and changes nothing.
func (c *Curator) plan(ctx context.Context, a *Archived, known *lineage.Origin) (*plan, error) {
	tip, err := c.sessions.Tip(ctx, a.Owner, known.Root)
	if err != nil {
		return nil, fmt.Errorf("find session: %w", err)
	}
	old, err := c.nothingNew(ctx, a, known)
	if err != nil {
		return nil, err
	}
	alike := known.Common(a.Origin)
	p := &plan{common: alike, rest: a.Messages, close: func() {}}
	if compares(a, known) {
		if err := c.compare(ctx, a, known, p); err != nil {
			p.close()
			return nil, err
		}
	}
	if p.from, p.standing, err = c.placeOf(ctx, a.Owner, known.Root, p.common); err != nil {
		p.close()
		return nil, err
	}
	if old && p.common == alike {
		p.fate = FateSame
	} else {
		p.fate = p.decide(a, known, tip.NextSeq != known.NextSeq)
	}
	return p, nil
}

// decide decides what becomes of a conversation of which not all is stored as it is now. continued says that the
// conversation was continued here.
func (p *plan) decide(a *Archived, known *lineage.Origin, continued bool) Fate {
	if begins, whole := known.ReadEarlier(a.Origin); begins && (continued || p.standing < known.Len()) {
		if whole && !a.Restore { // only the reading is another one
			return FateSame
		}
		return FateApart
	}
	switch {
	case continued, p.standing < p.common:
		return FateApart
	case p.common < known.Len():
		return FateChanged
	}
	return FateGrown
}

// compare compares the messages that a plan keeps with the stored ones that the last import left standing, and
// keeps only those before the first difference. A stored message that lacks what was forgotten differs if the
// import restores that.
func (c *Curator) compare(ctx context.Context, a *Archived, known *lineage.Origin, p *plan) error {
	erasures, err := c.leftOut(ctx, a.Owner, a.Restore)
	if err != nil {
		return err
	}
	line := pull(a.Messages)
	p.close, p.rest = line.stop, line.rest
	ours, stop := iter.Pull2(c.standing(ctx, a.Owner, known.Root, known.NextSeq))
	defer stop()
	for ; p.read < p.common; p.read++ {
		stored, err, more := ours()
		if err != nil || !more { // the others were undone here
			return err
		}
		m, err := line.next()
		if err != nil {
			return err
		}
		told := m
		leaveOutOf(a.Owner, &told, erasures)
		if told.Content != stored.Content || !bytes.Equal(told.ToolCalls, stored.ToolCalls) {
			line.back, p.common = &m, p.read
			return nil
		}
	}
	return nil
}

// pulled are messages that are read one by one, of which the last one can be given back.
type pulled struct {
	pull func() (session.Message, error, bool)
	stop func()
	back *session.Message // was given back
}

func pull(messages iter.Seq2[session.Message, error]) *pulled {
	next, stop := iter.Pull2(messages)
	return &pulled{pull: next, stop: stop}
}

// next reads the next message, which must be there.
func (p *pulled) next() (session.Message, error) {
	m, err, more := p.pull()
	if !more {
		err = errMarks()
	}
	return m, err
}

// rest are the messages that were not read, or were given back.
func (p *pulled) rest(yield func(session.Message, error) bool) {
	if p.back != nil && !yield(*p.back, nil) {
		return
	}
	for {
		m, err, more := p.pull()
		if !more || !yield(m, err) {
			return
		}
	}
}

// whole are all messages of a line. Those that were read to make a plan are as the stored ones, under the key of the line.
func (c *Curator) whole(ctx context.Context, a *Archived, root session.ID, p *plan) iter.Seq2[session.Message, error] {
	return func(yield func(session.Message, error) bool) {
		n := 0
		for m, err := range c.standing(ctx, a.Owner, root, math.MaxInt64) {
			if n == p.read && err == nil {
				break
			}
			m.ID, m.Key = 0, a.Sessions[0].Key // it gets an id of its own
			if n++; !yield(m, err) || err != nil {
				return
			}
		}
		for m, err := range p.rest {
			if !yield(m, err) {
				return
			}
		}
	}
}

// noteTexts notes what the messages of an import said that noted no texts. They were compared.
func (c *Curator) noteTexts(ctx context.Context, a *Archived, known *lineage.Origin) error {
	if !known.Unread(a.Origin) || known.Len() != a.Origin.Len() {
		return nil
	}
	return c.noteOrigin(ctx, a.Owner, a.Origin.Upto(known.Len(), known.Root, known.NextSeq))
}
