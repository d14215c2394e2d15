package main

import (
	"fmt"
	"io"
	"slices"
	"sort"

	"github.com/hermes-memory/hermes/internal/ranking"
)

// list is one question with its candidates, as training sees it.
type list struct {
	question *question
	hits     []ranking.Hit
	values   [][]float64 // of each hit, in the order of the feature names
	wanted   []int       // places of the evidence among the hits
}

// training is what the weights are learnt from.
type training struct {
	names []string
	start []float64
	sets  [][]list // by conversation
}

// gather collects the candidates of every question with their features.
func gather(conversations []conversation) *training {
	t := &training{sets: make([][]list, len(conversations))}
	known := make(map[string]int)
	for c := range conversations {
		index := conversations[c].index()
		for q := range conversations[c].questions {
			l := list{question: &conversations[c].questions[q]}
			l.hits = index.Search(ranking.Query{Text: l.question.text, Limit: searchLimit, Explain: true})
			for rank, h := range l.hits {
				l.values = append(l.values, t.values(known, h.Reasons))
				if slices.Contains(l.question.evidence, int(h.Seq)) {
					l.wanted = append(l.wanted, rank)
				}
			}
			t.sets[c] = append(t.sets[c], l)
		}
	}
	return t
}

// values spreads reasons over the features; a feature first met gets a place.
func (t *training) values(known map[string]int, reasons []ranking.Reason) []float64 {
	out := make([]float64, len(t.names), len(t.names)+len(reasons))
	for _, r := range reasons {
		if r.Feature == "confidence" { // the same for all candidates
			continue
		}
		i, ok := known[r.Feature]
		if !ok {
			i = len(t.names)
			known[r.Feature] = i
			t.names = append(t.names, r.Feature)
			t.start = append(t.start, r.Weight/r.Value)
		}
		for len(out) <= i {
			out = append(out, 0)
		}
		out[i] = r.Value
	}
	return out
}

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
func (t *training) evaluate(c *conversation, set []list, w []float64, d doubt, tokens []int) *report {
	r := newReport()
	for i := range set {
		scores := set[i].scores(w, nil)
		order := make([]int, len(scores))
		for j := range order {
			order[j] = j
		}
		sort.SliceStable(order, func(a, b int) bool { return scores[order[a]] > scores[order[b]] })
		sure := d.sure(t.signsOf(&set[i], w))
		hits := make([]ranking.Hit, len(order))
		for j, k := range order {
			hits[j] = set[i].hits[k]
			hits[j].Score = sure
		}
		r.record(c, set[i].question, hits, tokens)
	}
	return r
}

// leaveEachOut reports every conversation under weights that never saw it. Learning starts
// from the weights of all.
func (t *training) leaveEachOut(conversations []conversation, whole []float64, count func(string) int, note io.Writer) *report {
	all := newReport()
	for c := range conversations {
		// The loss is convex: where it starts decides only how soon it ends.
		weights := t.learn(c, whole)
		r := t.evaluate(&conversations[c], t.sets[c], weights, t.calibrate(c, weights), conversations[c].tokens(count))
		fmt.Fprintf(note, "%s, left out of training\n", conversations[c].name)
		r.print(note)
		all.merge(r)
	}
	return all
}

// train prints results for every conversation under weights that never saw it,
// and then the weights and the calibration learnt from all of them.
func train(w io.Writer, conversations []conversation, count func(string) int, each bool) {
	t := gather(conversations)
	whole := t.learn(-1, nil)
	note := io.Discard
	if each {
		note = w
	}
	all := t.leaveEachOut(conversations, whole, count, note)
	fmt.Fprintln(w, "all, each left out of training in its turn")
	all.print(w)
	for j, weight := range whole {
		fmt.Fprintf(w, "%-22s %+.2f (in use %+.2f)\n", t.names[j], weight, t.start[j])
	}
	d := t.calibrate(-1, whole)
	fmt.Fprintf(w, "surelyNamed %.2f, surelyMargin %.2f, surelyOpen %.2f, surelyScore %.2f\n",
		d.named.base, d.named.slope, d.open.base, d.open.slope)
}
