package run

import (
	"slices"

	"github.com/hermes-memory/hermes/internal/memory"
)

// beliefs are the part of a prompt that holds the state.
type beliefs struct {
	block memory.Block
	given []memory.FactID // facts in the block, and facts whose message is sent
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

// matches are the facts that answer the question, except those that the input has just
// stated.
func (t *turn) matches(question string) []memory.Fact {
	told := 0
	for i := range t.changes {
		told += len(t.changes[i].Learned)
	}
	found := t.view.Match(question, t.now, maxMatches+told)
	if fresh := t.input.fresh; told > 0 && len(fresh) > 0 {
		found = slices.DeleteFunc(found, func(f memory.Fact) bool {
			return f.Source.Root == t.lineage.Tip.RootID && f.Source.Seq >= fresh[0].Seq
		})
	}
	return found[:min(len(found), maxMatches)]
}

// stateBlock renders the state and the summary of folded turns within room.
func (t *laidOut) stateBlock(room int, matches []memory.Fact) memory.Block {
	summary, summaryTokens := showSummary(t.lineage.Tip.Summary, room/2, t.count)
	ids := make([]memory.FactID, len(matches))
	for i := range matches {
		ids[i] = matches[i].ID
	}
	b := t.view.Block(room-summaryTokens, t.count, memory.BlockOptions{First: ids, Now: t.now, Hidden: t.sight()})
	b.Text += summary
	b.Tokens += summaryTokens
	return b
}
