package main

import (
	"slices"
	"sort"

	"github.com/hermes-memory/hermes/internal/ranking"
)

// list is one question with its candidates, as training sees it.
type list struct {
	question *question
	hits     []ranking.Hit
	values   [][]float64   // of each hit, in the order of the feature names
	wanted   []int         // places of the evidence among the hits
	asked    *lifeQuestion // of a life
	life     *life
}

// set is the questions of a scope.
type set struct {
	name  string
	lists []list
}

// training is what the weights of ranking are learnt from.
type training struct {
	sets  []set
	prior []float64 // what the weights are without data; nil is zero
	decay float64   // how much they are drawn to it
}

// addConversation adds the candidates of LoCoMo's questions with their features.
func (t *training) addConversation(c *conversation) {
	s, index := set{name: c.name}, c.index()
	for q := range c.questions {
		l := list{question: &c.questions[q]}
		l.find(index, ranking.Query{Text: l.question.text}, func(place int) bool { return slices.Contains(l.question.evidence, place) })
		s.lists = append(s.lists, l)
	}
	t.sets = append(t.sets, s)
}

// find asks an index, and notes which of its candidates are evidence by their places.
func (l *list) find(x *ranking.Index, q ranking.Query, evidence func(place int) bool) {
	q.Limit, q.Explain = searchLimit, true
	l.hits = x.Search(q)
	for rank, h := range l.hits {
		l.values = append(l.values, valuesOf(h.Reasons))
		if evidence(int(h.Seq)) {
			l.wanted = append(l.wanted, rank)
		}
	}
}

// valuesOf spreads reasons over the names of the model.
func valuesOf(reasons []ranking.Reason) []float64 {
	out := make([]float64, len(modelNames))
	for _, r := range reasons {
		if i := slices.Index(modelNames, ranking.ModelName(r.Feature)); i >= 0 {
			out[i] = r.Value
		}
	}
	return out
}

// modelNames are the names of what is learnt; never written.
var modelNames = ranking.ModelNames()

func (l *list) scores(w, out []float64) []float64 {
	out = out[:0]
	for _, x := range l.values {
		s := 0.0
		for j, v := range x {
			s += v * w[j]
		}
		out = append(out, s)
	}
	return out
}

// evaluate reports a set of questions as ranked by the weights. The first hit's
// score is replaced by how sure it makes that there is an answer.
func evaluate(c *conversation, set []list, w []float64, d doubt, tokens []int) *report {
	r := newReport()
	for i := range set {
		scores := set[i].scores(w, nil)
		order := make([]int, len(scores))
		for j := range order {
			order[j] = j
		}
		sort.SliceStable(order, func(a, b int) bool { return scores[order[a]] > scores[order[b]] })
		sure := d.sure(signsOf(&set[i], w))
		hits := make([]ranking.Hit, len(order))
		for j, k := range order {
			hits[j] = set[i].hits[k]
			hits[j].Score = sure
		}
		r.record(c, set[i].question, hits, tokens)
	}
	return r
}

// gather makes the training set of LoCoMo's conversations.
func gather(conversations []conversation) *training {
	t := &training{decay: peopleDecay}
	for i := range conversations {
		t.addConversation(&conversations[i])
	}
	return t
}

// leaveEachOut reports every conversation of LoCoMo by weights made without it.
func (t *training) leaveEachOut(all []conversation, by *training, weights func(without string) []float64, count func(string) int) *report {
	sum := newReport()
	for c := range all {
		made := weights(all[c].name)
		sum.merge(evaluate(&all[c], t.sets[c].lists, made, by.calibrate(all[c].name, made), all[c].tokens(count)))
	}
	return sum
}
