package curate

import (
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/session"
)

// The memories of another program stand alone: an input may have any part of them, so what it lacks was
// not deleted there. A memory that was edited there keeps its id, and takes the place of the old one.

// additions is what an import makes of a conversation whose messages stand alone.
type additions struct {
	fate Fate
	// common is how many stored messages stay, and from is the Seq of the first one that does not.
	common int
	from   int64
	// undone is how many of them do not stay, and edited how many memories were edited.
	undone, edited int
	// messages are those to be stored behind the ones that stay. They are read once.
	messages iter.Seq2[session.Message, error]
	// origin is the state of the conversation with these messages, as far as they were read.
	origin *lineage.Origin
}

// added is a message that is to be stored, with its marks.
type added struct {
	session.Message

	mark, text []byte
	// replaces are the places of the stored messages that it is an edit of.
	replaces []int
}

// add brings a stored conversation up to date whose messages stand alone.
func (c *Curator) add(ctx context.Context, a *Archived, l *lineage.Held, known *lineage.Origin) (Imported, error) {
	p, err := c.planAdds(ctx, a, known)
	switch {
	case err != nil:
		return Imported{}, err
	case p.fate == FateApart:
		got, err := c.importApart(ctx, a, known, p.messages)
		got.Absent = a.absent(known)
		return got, err
	}
	more := *a
	if more.held, err = c.holders(ctx, a, known); err != nil {
		return Imported{}, err
	}
	more.Origin, more.Messages = p.origin, p.messages
	var got Imported
	if p.fate == FateChanged {
		got, err = c.exchange(ctx, &more, l, p)
	} else {
		got, err = c.extend(ctx, &more, l, p.common)
	}
	p.tell(&got, a, known)
	if got.Messages == 0 && err == nil {
		return c.unchanged(ctx, a, known)
	}
	return got, err
}

// tell tells what became of a conversation as it was planned.
func (p *additions) tell(got *Imported, a *Archived, known *lineage.Origin) {
	got.Fate, got.Session = p.fate, known.Root
	got.Undone, got.Edited, got.Absent = p.undone, p.edited, a.absent(known)
}

// planAdds plans an import of messages that stand alone. It changes nothing.
func (c *Curator) planAdds(ctx context.Context, a *Archived, known *lineage.Origin) (*additions, error) {
	fresh, err := c.fresh(ctx, a, known)
	if err != nil {
		return nil, err
	}
	origin := *a.Origin
	origin.Marks = slices.Clone(known.Marks)
	origin.Texts, _ = known.WithIDs(a.Origin)
	if origin.ChangedAt.Before(known.ChangedAt) {
		origin.ChangedAt = known.ChangedAt
	}
	p := &additions{fate: FateGrown, common: known.Len(), origin: &origin}
	edited := known.Edited(a.Origin)
	if len(edited) > 0 {
		return p, c.planEdits(ctx, a, known, p, func(i int, m *session.Message) *added {
			if !fresh(i, m) {
				return nil
			}
			return &added{Message: *m, mark: a.Origin.Mark(i), text: a.Origin.Text(i), replaces: edited[i]}
		})
	}
	p.messages = picked(a.Messages, func(i int, m *session.Message) bool {
		wanted := fresh(i, m)
		if wanted { // no page of messages is stored before their marks are known
			p.note(a.Origin.Mark(i), a.Origin.Text(i))
		}
		return wanted
	})
	return p, nil
}

// note notes the marks of the next message.
func (p *additions) note(mark, text []byte) {
	p.origin.Marks, p.origin.Texts = append(p.origin.Marks, mark...), append(p.origin.Texts, text...)
}

// planEdits plans an import in which messages may be edits of stored ones. wanted is a message of the line
// with its marks; nil if it is stored already.
func (c *Curator) planEdits(
	ctx context.Context, a *Archived, known *lineage.Origin, p *additions, wanted func(i int, m *session.Message) *added,
) error {
	rows, err := c.rowsOf(ctx, a, known)
	if err != nil {
		return err
	}
	var all []session.Message
	var more []added
	for m, err := range a.Messages {
		if err != nil {
			return err
		}
		if one := wanted(len(all), &m); one != nil && !one.older(known, rows) {
			more = append(more, *one)
		}
		all = append(all, m)
	}
	switch edits := slices.ContainsFunc(more, func(m added) bool { return len(m.replaces) > 0 }); {
	case !edits:
		p.take(more)
		return nil
	case rows == nil:
		p.fate, p.messages = FateApart, each(all, func(m *session.Message) session.Message { return *m })
		return nil
	}
	return c.replace(ctx, a, known, p, rows, more)
}

