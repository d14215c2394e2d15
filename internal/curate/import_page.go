package curate

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/session"
)

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
	if err := errLeft(ctx); err != nil {
		return err
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
