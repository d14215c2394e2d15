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
	"github.com/hermes-memory/hermes/internal/ranking"
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
}

// Imported is the outcome for a lineage.
type Imported struct {
	// Same says that this lineage is stored already.
	Same     bool
	Messages int
	// Keys are the session keys of its messages. After the whole import, the memory of
	// these keys must be rebuilt, because lineages interleave.
	Keys []session.Key
}

// Import stores an exported lineage with its ids, times, marks and receipts. Facts are
// derived, so they are learnt again. It fails with Conflict, and changes nothing, if
// another lineage has one of the session ids.
func (c *Curator) Import(ctx context.Context, a *Archived) (Imported, error) {
	count, _ := compression.CounterFor(c.budgets.Model)
	im := &importer{curator: c, o: a.Owner, count: count, names: make(map[string]string), inputs: make(map[int64]int64),
		restore: a.Restore, rows: a.Sessions, want: a.Sessions[len(a.Sessions)-1]}
	root := a.Sessions[0].ID
	l, err := c.lineages.Take(ctx, a.Owner, root, lineage.Bare)
	if err != nil {
		return Imported{}, err
	}
	defer l.Release()
	l.Stale() // the next turn reads the import from the store
	if same, err := im.taken(ctx, a.Hash); same || err != nil {
		return Imported{Same: same}, err
	}
	if err := im.readErasures(ctx); err != nil {
		return Imported{}, err
	}
	for i := range im.rows {
		im.cleanRow(&im.rows[i])
	}
	defer im.leaveViews()
	if err := im.run(ctx, a.Messages); err != nil {
		if !im.opened {
			return Imported{}, err
		}
		whole := context.WithoutCancel(ctx) // a partial import must be removed
		if clean := c.sessions.DeleteLineage(whole, a.Owner, root); clean != nil {
			c.log.WarnContext(ctx, "could not remove an import that was broken off", "err", clean)
		}
		c.views.DropOwner(a.Owner)
		return Imported{}, err
	}
	return Imported{Messages: int(im.tip.NextSeq), Keys: im.keys}, nil
}

// SettleKeys rebuilds the memory of session keys after an import. Messages of several
// lineages under one key must be learnt in the order of the messages, and lineages are
// imported one after another.
func (c *Curator) SettleKeys(ctx context.Context, o owner.Owner, keys []session.Key) error {
	for _, key := range keys {
		if _, err := c.rebuildAlone(ctx, o, memory.Scope{Key: key}, false); err != nil {
			return err
		}
	}
	return nil
}

// importer stores one lineage.
type importer struct {
	curator  *Curator
	o        owner.Owner
	restore  bool
	erasures []memory.Erasure // the content to leave out

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
	names  map[string]string // tool names by call id
	keys   []session.Key
	views  map[memory.Scope]*memory.View
	leave  []func()
}

// taken checks that the ids are free. same says that the same lineage is stored
// already.
func (im *importer) taken(ctx context.Context, hash []byte) (same bool, err error) {
	for i := range im.rows {
		row := &im.rows[i]
		found, err := im.curator.sessions.Session(ctx, im.o, row.ID)
		if fault.KindOf(err) == fault.NotFound {
			continue
		}
		if err != nil {
			return false, fmt.Errorf("look for session: %w", err)
		}
		if i == 0 && found.RootID == row.RootID && hash != nil && im.sameEnd(ctx, row.RootID, hash) {
			return true, nil
		}
		return false, fault.New(fault.Conflict, "session_exists", fmt.Sprintf("A session with the id %q exists already; it was left as it is.", row.ID)).At("id")
	}
	return false, nil
}