// row is the place of a stored message.
type row struct {
	seq    int64
	saidAt time.Time
}

// rowsOf are the stored messages of a conversation, one for each mark; nil if the conversation went on here, or
// a part of it was undone here.
func (c *Curator) rowsOf(ctx context.Context, a *Archived, known *lineage.Origin) ([]row, error) {
	tip, err := c.sessions.Tip(ctx, a.Owner, known.Root)
	if err != nil {
		return nil, fmt.Errorf("find session: %w", err)
	}
	var rows []row
	for m, err := range c.standing(ctx, a.Owner, known.Root, math.MaxInt64) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{m.Seq, m.SaidAt})
	}
	if tip.NextSeq != known.NextSeq || len(rows) != known.Len() {
		return nil, nil
	}
	return rows, nil
}

// older reports whether a message has an older text than a stored message with its id. Where the stored one is
// not found, a message is newer if it was changed after all that was imported.
func (m *added) older(known *lineage.Origin, rows []row) bool {
	if len(m.replaces) > 0 && rows == nil {
		return !m.SaidAt.After(known.ChangedAt)
	}
	return slices.ContainsFunc(m.replaces, func(place int) bool { return rows[place].saidAt.After(m.SaidAt) })
}

// replace plans to undo the stored messages from the first one on that was edited, or is later than a message
// to be stored. The others among them are stored again, in the order of their times.
func (c *Curator) replace(ctx context.Context, a *Archived, known *lineage.Origin, p *additions, rows []row, more []added) error {
	gone := make(map[int]bool)
	first := more[0].SaidAt
	for i := range more {
		if more[i].SaidAt.Before(first) {
			first = more[i].SaidAt
		}
		for _, place := range more[i].replaces {
			gone[place] = true
		}
		if len(more[i].replaces) > 0 {
			p.edited++
		}
	}
	p.fate, p.common = FateChanged, 0
	for !gone[p.common] && !rows[p.common].saidAt.After(first) {
		p.common++
	}
	p.from, p.undone = rows[p.common].seq, len(rows)-p.common
	var behind []added
	place := 0
	for m, err := range c.standing(ctx, a.Owner, known.Root, math.MaxInt64) {
		if err != nil {
			return err
		}
		if place >= p.common && !gone[place] {
			m.ID = 0 // it gets one of its own
			behind = append(behind, added{Message: m, mark: known.Mark(place), text: p.origin.Text(place)})
		}
		place++
	}
	behind = append(behind, more...)
	slices.SortStableFunc(behind, func(a, b added) int { return a.SaidAt.Compare(b.SaidAt) })
	p.origin.Marks, p.origin.Texts = p.origin.Marks[:p.common*lineage.MarkSize], slices.Clone(p.origin.Texts[:p.common*lineage.MarkSize])
	p.take(behind)
	return nil
}

// take makes messages those of a plan.
func (p *additions) take(list []added) {
	for i := range list {
		p.note(list[i].mark, list[i].text)
	}
	p.messages = each(list, func(m *added) session.Message { return m.Message })
}

// each are the messages of a list.
func each[T any](list []T, message func(*T) session.Message) iter.Seq2[session.Message, error] {
	return func(yield func(session.Message, error) bool) {
		for i := range list {
			if !yield(message(&list[i]), nil) {
				return
			}
		}
	}
}

// fresh reports of messages that stand alone whether they are to be added: those that are not stored, and
// with Restore those of which a part was forgotten.
func (c *Curator) fresh(ctx context.Context, a *Archived, known *lineage.Origin) (func(place int, m *session.Message) bool, error) {
	unknown := make(map[int]bool)
	for _, place := range known.Fresh(a.Origin) {
		unknown[place] = true
	}
	if !a.Restore {
		return func(place int, _ *session.Message) bool { return unknown[place] }, nil
	}
	said := make(map[[sha256.Size]byte]bool)
	for m, err := range c.standing(ctx, a.Owner, known.Root, math.MaxInt64) {
		if err != nil {
			return nil, err
		}
		said[sha256.Sum256([]byte(m.Content))] = true
	}
	return func(place int, m *session.Message) bool {
		return unknown[place] || !said[sha256.Sum256([]byte(m.Content))]
	}, nil
}
