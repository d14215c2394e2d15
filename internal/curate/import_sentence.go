package curate

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// A sentence that was forgotten by itself is left out of a message before the message is stored. A process that is killed
// behind that has stored no message with it. Behind the import, the sentences are erased once more, together with
// copies that only a search of other lineages finds.

// leaveOutSentences removes sentences that were forgotten by themselves from the last of some messages, which has its
// place, and reports whether there are such ones. Its hash stays that of the whole message, by which a second import knows it.
func (im *importer) leaveOutSentences(said []session.Message, view *memory.View) bool {
	m := &said[len(said)-1]
	if !im.gone.sentences() || m.Echoes() {
		return false
	}
	var again []memory.Fact
	text := m.Content
	for _, f := range factsIn(m, view) {
		if im.gone.Sentence(im.o, f.Source.Place(), f.Quote) {
			text = mention.Blank(text, f.Source.Start, f.Source.End)
			again = append(again, f)
		}
	}
	if len(again) == 0 {
		return false
	}
	was := m.Content
	m.Content, m.Wire = text, nil
	if m.Role == session.Tool { // as [Curator.blankCall] does
		emptyCall(said[:len(said)-1], m.ToolCallID)
	}
	for _, row := range im.rowsAhead() {
		untell(row, was)
		unname(row, was, text, m.Seq < openingReach)
		trimSummary(row, was, text)
	}
	im.left = append(im.left, again...)
	if m.Stands() {
		im.doomed = append(im.doomed, again...)
	}
	return true
}

// leaveOutAt removes such sentences from a message of a line that is compared with the stored one.
func (im *importer) leaveOutAt(m, stored *session.Message) {
	m.RootID, m.Seq = stored.RootID, stored.Seq
	one := []session.Message{*m}
	im.leaveOutSentences(one, nil)
	*m = one[0]
}

// factsIn are the facts of a message, as a view reads it, and as it is read by itself: one that was undone is in no view.
func factsIn(m *session.Message, view *memory.View) []memory.Fact {
	d := ranking.DocumentOf(m)
	facts := memory.NewLearner().Distilled(d)
	if view == nil || !m.Stands() {
		return facts
	}
	known := make(map[memory.FactID]bool, len(facts))
	for i := range facts {
		known[facts[i].ID] = true
	}
	for _, f := range view.Distilled(d) {
		if !known[f.ID] {
			facts = append(facts, f)
		}
	}
	return facts
}

// rowsAhead are the sessions that are not stored as they will be in the end.
func (im *importer) rowsAhead() []*session.Session {
	rows := []*session.Session{&im.tip, &im.want}
	for i := range im.rows {
		rows = append(rows, &im.rows[i])
	}
	return rows
}

// leaving stores messages from which sentences were left out, between the entries of the ledger which say so: a later
// import finds the sentences by their places.
func (im *importer) leaving(ctx context.Context, store func() error) error {
	left := im.left
	if im.left = nil; len(left) == 0 {
		return store()
	}
	return im.curator.inLedger(func(l Ledger, done bool) error {
		for i := range left {
			if err := l.ForgotSentence(ctx, im.o, left[i].Source.Place(), left[i].Quote, done); err != nil {
				return fmt.Errorf("note a sentence: %w", err)
			}
		}
		return nil
	}, store)
}
