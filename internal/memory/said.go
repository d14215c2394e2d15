package memory

import "slices"

// FactsOf returns the facts of one message, in the order of its words. Facts are learnt in
// the order of the numbers of their messages.
func (v *View) FactsOf(messageID int64) []Fact {
	var out []Fact
	v.with(func(s *State) { out = factsOf(s.ofMessage(messageID)) })
	return out
}

// ofMessage are the facts of one message.
func (s *State) ofMessage(id int64) []*record {
	from, _ := slices.BinarySearch(s.order, NumberOf(id, 0))
	to, _ := slices.BinarySearch(s.order, NumberOf(id+1, 0))
	var out []*record
	for _, n := range s.order[from:to] {
		out = append(out, s.held[n])
	}
	if from < to {
		return out
	}
	for _, f := range s.archive.ofMessage(id) {
		out = append(out, s.admit(&f))
	}
	return out
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

// Pick returns the facts that take accepts, in the order they were learnt. news tells what
// the words of the fact say about what was so before. take must not use the view.
func (v *View) Pick(take func(f *Fact, news func() News) bool) []Fact {
	var out []Fact
	v.with(func(s *State) {
		out = nil
		for k := range s.all() {
			if take(&k.Fact, func() News { return s.news(k) }) {
				out = append(out, k.Fact)
			}
		}
	})
	return out
}

// NewsOf is what the words of a fact say about what was so before; 0 for an unknown fact.
func (v *View) NewsOf(id FactID) News {
	var out News
	v.with(func(s *State) {
		if k := s.named(id); k != nil {
			out = s.news(k)
		}
	})
	return out
}

func (s *State) news(k *record) News {
	out := News(0)
	for bit, set := range newsCues {
		if s.signature(k).cues.any(set) {
			out |= 1 << bit
		}
	}
	return out
}