// sameEnd reports whether a stored lineage ends like the exported one. The running hash
// covers all earlier messages.
func (im *importer) sameEnd(ctx context.Context, root session.ID, hash []byte) bool {
	newest, err := im.curator.sessions.Messages(ctx, im.o, root, session.Range{Limit: 1, Newest: true})
	if err != nil {
		return false
	}
	if len(newest) == 0 {
		return im.want.NextSeq == 0
	}
	return newest[0].Seq+1 == im.want.NextSeq && bytes.Equal(newest[0].Hash, hash)
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

// fill adds the messages to a step, learns them, and stores the step.
func (im *importer) fill(ctx context.Context, step lineage.Step, ms []session.Message) error {
	if err := errors.Join(im.number(ctx, ms), im.readErasures(ctx)); err != nil {
		return err
	}
	opened := step.Session
	lineage.NameTools(im.names, ms)
	for i := range ms {
		m := &ms[i]
		m.RootID, m.Seq = im.tip.RootID, im.tip.NextSeq
		im.clean(m)
		if err := im.checkReceipt(ctx, m); err != nil {
			return err
		}
		m.Tokens = lineage.Tokens(m, im.count)
		m.Hash = lineage.Chain(im.last, m)
		im.last = m.Hash
		if m.Role == session.User {
			im.begins = append(im.begins, m.Seq)
		}
		lineage.Count(&im.tip, m)
		if !m.Stands() {
			im.tip.LineageTokens -= int64(m.Tokens + compression.MessageOverhead)
			continue
		}
		if err := im.learn(ctx, m, &step); err != nil {
			return err
		}
	}
	step.Messages = ms
	step.Session = im.tip
	step.Session.EndedAt, step.Session.EndReason = opened.EndedAt, opened.EndReason
	if len(im.rows) == 0 {
		step.Session.EndedAt, step.Session.EndReason = im.tip.LastActive, session.EndIncomplete
	}
	return im.store(ctx, step)
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
	if tip.Generation == 0 { // a fork of a folded lineage
		tip.TailFrom = im.tailFrom(im.want.TailFrom)
	}
	return im.store(ctx, lineage.Step{Session: tip})
}

// checkReceipt drops a receipt whose id another answer has already.
func (im *importer) checkReceipt(ctx context.Context, m *session.Message) error {
	if m.ReceiptID == "" {
		return nil
	}
	taken := im.receipts[m.ReceiptID]
	if !taken {
		_, err := im.curator.receipts.Receipt(ctx, im.o, m.ReceiptID)
		if err != nil && fault.KindOf(err) != fault.NotFound {
			return fmt.Errorf("look for receipt: %w", err)
		}
		taken = fault.CodeOf(err) != "receipt_not_found"
	}
	if taken {
		m.ReceiptID, m.Receipt = "", nil
		return nil
	}
	if im.receipts == nil {
		im.receipts = make(map[string]bool)
	}
	im.receipts[m.ReceiptID] = true
	return nil
}

// number keeps the messages' ids where they are free. The order of lineages under one
// key stays what it was.
func (im *importer) number(ctx context.Context, ms []session.Message) error {
	theirs := make([]int64, len(ms))
	for i := range ms {
		theirs[i] = ms[i].ID
	}
	ids, err := im.curator.store.AdoptMessageIDs(ctx, im.o, theirs)
	if err != nil {
		return fmt.Errorf("adopt message ids: %w", err)
	}
	if ids == nil {
		first, err := im.curator.store.ReserveMessageIDs(ctx, im.o, len(ms))
		if err != nil {
			return fmt.Errorf("reserve message ids: %w", err)
		}
		for i := range ms {
			ids = append(ids, first+int64(i))
		}
	}
	for i := range ms {
		ms[i].ID = ids[i]
		im.nameInput(&ms[i], theirs[i])
	}
	return nil
}

// nameInput replaces the exported id in ReplyTo by the new id of that message. ReplyTo
// must name an earlier user or tool message of the lineage; otherwise it is dropped. was
// is the exported id of m.
func (im *importer) nameInput(m *session.Message, was int64) {
	if m.Role == session.Assistant {
		m.ReplyTo = im.inputs[m.ReplyTo]
		return
	}
	m.ReplyTo = 0
	if was > 0 {
		im.inputs[was] = m.ID
	}
}

// readErasures reads the erasures so far. An import may take long, so it is repeated.
func (im *importer) readErasures(ctx context.Context) (err error) {
	if im.restore {
		return nil
	}
	if im.erasures, err = im.curator.quotes.Erasures(ctx, im.o); err != nil {
		return fmt.Errorf("read erasures: %w", err)
	}
	return nil
}

// clean removes forgotten content from a message.
func (im *importer) clean(m *session.Message) {
	leaveOutOf(im.o, m, im.erasures)
}

// cleanRow removes forgotten content from a session's texts.
func (im *importer) cleanRow(s *session.Session) {
	for _, text := range []*string{&s.Title, &s.SystemPrompt, &s.Summary, &s.UserID} {
		*text, _ = memory.RedactErased(im.o, *text, im.erasures)
	}
}

// learn adds a message to the memory of its scope.
func (im *importer) learn(ctx context.Context, m *session.Message, step *lineage.Step) error {
	scope := scopeOf(m)
	view := im.views[scope]
	if view == nil {
		var err error
		var leave func()
		if view, leave, err = im.curator.views.Use(ctx, im.o, scope, scope.Key == ""); err != nil {
			return err
		}
		im.leave = append(im.leave, leave)
		if im.views == nil {
			im.views = make(map[memory.Scope]*memory.View)
		}
		im.views[scope] = view
	}
	if m.Key != "" && !slices.Contains(im.keys, m.Key) {
		im.keys = append(im.keys, m.Key)
	}
	if c := im.curator.lineages.Learn(view, ranking.DocumentOf(m)); len(c.Learned)+len(c.Superseded) > 0 {
		step.Changes = append(step.Changes, c)
	}
	return nil
}

func (im *importer) leaveViews() {
	for _, leave := range im.leave {
		leave()
	}
}
