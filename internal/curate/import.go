package curate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Archived is a lineage in an export.
type Archived struct {
	Owner owner.Owner
	// Sessions are the sessions of the lineage, oldest first; at least one.
	Sessions []session.Session
	// Hash is the hash of the newest message; empty without messages; nil if unknown.
	Hash []byte
	// Messages are all messages of the lineage, in order.
	Messages iter.Seq2[session.Message, error]
	// Restore also restores forgotten content.
	Restore bool
	// Origin is the whole conversation in another program, of which Messages are the
	// messages; nil for an export of this one. Its Root and NextSeq are not used.
	Origin *lineage.Origin
	// From is the conversation of another program that the lineage held where an export of this
	// program was made; nil for none. Its Root is not used.
	From *lineage.Origin
	// held is the lineage that has held the conversation so far; "" for none.
	held session.ID
}

// Imported is the outcome for a lineage.
type Imported struct {
	// Same says that this lineage is stored already.
	Same     bool
	Messages int
	// Fate is what became of a conversation of another program; "" for an export.
	Fate Fate
	// Session is the session that a conversation of another program was written to.
	Session session.ID
	// Keys are session keys whose memory lacks messages. After the whole import,
	// [Curator.SettleKeys] learns them.
	Keys []session.Key
	// doomed are facts whose sentences were forgotten. They are erased once the lineage is released.
	doomed []memory.Fact
}

// Import stores an exported lineage with its ids, times, marks and receipts. Facts are
// derived, so they are learnt again. It fails with Conflict, and changes nothing, if
// another lineage has one of the session ids. What was forgotten here stays out. A session that the export
// only continues is continued.
func (c *Curator) Import(ctx context.Context, a *Archived) (Imported, error) {
	store := c.importExported
	if a.Origin != nil {
		store = c.importOrigin
	}
	got, err := store(ctx, a)
	// A session that was continued in part keeps that part, also without the client.
	return got, errors.Join(err, c.eraseForgotten(context.WithoutCancel(ctx), a.Owner, got.doomed))
}

// importExported stores a lineage of an export of this program, or its new messages.
func (c *Curator) importExported(ctx context.Context, a *Archived) (Imported, error) {
	got, err := c.importNew(ctx, a)
	if fault.CodeOf(err) == codeExists && len(a.Sessions) == 1 {
		if more, grown, failed := c.grow(ctx, a); grown || failed != nil {
			return more, failed
		}
	}
	return got, err
}

// importNew stores a lineage whose ids must be free.
func (c *Curator) importNew(ctx context.Context, a *Archived) (Imported, error) {
	count, _ := compression.CounterFor(c.budgets.Model)
	gone, err := c.forgotten(ctx, a)
	if err != nil {
		return Imported{}, err
	}
	im := &importer{curator: c, gone: gone, o: a.Owner, count: count, names: make(map[string]string), inputs: make(map[int64]int64),
		restore: a.Restore, origin: a.Origin, from: a.From, rows: a.Sessions, want: a.Sessions[len(a.Sessions)-1]}
	root := a.Sessions[0].ID
	l, err := c.lineages.Take(ctx, a.Owner, root, lineage.Bare)
	if err != nil {
		return Imported{}, err
	}
	defer l.Release()
	l.Stale() // the next turn reads the import from the store
	if err := im.readErasures(ctx); err != nil {
		return Imported{}, err
	}
	im.leaveOutOrigin()
	part, err := im.part(ctx, a)
	if err != nil {
		return Imported{}, err
	}
	if part != nil {
		return im.storeRest(ctx, a, part)
	}
	switch same, err := im.taken(ctx, a); {
	case err != nil:
		return Imported{}, err
	case same:
		if err := im.noteFrom(ctx); err != nil {
			return Imported{}, err
		}
		keys, err := c.unsettled(ctx, a.Owner, a.Sessions)
		return Imported{Same: true, Keys: keys}, err
	case gone.whole(a), named(a, im.erasures):
		return Imported{Fate: FateDeleted}, nil
	}
	return im.storeAll(ctx, root, a.Messages)
}

// storeAll stores the sessions of a line that are not created yet, and its messages.
func (im *importer) storeAll(ctx context.Context, root session.ID, messages iter.Seq2[session.Message, error]) (Imported, error) {
	for i := range im.rows {
		im.cleanRow(&im.rows[i])
	}
	if err := im.run(ctx, messages); err != nil {
		return im.remove(ctx, root, err)
	}
	return Imported{Messages: int(im.tip.NextSeq), Keys: im.keys, doomed: im.doomed}, nil
}

