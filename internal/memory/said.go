package memory

import (
	"cmp"
	"slices"
)

// FactsOf returns the facts of one message, in the order of its words. Facts are learnt in
// the order of the numbers of their messages.
func (v *View) FactsOf(messageID int64) []Fact {
	v.mu.RLock()
	defer v.mu.RUnlock()
	facts := v.state.facts
	at, _ := slices.BinarySearchFunc(facts, messageID, func(f Fact, id int64) int { return cmp.Compare(f.Source.MessageID, id) })
	end := at
	for end < len(facts) && facts[end].Source.MessageID == messageID {
		end++
	}
	return slices.Clone(facts[at:end])
}
