package recall

import (
	"slices"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/run"
)

// overtaking are the relations of a statement that perhaps replaced another and says that
// something is other than before: "Karen quit" after "My boss is Karen".
const overtaking = memory.Turned | memory.Ended | memory.Postponed | memory.Corrected | memory.Denied

// overtaken adds to a sure answer what was said later and perhaps ends it. Memory is not sure that
// it does: both are told, the newer one last. What is said of a narrower thing than the one asked for ends nothing.
func (c choice) overtaken(ask *run.Question, found []passage) choice {
	if c.kind != run.RecallSure || ask.View == nil {
		return c
	}
	for _, p := range slices.Clone(c.passages) {
		if p.fact == nil {
			continue
		}
		by, doubted := ask.View.DoubtedBy(p.fact.ID)
		if !doubted || !mayEnd(ask, &by) || ofNarrower(found, by.ID) {
			continue
		}
		later := ofFact(&by)
		later.later = true
		if !slices.ContainsFunc(c.passages, func(o passage) bool { return o.same(&later) }) {
			c.passages, c.scores = append(c.passages, later), append(c.scores, c.scores[len(c.scores)-1])
		}
	}
	return c
}

// ofNarrower reports whether a fact is told of a narrower thing than another passage.
func ofNarrower(found []passage, id memory.FactID) bool {
	return slices.ContainsFunc(found, func(p passage) bool { return p.narrower && p.fact != nil && p.fact.ID == id })
}

// mayEnd reports whether a statement is told as what perhaps ended another: it says that something
// is other than before, may be shown, and is not of this very turn.
func mayEnd(ask *run.Question, by *memory.Fact) bool {
	if unsayable(by) || ask.View.NewsOf(by.ID)&overtaking == 0 {
		return false
	}
	return !ofTurn(ask, by)
}

// ofTurn reports whether a fact was told in the very turn that asks.
func ofTurn(ask *run.Question, f *memory.Fact) bool {
	return ask.Own != nil && ask.Own(f.Source.Root, f.Source.Seq)
}