// remove removes the part of a new lineage that is stored, because of an error. A lineage with a message of a
// forgotten session key is left out.
func (im *importer) remove(ctx context.Context, root session.ID, err error) (out Imported, because error) {
	if errors.Is(err, errNamed) {
		out.Fate, err = FateDeleted, nil
	}
	if !im.opened {
		return out, err
	}
	whole := context.WithoutCancel(ctx)
	if clean := im.curator.sessions.DeleteLineage(whole, im.o, root); clean != nil {
		im.curator.log.WarnContext(ctx, "could not remove an import that was broken off", "err", clean)
	}
	im.curator.views.DropOwner(im.o)
	out.Keys = im.touched()
	return out, err
}

// importer stores one lineage.
type importer struct {
	curator  *Curator
	o        owner.Owner
	restore  bool
	erasures []memory.Erasure // the content to leave out
	// gone is what was forgotten by itself, and doomed what of it has come back.
	gone   *Again
	doomed []memory.Fact
	// origin is the conversation of another program, and stored how many of its messages
	// are stored.
	origin *lineage.Origin
	stored int
	// from is the conversation of another program that an exported lineage held.
	from *lineage.Origin

	rows []session.Session // sessions that are not created yet
	want session.Session   // the exported tip
	tip  session.Session
	last []byte
	// count counts the tokens of a text. Token counts of the export are not trusted.
	count compression.Counter
	// begins are the Seqs of the user's messages.
	begins []int64
	// inputs are the new ids of user and tool messages, by exported id.
	inputs map[int64]int64
	// receipts are the ids of the receipts stored so far.
	receipts map[string]bool
	// opened says that there are rows to remove if the import fails.
	opened bool
	// begun says that messages of the lineage were stored before, and extends that the whole lineage was.
	begun, extends bool
	names          map[string]string // tool names by call id
	keys           []session.Key     // whose memory lacks messages
	// met are the scopes that have learnt messages of this lineage.
	met map[memory.Scope]bool
}

// taken checks that the ids are free. same says that the same lineage is stored
// already.
func (im *importer) taken(ctx context.Context, a *Archived) (same bool, err error) {
	for i := range im.rows {
		row := &im.rows[i]
		found, err := im.curator.sessions.Session(ctx, im.o, row.ID)
		if fault.KindOf(err) == fault.NotFound {
			continue
		}
		if err != nil {
			return false, fmt.Errorf("look for session: %w", err)
		}
		if i == 0 && found.RootID == row.RootID && a.Hash != nil {
			same, err = im.holds(ctx, row.RootID, a)
		}
		if err == nil && !same {
			err = im.errExists(row.ID)
		}
		return same, err
	}
	return false, nil
}

// codeExists is the code of errExists.
const codeExists = "session_exists"

// errExists says that a session has an id of the line, and what to do next.
func (im *importer) errExists(id session.ID) error {
	what := "with other messages"
	if im.origin != nil {
		what = "and is not known to come from this conversation"
	}
	return fault.New(fault.Conflict, codeExists, fmt.Sprintf("A session with the id %q exists already, %s; it was left as it is. "+
		"To take this one in its place, delete that one with `hermes sessions delete %s`, and import again. "+
		"To keep both, copy that one first with `hermes sessions fork %s`.", id, what, id, id)).At("id")
}

// holds reports whether a stored lineage is the exported one. Its running hash covers all messages. Those of
// which something was forgotten have the hash of before, there and here, so that they are compared themselves.
func (im *importer) holds(ctx context.Context, root session.ID, a *Archived) (bool, error) {
	newest, err := im.curator.sessions.Messages(ctx, im.o, root, session.Range{Limit: 1, Newest: true})
	switch {
	case err != nil:
		return false, fmt.Errorf("read messages: %w", err)
	case len(newest) == 0:
		return im.want.NextSeq == 0, nil
	case newest[0].Seq+1 != im.want.NextSeq:
		return false, nil
	case bytes.Equal(newest[0].Hash, a.Hash):
		return true, nil
	}
	return im.saysTheSame(ctx, root, a)
}

// saysTheSame compares the messages of a line, without what is left out of them, with those of a stored lineage.
func (im *importer) saysTheSame(ctx context.Context, root session.ID, a *Archived) (bool, error) {
	if err := im.readErasures(ctx); err != nil {
		return false, err
	}
	line := pull(a.Messages)
	defer line.stop()
	for stored, err := range im.curator.messages(ctx, im.o, root) {
		if err != nil {
			return false, err
		}
		m, err, more := line.pull()
		if err != nil || !more {
			return false, err
		}
		im.clean(&m)
		if !bytes.Equal(lineage.Chain(nil, &m), lineage.Chain(nil, &stored)) {
			return false, nil
		}
	}
	return true, nil
}

