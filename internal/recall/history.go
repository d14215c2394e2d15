package recall

import (
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/memory"
)

// maxSteps bounds the steps of a change that an answer tells: the first and the newest
// ones.
const maxSteps = 5

// steps are the facts that replaced one another, oldest first; a single fact if there
// was no replacement. taken says that the last one was withdrawn.
func steps(v *memory.View, f memory.Fact) (chain []memory.Fact, taken bool) {
	tip := f
	for range maxHops {
		if tip.Current() {
			break
		}
		next, found := v.Fact(tip.SupersededBy)
		if !found {
			break
		}
		if next.Kind == memory.Retraction {
			return nil, true
		}
		tip = next
	}
	seen := map[memory.FactID]bool{tip.ID: true}
	chain = []memory.Fact{tip}
	for i := 0; i < len(chain) && len(chain) < maxHops; i++ {
		for _, link := range chain[i].Links {
			if link.Kind != memory.Supersedes || seen[link.To] {
				continue
			}
			seen[link.To] = true
			if was, found := v.Fact(link.To); found && was.Kind != memory.Retraction && !unsayable(&was) {
				chain = append(chain, was)
			}
		}
	}
	slices.SortStableFunc(chain, func(a, b memory.Fact) int {
		p, q := ofFact(&a), ofFact(&b)
		return p.before(&q)
	})
	if len(chain) > maxSteps {
		chain = slices.Delete(chain, 1, len(chain)-maxSteps+1)
	}
	return chain, false
}

// maxHops bounds how far supersession links are followed.
const maxHops = 64

// turns reports whether a chain is a change of mind rather than a new value. Only a
// change of mind is told from both sides unasked.
func turns(chain []memory.Fact) bool {
	for i := range chain {
		switch chain[i].Kind {
		case memory.Decision, memory.Preference, memory.Negated:
			return true
		}
		if strings.HasPrefix(chain[i].Attribute, "status") {
			return true // brought in and taken out
		}
	}
	return false
}
