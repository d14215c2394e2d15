package curate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// fill adds the messages to a step, learns them, and stores the step. If learning them reads much
// of a scope, it takes several steps. No other step of their scopes comes between their numbers
// and their place in the store.
func (im *importer) fill(ctx context.Context, step lineage.Step, ms []session.Message) error {
	for i := range ms {
		ms[i].RootID = im.tip.RootID
	}
	release, err := im.curator.lineages.Alone(ctx, im.o, scopesOf(ms)...)
	if err != nil {
		return err
	}
	defer release()
	if err := errors.Join(im.number(ctx, ms), im.readErasures(ctx)); err != nil {
		return err
	}
	lineage.NameTools(im.names, ms)
	for len(ms) > 0 {
		taken, err := im.fillSome(ctx, step, ms)
		if err != nil {
			return err
		}
		ms, step = ms[taken:], lineage.Step{Session: im.tip}
	}
	return nil
}

// fillSome stores a step with the first messages, and returns how many: all, or as many as could
// be learnt before their views had read much. Scopes shed what they have read after the step.
func (im *importer) fillSome(ctx context.Context, step lineage.Step, ms []session.Message) (taken int, err error) {
	learners, err := im.learners(ctx, scopesOf(ms), ms)
	if err != nil {
		return 0, err
	}
	defer learners.leave()
	opened := step.Session
	for taken < len(ms) && !learners.full() {
		if err := im.add(ctx, &step, ms[:taken+1], learners); err != nil {
			return 0, err
		}
		taken++
	}
	step.Messages, step.Untold = ms[:taken], lineage.OfImport
	learners.tell(&step)
	step.Session = im.tip
	if step.Origin, err = im.reached(taken); err != nil {
		return 0, err
	}
	step.Session.EndedAt, step.Session.EndReason = opened.EndedAt, opened.EndReason
	if len(im.rows) == 0 {
		step.Session.EndedAt, step.Session.EndReason = im.tip.LastActive, session.EndIncomplete
	}
	if err := im.leaving(ctx, func() error { return im.store(ctx, step) }); err != nil {
		return 0, err
	}
	for _, scope := range step.Unlearnt {
		im.curator.views.Drop(im.o, scope) // it lacks the messages
	}
	return taken, nil
}

// add gives the last of some messages its place behind the tip, and lets its scope learn it.
func (im *importer) add(ctx context.Context, step *lineage.Step, said []session.Message, learners *learners) error {
	m := &said[len(said)-1]
	m.Seq = im.tip.NextSeq
	lacks := im.clean(m)
	im.keepEnded(m)
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
	view := learners.of[scopeOf(m)]
	if im.leaveOutSentences(said, view) || lacks {
		im.cut++
	}
	if !m.Stands() {
		im.tip.LineageTokens -= int64(m.Tokens + compression.MessageOverhead)
		return nil
	}
	if view != nil { // otherwise the message is learnt later
		step.Learn(im.curator.lineages.Learn(view, ranking.DocumentOf(m)))
	}
	return nil
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
	if len(ms) == 0 {
		return nil
	}
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
	im.erasures, err = im.curator.leftOut(ctx, im.o, im.restore)
	return err
}

// leftOut is what an import leaves out because it was forgotten.
func (c *Curator) leftOut(ctx context.Context, o owner.Owner, restore bool) ([]memory.Erasure, error) {
	if restore {
		return nil, nil
	}
	erasures, err := c.quotes.Erasures(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("read erasures: %w", err)
	}
	return erasures, nil
}

// clean removes forgotten content from a message, and reports whether it had any.
func (im *importer) clean(m *session.Message) bool {
	return leaveOutOf(im.o, m, im.erasures)
}

// cleanRow removes forgotten content from a session's texts.
func (im *importer) cleanRow(s *session.Session) {
	for _, text := range []*string{&s.SystemPrompt, &s.Summary, &s.UserID} {
		*text, _ = memory.RedactErased(im.o, *text, im.erasures)
	}
	im.cleanTitle(s)
	if _, n := memory.RedactErased(im.o, s.Metadata, im.erasures); n > 0 {
		s.Metadata = ""
	}
	if names(im.o, string(s.ParentID), im.erasures) { // the parent was deleted
		s.ParentID = ""
	}
}

// cleanTitle removes forgotten content from a title that was chosen in another program. The title stays on one line. One of
// which only marks are left says nothing: the session gets a title as if it had come without one.
func (im *importer) cleanTitle(s *session.Session) {
	if mention.ChosenTitle(s.Title) == "" {
		return
	}
	text, n := memory.RedactErased(im.o, s.Title, im.erasures)
	if n == 0 {
		return
	}
	words := strings.Fields(text)
	if s.Title = strings.Join(words, " "); !slices.ContainsFunc(words, func(w string) bool { return !mention.Emptied(w) }) {
		s.Title, s.TitleSource = "", ""
	}
}
