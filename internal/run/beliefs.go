package run

import (
	"slices"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/memory"
)

// beliefs are what a prompt says of the state.
type beliefs struct {
	block memory.Block
	given []memory.FactID // those in the block, and those whose message is sent
}

// beliefs renders the state for a question.
func (t *turn) beliefs(question string, room int) beliefs {
	matches := t.matches(question)
	b, inSight := beliefs{block: t.stateBlock(room, matches)}, t.sight()
	b.given = b.block.Facts
	for i := range matches {
		if f := &matches[i]; inSight(f.Source.Root, f.Source.Seq) && !slices.Contains(b.given, f.ID) {
			b.given = append(b.given, f.ID)
		}
	}
	return b
}

// matches are the facts that answer the question, but for those that the input
// itself has just told.
func (t *turn) matches(question string) []memory.Fact {
	told := 0
	for i := range t.changes {
		told += len(t.changes[i].Learned)
	}
	found := t.view.Match(question, t.now, maxMatches+told)
	if fresh := t.input.fresh; told > 0 && len(fresh) > 0 {
		found = slices.DeleteFunc(found, func(f memory.Fact) bool {
			return f.Source.Root == t.lineage.tip.RootID && f.Source.Seq >= fresh[0].Seq
		})
	}
	return found[:min(len(found), maxMatches)]
}

// stateBlock renders the state and the summary of folded turns within room.
func (t *turn) stateBlock(room int, matches []memory.Fact) memory.Block {
	room -= compression.MessageOverhead
	summary := t.lineage.tip.Summary
	summaryTokens := 0
	if summary != "" {
		summary = headOf(summary) + summary
		summaryTokens = t.count(summary)
		if summaryTokens > room/2 {
			summary, summaryTokens = "", 0
		}
	}
	ids := make([]memory.FactID, len(matches))
	for i := range matches {
		ids[i] = matches[i].ID
	}
	b := t.view.Block(room-summaryTokens, t.count, memory.BlockOptions{First: ids, Now: t.now, Hidden: t.sight()})
	switch {
	case summary == "":
	case b.Text == "":
		b.Text = summary
	default:
		b.Text += "\n\n" + summary
	}
	b.Tokens += summaryTokens
	if b.Text != "" {
		b.Tokens += compression.MessageOverhead
	}
	return b
}