// run stores the messages in pages, opening sessions where they begin.
func (im *importer) run(ctx context.Context, messages iter.Seq2[session.Message, error]) error {
	for page, err := range pages(messages) {
		if err != nil {
			return err
		}
		if err := im.page(ctx, page); err != nil {
			return err
		}
	}
	for len(im.rows) > 0 { // sessions in which nothing was said
		if err := im.store(ctx, im.open()); err != nil {
			return err
		}
	}
	if err := im.complete(); err != nil {
		return err
	}
	return im.close(ctx)
}

// pages cuts messages into pages of one session each, bounded in number and in size.
// A page is valid until the next one.
func pages(messages iter.Seq2[session.Message, error]) iter.Seq2[[]session.Message, error] {
	return func(yield func([]session.Message, error) bool) {
		page, size := make([]session.Message, 0, copyPage), 0
		flush := func() (gone bool) {
			gone = !yield(page, nil)
			clear(page)
			page, size = page[:0], 0
			return gone
		}
		for m, err := range messages {
			if err != nil {
				yield(nil, err)
				return
			}
			if len(page) > 0 && page[0].SessionID != m.SessionID && flush() {
				return
			}
			page = append(page, m)
			size += m.Size()
			// The page is stored before the next message is read, which may be as large.
			if full := len(page) == copyPage || size > copyBytes; full && flush() {
				return
			}
		}
		if len(page) > 0 {
			flush()
		}
	}
}

// page stores messages of one session.
func (im *importer) page(ctx context.Context, ms []session.Message) error {
	if err := ctx.Err(); err != nil {
		return fault.Wrap(fault.Canceled, "cancelled", "The request was cancelled.", err)
	}
	if err := im.leaveOutKeys(ms); err != nil {
		return err
	}
	for len(im.rows) > 0 && im.tip.ID != ms[0].SessionID {
		step := im.open()
		if im.tip.ID == ms[0].SessionID {
			return im.fill(ctx, step, ms)
		}
		if err := im.store(ctx, step); err != nil {
			return err
		}
	}
	if im.tip.ID != ms[0].SessionID {
		return fault.New(fault.Invalid, "invalid_export", fmt.Sprintf("A message is of the session %q, which the line does not list there.", ms[0].SessionID))
	}
	return im.fill(ctx, lineage.Step{Session: im.tip}, ms)
}

// open is a step that creates the next session of the lineage.
func (im *importer) open() lineage.Step {
	step := lineage.Step{Opened: true}
	if im.opened {
		ended := im.tip
		step.Ended = &ended
	}
	row := im.rows[0]
	im.rows = im.rows[1:]
	if im.opened {
		step.Ended.EndedAt, step.Ended.EndReason = im.endOf(&im.tip)
	}
	row.NextSeq, row.LineageTokens = im.tip.NextSeq, im.tip.LineageTokens
	row.MessageCount, row.ToolCallCount = 0, 0
	row.TailFrom = im.tailFrom(row.TailFrom)
	im.tip = row
	if len(im.rows) == 0 { // until the import is complete
		row.EndedAt, row.EndReason = row.LastActive, session.EndIncomplete
	}
	step.Session = row
	return step
}

// tailFrom is the start of the tail for the messages imported so far: the user's last
// message at or before the exported position. If that position would hide all messages,
// the tail is the whole lineage.
func (im *importer) tailFrom(exported int64) int64 {
	if exported >= im.tip.NextSeq {
		return 0
	}
	i, found := slices.BinarySearch(im.begins, exported)
	switch {
	case found:
		return exported
	case i == 0:
		return 0
	}
	return im.begins[i-1]
}

// endOf is the end of a session that is not the last of its lineage.
func (im *importer) endOf(s *session.Session) (time.Time, session.EndReason) {
	if s.EndedAt.IsZero() {
		return s.LastActive, session.EndCompression
	}
	return s.EndedAt, s.EndReason
}

// store writes a step.
func (im *importer) store(ctx context.Context, step lineage.Step) error {
	if err := im.curator.store.AppendTurn(ctx, im.o, step); err != nil {
		return fmt.Errorf("store import: %w", err)
	}
	im.opened = true
	return nil
}

// close sets the exported fields of the tip.
func (im *importer) close(ctx context.Context) error {
	tip := im.tip
	tip.EndedAt, tip.EndReason = im.want.EndedAt, im.want.EndReason
	if tip.Generation == 0 && !im.extends { // a fork of a folded lineage
		tip.TailFrom = im.tailFrom(im.want.TailFrom)
	}
	step := lineage.Step{Session: tip}
	if im.origin != nil { // also of a conversation whose end was undone
		step.Origin = im.origin.Upto(im.stored, tip.RootID, tip.NextSeq)
	}
	from, err := im.held(ctx, &tip)
	if err != nil {
		return err
	}
	if from != nil {
		step.Origin = from
	}
	return im.store(ctx, step)
}
