package main

import (
	"fmt"
	"io"
	"math"
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
		index := ranking.New()
		for i := range conversations[c].documents {
			index.Add(conversations[c].documents[i])
		}
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

// Settings of the training: a softmax over the candidates of a question, the
// evidence to win it, with Adam and a little weight decay.
const (
	epochs    = 400
	rate      = 0.05
	decay     = 5e-4
	firstBeta = 0.9
	nextBeta  = 0.99
)

// learn fits the weights to all sets but the one left out (−1 for none).
func (t *training) learn(leftOut int) []float64 {
	n := len(t.names)
	w := make([]float64, n)
	m, v, grad := make([]float64, n), make([]float64, n), make([]float64, n)
	var probs []float64
	for epoch := 1; epoch <= epochs; epoch++ {
		clear(grad)
		count := 0
		for c := range t.sets {
			if c == leftOut {
				continue
			}
			for i := range t.sets[c] {
				if l := &t.sets[c][i]; len(l.wanted) > 0 && l.question.category != adversarial {
					probs = l.gradient(w, grad, probs)
					count++
				}
			}
		}
		for j := range w {
			g := grad[j]/float64(count) + decay*w[j]
			m[j] = firstBeta*m[j] + (1-firstBeta)*g
			v[j] = nextBeta*v[j] + (1-nextBeta)*g*g
			mh := m[j] / (1 - math.Pow(firstBeta, float64(epoch)))
			vh := v[j] / (1 - math.Pow(nextBeta, float64(epoch)))
			w[j] -= rate * mh / (math.Sqrt(vh) + 1e-9)
		}
	}
	return w
}

// gradient adds the slope of the loss: for every evidence turn, how far the
// rest is from losing to it.
func (l *list) gradient(w, grad, probs []float64) []float64 {
	probs = l.scores(w, probs)
	top := slices.Max(probs)
	rest := 0.0
	for i, s := range probs {
		probs[i] = math.Exp(s - top)
		if !slices.Contains(l.wanted, i) {
			rest += probs[i]
		}
	}
	share := 1 / float64(len(l.wanted))
	outside := 0.0 // the others' mass, over all evidence turns
	for _, e := range l.wanted {
		p := probs[e] / (rest + probs[e])
		for j, x := range l.values[e] {
			grad[j] -= share * (1 - p) * x
		}
		outside += share / (rest + probs[e])
	}
	for i, p := range probs {
		if slices.Contains(l.wanted, i) {
			continue
		}
		for j, x := range l.values[i] {
			grad[j] += outside * p * x
		}
	}
	return probs
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

// evaluate reports a set of questions as ranked by the weights.
func (t *training) evaluate(c *conversation, set []list, w []float64, tokens []int) report {
	var r report
	for i := range set {
		scores := set[i].scores(w, nil)
		order := make([]int, len(scores))
		for j := range order {
			order[j] = j
		}
		sort.SliceStable(order, func(a, b int) bool { return scores[order[a]] > scores[order[b]] })
		hits := make([]ranking.Hit, len(order))
		for j, k := range order {
			hits[j] = set[i].hits[k]
			hits[j].Score = scores[k]
		}
		o := judge(c, set[i].question, hits, tokens)
		r.record(set[i].question.category, &o)
	}
	return r
}

// train prints results for every conversation under weights that never saw it,
// and then the weights learnt from all of them.
func train(w io.Writer, conversations []conversation, count *counter, each bool) {
	t := gather(conversations)
	var all report
	for c := range conversations {
		tokens := make([]int, len(conversations[c].documents))
		for i, d := range conversations[c].documents {
			tokens[i] = count.tokens(d.Speaker + ": " + d.Text)
		}
		r := t.evaluate(&conversations[c], t.sets[c], t.learn(c), tokens)
		if each {
			fmt.Fprintf(w, "%s, left out of training\n", conversations[c].id)
			r.print(w)
		}
		all.add(&r)
	}
	fmt.Fprintln(w, "all, each left out of training in its turn")
	all.print(w)
	for j, weight := range t.learn(-1) {
		fmt.Fprintf(w, "%-14s %+.3f (in use %+.3f)\n", t.names[j], weight, t.start[j])
	}
}
