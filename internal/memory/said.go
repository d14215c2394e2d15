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

// News says by its words how a statement relates to what was so before it.
type News uint16

// The relations.
const (
	Turned    News = 1 << iota // something is other than it was: now, moved, switched
	Begun                      // something or someone is new
	Ended                      // something is over, or someone left
	Postponed                  // it has another time
	Returned                   // it is again as it was
	Corrected                  // what was said was wrong
	Unchanged                  // it is as it was
	Passing                    // it holds for a while
	Added                      // it stands next to what was said
	Denied                     // it denies something
	Afar                       // it is about other people
)

// newsCues are the cues of each relation, in the order of their bits; never written.
var newsCues = [...]cueSet{
	changeCues, begunCues, endCues, postponedCues, againCues, wrongCues, stillCues, meanwhileCues, alsoCues, negationCues, outsiderCues,
}

// Pick returns the facts that take accepts, in the order they were learnt. take must not
// use the view.
func (v *View) Pick(take func(*Fact, News) bool) []Fact {
	v.mu.RLock()
	defer v.mu.RUnlock()
	var out []Fact
	for i := range v.state.facts {
		if f := &v.state.facts[i]; take(f, v.state.news(i)) {
			out = append(out, *f)
		}
	}
	return out
}

// NewsOf is what the words of a fact say about what was so before; 0 for an unknown fact.
func (v *View) NewsOf(id FactID) News {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if n, known := v.state.byID[id]; known {
		return v.state.news(int(n))
	}
	return 0
}

func (s *State) news(n int) News {
	out := News(0)
	for bit, set := range newsCues {
		if s.signatures[n].cues.any(set) {
			out |= 1 << bit
		}
	}
	return out
}
