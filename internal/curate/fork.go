package curate

import (
	"context"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// Branch says what to copy to a new lineage.
type Branch struct {
	Owner   owner.Owner
	Session session.ID
	// MessageID is the last message to copy; 0 copies all standing messages.
	MessageID int64
	// Title is the title of the new session; "" is the source's title with the next
	// number.
	Title string
}

// copyPage is how many messages one transaction copies: a large fork must not delay
// other writes.
const copyPage = 250

// copyBytes bounds the text that one transaction copies, in bytes. The transaction ends
// after the message that reaches the bound.
const copyBytes = 4 << 20

// Fork copies a transcript, up to a message, to a new lineage, whose memory is learnt
// from the copied messages. Times stay the same. If the last message has been undone
// since, the messages that stood when it was said are copied, so an abandoned branch
// can be restored.
//
// The copies have no session key, because the memory of the key has the originals
// already. The new session still has the key.
func (c *Curator) Fork(ctx context.Context, b *Branch) (session.Session, error) {
	leave, err := c.copying.share(ctx, b.Owner)
	if err != nil {
		return session.Session{}, err
	}
	defer leave()
	source, err := c.sessions.Tip(ctx, b.Owner, b.Session)
	if err != nil {
		return session.Session{}, fmt.Errorf("find session: %w", err)
	}
	copier := &copier{curator: c, o: b.Owner, source: source, until: source.NextSeq, at: c.now()}
	if b.MessageID != 0 {
		last, err := c.sessions.Messages(ctx, b.Owner, source.RootID, session.Range{MessageID: b.MessageID})
		if err != nil {
			return session.Session{}, fmt.Errorf("find message: %w", err)
		}
		if len(last) == 0 {
			return session.Session{}, fault.New(fault.NotFound, "message_not_found", "This session has no message with this id.").At("message_id")
		}
		copier.until, copier.at = last[0].Seq+1, last[0].RecordedAt
		if last[0].Stands() {
			copier.at = c.now()
		}
	}
	if err := copier.open(ctx, b.Title); err != nil {
		return session.Session{}, err
	}
	defer copier.held.Release()
	if err := copier.copy(ctx); err != nil {
		whole := context.WithoutCancel(ctx) // a partial copy must be removed
		if clean := c.sessions.DeleteLineage(whole, b.Owner, copier.tip.RootID); clean != nil {
			c.log.WarnContext(ctx, "could not remove a copy that was broken off", "err", clean)
		}
		c.views.Drop(b.Owner, memory.Scope{Root: copier.tip.RootID})
		return session.Session{}, err
	}
	return c.sessions.Tip(ctx, b.Owner, copier.tip.ID)
}

// copier copies a lineage to another.
type copier struct {
	curator *Curator
	o       owner.Owner
	source  session.Session
	until   int64     // the first Seq not copied
	at      time.Time // messages that were undone later are copied, too

	tip    session.Session // of the copy
	last   []byte          // hash of the newest message of the copy
	places map[int64]int64 // old to new Seq, for notes that replace a fact
	copies map[int64]int64 // old to new message id
	facts  map[memory.FactID]memory.Fact
	held   *lineage.Held
}

// open creates the session of the copy. It stays marked as incomplete until the copy is
// complete, so that a copy interrupted by a crash can be recognized.
func (c *copier) open(ctx context.Context, title string) error {
	cur := c.curator
	now := cur.now()
	s := &c.source
	titled := session.TitlePerson
	if title == "" {
		title, titled = s.Title, s.TitleSource
	} else if free, err := cur.catalog.FreeTitle(ctx, c.o, title); err != nil || free != title {
		if err != nil {
			return fmt.Errorf("look for title: %w", err)
		}
		return fault.New(fault.Conflict, "title_taken", fmt.Sprintf("Another session has the title %q. %q is free.", title, free)).At("title")
	}
	id := session.NewID(now)
	c.tip = session.Session{
		ID: id, RootID: id, ParentID: s.ID, Key: s.Key, Source: s.Source, UserID: s.UserID, Model: s.Model,
		SystemPrompt: s.SystemPrompt, Title: title, TitleSource: titled, StartedAt: now, LastActive: now, EndedAt: now,
		EndReason: session.EndIncomplete,
	}
	c.tip.Metadata = s.Metadata
	if c.until > s.TailFrom {
		c.tip.Summary = s.Summary
	}
	l, err := cur.lineages.Take(ctx, c.o, id, lineage.Bare)
	if err != nil {
		return err
	}
	l.Stale() // the first turn reads the copy from the store
	if err := cur.store.AppendTurn(ctx, c.o, lineage.Step{Opened: true, Session: c.tip}); err != nil {
		l.Release()
		return fmt.Errorf("open copy: %w", err)
	}
	c.held = l
	return nil
}

// copy copies the messages in pages.
func (c *copier) copy(ctx context.Context) error {
	cur := c.curator
	view, leave, err := cur.views.Use(ctx, c.o, memory.Scope{Root: c.tip.RootID}, true)
	if err != nil {
		return err
	}
	defer leave()
	c.places, c.copies = make(map[int64]int64), make(map[int64]int64)
	for from := int64(0); from < c.until; {
		ms, err := cur.sessions.Messages(ctx, c.o, c.source.RootID, session.Range{From: from, To: c.until, Limit: copyPage, Bytes: copyBytes})
		if err != nil {
			return fmt.Errorf("read messages: %w", err)
		}
		if len(ms) == 0 || ms[0].Seq != from {
			return fault.New(fault.Conflict, "session_changed", "The session was deleted while it was copied.")
		}
		from = ms[len(ms)-1].Seq + 1
		if err := c.page(ctx, view, ms, from == c.until); err != nil {
			return err
		}
	}
	if c.until == 0 {
		return c.page(ctx, view, nil, true)
	}
	return nil
}

// page copies some messages. end says that they are the last.
func (c *copier) page(ctx context.Context, view *memory.View, ms []session.Message, end bool) error {
	if err := ctx.Err(); err != nil {
		return fault.Wrap(fault.Canceled, "cancelled", "The request was cancelled.", err)
	}
	tip := &c.tip
	var step lineage.Step
	for i := range ms {
		if !ms[i].Stands() && !ms[i].UndoneAt.After(c.at) {
			continue
		}
		m := ms[i]
		c.places[m.Seq] = tip.NextSeq
		if m.Seq < c.source.TailFrom && c.until > c.source.TailFrom {
			tip.TailFrom = tip.NextSeq + 1
		}
		if replaced := memory.NoteReplaces(m.Note); replaced != "" {
			if err := c.moveNote(ctx, &m, replaced); err != nil {
				return err
			}
		}
		m.SessionID, m.RootID, m.Seq, m.Key, m.UndoneAt = tip.ID, tip.RootID, tip.NextSeq, "", time.Time{}
		step.Messages = append(step.Messages, m)
		lineage.Count(tip, &m)
	}
	first, err := c.curator.store.ReserveMessageIDs(ctx, c.o, len(step.Messages))
	if err != nil {
		return fmt.Errorf("reserve message ids: %w", err)
	}
	for i := range step.Messages {
		m := &step.Messages[i]
		m.ReplyTo = c.copies[m.ReplyTo] // 0 if the input is not copied
		c.copies[m.ID] = first + int64(i)
		m.ID = c.copies[m.ID]
		m.Hash = lineage.Chain(c.last, m)
		c.last = m.Hash
		if change := c.curator.lineages.Learn(view, ranking.DocumentOf(m)); len(change.Learned)+len(change.Superseded) > 0 {
			step.Changes = append(step.Changes, change)
		}
	}
	if end {
		tip.EndedAt, tip.EndReason = time.Time{}, ""
	}
	step.Session, step.Untold = *tip, lineage.Never // the originals are told
	if err := c.curator.store.AppendTurn(ctx, c.o, step); err != nil {
		return fmt.Errorf("store copy: %w", err)
	}
	return nil
}

// moveNote sets the fact that a note replaces to that fact's id in the copy.
func (c *copier) moveNote(ctx context.Context, m *session.Message, replaced memory.FactID) error {
	if c.facts == nil {
		c.facts = make(map[memory.FactID]memory.Fact)
		facts, err := c.curator.Facts(ctx, c.o, memory.Scope{Root: c.source.RootID, Whole: true})
		if err != nil {
			return err
		}
		for i := range facts {
			c.facts[facts[i].ID] = facts[i]
		}
	}
	f, known := c.facts[replaced]
	seq, copied := c.places[f.Source.Seq]
	if known && copied && f.Source.Root == c.source.RootID {
		m.Note = memory.CopyNote(m.Note, &f, c.tip.RootID, seq)
	}
	return nil
}
