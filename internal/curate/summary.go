package curate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

const (
	// summaryShare is the share of a budget for a summary, as in compression.LimitsFor.
	summaryShare = 16
	// gistBytes is the length of the beginning of a message in a summary, in bytes.
	gistBytes = 160
)

// Summarize replaces the beginnings of folded turns in a session's summary with
// extracts that a model made from them. An extract must be supported by the words of the
// message that it cites. A message without an extract keeps its beginning, as far as
// there is room. Nothing changes if the lineage has a newer session meanwhile.
func (c *Curator) Summarize(
	ctx context.Context, o owner.Owner, task Task, generation int, extracts []memory.Extract,
) (swapped bool, v Verdict, err error) {
	v.Refused = make(map[memory.Refusal]int)
	err = c.study(ctx, o, task, func(l *lineage.Lineage, s *Study) error {
		s.Marks.Summarized = max(s.Marks.Summarized, min(generation, l.Tip.Generation))
		if !l.Exists || l.Tip.Generation != generation || len(extracts) == 0 {
			return nil
		}
		var err error
		s.Summary, err = c.betterSummary(ctx, o, &l.Tip, extracts, &v)
		if swapped = s.Summary != nil; swapped {
			l.Stale() // the next turn reads it from the store
		}
		return err
	})
	return swapped && err == nil, v, err
}

// betterSummary is the summary of a session with the extracts; nil if none is accepted
// or the summary stays the same.
func (c *Curator) betterSummary(
	ctx context.Context, o owner.Owner, tip *session.Session, extracts []memory.Extract, v *Verdict,
) (*Summary, error) {
	parent, err := c.parent(ctx, o, tip)
	if err != nil || parent == nil {
		return nil, err
	}
	text, err := c.summary(ctx, o, parent, tip, extracts, v)
	if err != nil || v.Accepted == 0 || text == tip.Summary {
		return nil, err
	}
	return &Summary{Session: tip.ID, Text: text}, nil
}

// Folded are the messages that were folded away when a lineage's tip was opened, and
// the tip's generation; no messages if the generation is not later than seen.
func (c *Curator) Folded(ctx context.Context, o owner.Owner, root session.ID, seen int) (generation int, ms []session.Message, err error) {
	tip, err := c.sessions.Tip(ctx, o, root)
	if err != nil || tip.Generation <= seen {
		return tip.Generation, nil, err
	}
	parent, err := c.parent(ctx, o, &tip)
	if err != nil || parent == nil || parent.TailFrom >= tip.TailFrom {
		return tip.Generation, nil, err
	}
	ms, err = c.sessions.Messages(ctx, o, root, session.Range{From: parent.TailFrom, To: tip.TailFrom, Standing: true})
	return tip.Generation, session.Spoken(ms), err
}

// parent is the previous session of the same lineage; nil for none.
func (c *Curator) parent(ctx context.Context, o owner.Owner, s *session.Session) (*session.Session, error) {
	if s.ParentID == "" {
		return nil, nil
	}
	parent, err := c.sessions.Session(ctx, o, s.ParentID)
	switch {
	case fault.KindOf(err) == fault.NotFound, err == nil && parent.RootID != s.RootID:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read parent: %w", err)
	}
	return &parent, nil
}

// summaryRow is a line of a new summary.
type summaryRow struct {
	seq  int64
	text string
}

// summary renders the summary of a session again.
func (c *Curator) summary(
	ctx context.Context, o owner.Owner, parent, tip *session.Session, extracts []memory.Extract, v *Verdict,
) (string, error) {
	ms, err := c.sessions.Messages(ctx, o, tip.RootID, session.Range{From: parent.TailFrom, To: tip.TailFrom, Standing: true})
	if err != nil {
		return "", fmt.Errorf("read folded messages: %w", err)
	}
	ms = session.Spoken(ms)
	erasures, err := c.quotes.Erasures(ctx, o)
	if err != nil {
		return "", fmt.Errorf("read erasures: %w", err)
	}
	var drawn, quoted []summaryRow
	spoken := make(map[int64]bool)
	for i := range extracts {
		e := &extracts[i]
		if refused := refusalOf(o, e, ms, erasures); refused != "" {
			v.Refused[refused]++
			continue
		}
		v.Accepted++
		spoken[e.Seq] = true
		drawn = append(drawn, summaryRow{seq: e.Seq, text: compression.DrawnLine + strings.Join(strings.Fields(e.Statement), " ")})
	}
	for i, line := range strings.Split(parent.Summary, "\n") {
		if line != "" { // older than all others, in order
			quoted = append(quoted, summaryRow{seq: int64(i) - 1<<32, text: line})
		}
	}
	for i := range ms {
		if g := language.Gist(ms[i].Content, gistBytes); ms[i].Role == session.User && !spoken[ms[i].Seq] && g != "" {
			quoted = append(quoted, summaryRow{seq: ms[i].Seq, text: compression.QuotedLine + g})
		}
	}
	return c.fitSummary(drawn, quoted), nil
}

// refusalOf says why an extract may not stand in a summary of the messages; "" if it may.
func refusalOf(o owner.Owner, e *memory.Extract, ms []session.Message, erasures []memory.Erasure) memory.Refusal {
	if e.Erased(o, erasures) {
		return memory.RefusedErased
	}
	at := slices.IndexFunc(ms, func(m session.Message) bool { return m.Seq == e.Seq })
	if at < 0 {
		return memory.RefusedSource
	}
	return e.Check(ranking.DocumentOf(&ms[at]))
}

// fitSummary joins rows in order, within the share of the budget for a summary.
// Sentences of a model take precedence, then newer rows.
func (c *Curator) fitSummary(groups ...[]summaryRow) string {
	count, _ := compression.CounterFor(c.budgets.Model)
	room := c.budgets.Of(c.budgets.Model) / summaryShare
	var kept []summaryRow
	for _, rows := range groups {
		slices.SortStableFunc(rows, func(a, b summaryRow) int { return cmp.Compare(a.seq, b.seq) })
		for i := len(rows) - 1; i >= 0; i-- {
			if n := count(rows[i].text) + 1; n <= room {
				room -= n
				kept = append(kept, rows[i])
			}
		}
	}
	slices.Reverse(kept)
	slices.SortStableFunc(kept, func(a, b summaryRow) int { return cmp.Compare(a.seq, b.seq) })
	lines := make([]string, len(kept))
	for i := range kept {
		lines[i] = kept[i].text
	}
	return strings.Join(lines, "\n")
}

// trimSummary removes lines from a session's summary whose text the message had and no
// longer has.
func trimSummary(s *session.Session, was, now string) bool {
	if s.Summary == "" || was == now {
		return false
	}
	gist, left := compression.QuotedLine+language.Gist(was, gistBytes), compression.QuotedLine+language.Gist(now, gistBytes)
	changed := false
	var kept []string
	for line := range strings.SplitSeq(s.Summary, "\n") {
		drawn, found := strings.CutPrefix(line, compression.DrawnLine)
		switch {
		case found && memory.DrawnFrom(drawn, was) && !memory.DrawnFrom(drawn, now):
			changed = true
			continue
		case line == gist && line != left:
			line, changed = left, true
		}
		kept = append(kept, line)
	}
	s.Summary = strings.Join(kept, "\n")
	return changed
}

// sessionsWithout are the sessions of a lineage whose titles or summaries had words
// that a message no longer has, without those words.
func (c *Curator) sessionsWithout(ctx context.Context, o owner.Owner, root session.ID, found []wordsIn) ([]session.Session, error) {
	rows, err := c.sessions.Sessions(ctx, o, session.Filter{Lineage: root})
	if err != nil {
		return nil, fmt.Errorf("list lineage: %w", err)
	}
	end, err := c.openingEnd(ctx, o, root)
	if err != nil {
		return nil, err
	}
	var changed []session.Session
	for i := range rows {
		untold := false
		for k := range found {
			was, now := found[k].Content, found[k].blank().Content
			untold = untell(&rows[i], was) || untold
			untold = unname(&rows[i], was, now, found[k].Seq < end) || untold
			untold = trimSummary(&rows[i], was, now) || untold
		}
		if untold {
			changed = append(changed, rows[i])
		}
	}
	return changed, nil
}
