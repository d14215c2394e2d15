package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/tiktoken-go/tokenizer"

	"github.com/hermes-memory/hermes/internal/ranking"
)

// The measures of one question, each from 0 to 1.
const (
	recallAt5  = iota // share of the evidence turns among the first 5
	recallAt10        // … 10
	recallAt20        // … 20
	within500         // share of the evidence in the turns that fit 500 tokens
	within1000
	within2000
	session1 // a session with evidence has the first turn
	session5 // … is among the first five sessions
	measures
)

// searchLimit is enough turns to fill 2,000 tokens.
const searchLimit = 128

// adversarial questions ask for what was never said.
const adversarial = 5

type outcome struct {
	values [measures]float64
	top    float64 // the first hit's score
	none   bool    // the question has no evidence to find
}

// judge measures one ranked list.
func judge(c *conversation, q *question, hits []ranking.Hit, tokens []int) outcome {
	o := outcome{none: len(q.evidence) == 0}
	if len(hits) > 0 {
		o.top = hits[0].Score
	}
	if o.none {
		return o
	}
	rooms := [...]room{{limit: 500}, {limit: 1000}, {limit: 2000}}
	var sessions []string
	wanted := make(map[string]bool)
	for _, e := range q.evidence {
		wanted[string(c.documents[e].SessionID)] = true
	}
	for rank, h := range hits {
		place := int(h.Seq)
		var fits [len(rooms)]bool
		for i := range rooms {
			fits[i] = rooms[i].take(tokens[place])
		}
		name := string(h.SessionID)
		if !slices.Contains(sessions, name) {
			sessions = append(sessions, name)
			if wanted[name] && len(sessions) <= 5 {
				o.values[session5] = 1
				if len(sessions) == 1 {
					o.values[session1] = 1
				}
			}
		}
		if !slices.Contains(q.evidence, place) {
			continue
		}
		share := 1 / float64(len(q.evidence))
		for i, limit := range []int{recallAt5: 5, recallAt10: 10, recallAt20: 20} {
			if rank < limit {
				o.values[i] += share
			}
		}
		for i := range fits {
			if fits[i] {
				o.values[within500+i] += share
			}
		}
	}
	return o
}

// room is filled as a turn fills its quotes: in the order of the hits, passing
// over one that does not fit.
type room struct{ limit, used int }

func (r *room) take(tokens int) bool {
	if r.used+tokens > r.limit {
		return false
	}
	r.used += tokens
	return true
}

// report gathers outcomes by category.
type report struct {
	sums  [adversarial + 1][measures]float64
	count [adversarial + 1]int
	tops  [2][]float64 // scores of answerable and of adversarial questions
}

func (r *report) record(category int, o *outcome) {
	if category == adversarial {
		r.tops[1] = append(r.tops[1], o.top)
		return
	}
	r.tops[0] = append(r.tops[0], o.top)
	if o.none {
		return
	}
	r.count[category]++
	for i, v := range o.values {
		r.sums[category][i] += v
	}
}

func (r *report) add(o *report) {
	for c := range r.count {
		r.count[c] += o.count[c]
		for i := range r.sums[c] {
			r.sums[c][i] += o.sums[c][i]
		}
	}
	for i := range r.tops {
		r.tops[i] = append(r.tops[i], o.tops[i]...)
	}
}

// print writes the table: percent, the mean over questions.
func (r *report) print(w io.Writer) {
	names := [...]string{1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "all four"}
	fmt.Fprintf(w, "%-12s %5s %6s %6s %6s %7s %7s %7s %6s %6s\n",
		"", "n", "R@5", "R@10", "R@20", "in 500", "1,000", "2,000", "ses@1", "ses@5")
	var total [measures]float64
	n := 0
	for c := 1; c <= 4; c++ {
		printRow(w, names[c], r.count[c], r.sums[c])
		n += r.count[c]
		for i, v := range r.sums[c] {
			total[i] += v
		}
	}
	printRow(w, names[5], n, total)
	fmt.Fprintf(w, "abstention on %d adversarial questions, AUC of the first score: %.3f\n\n", len(r.tops[1]), auc(r.tops[0], r.tops[1]))
}

func printRow(w io.Writer, name string, n int, sums [measures]float64) {
	fmt.Fprintf(w, "%-12s %5d", name, n)
	for i, v := range sums {
		width := 6
		if i >= within500 && i <= within2000 {
			width = 7
		}
		fmt.Fprintf(w, " %*.1f", width, 100*v/float64(max(n, 1)))
	}
	fmt.Fprintln(w)
}

// auc is the chance that an answerable question scores higher than another.
func auc(yes, no []float64) float64 {
	won := 0.0
	for _, a := range yes {
		for _, b := range no {
			switch {
			case a > b:
				won++
			case a == b:
				won += 0.5
			}
		}
	}
	return won / float64(max(1, len(yes)*len(no)))
}

// counter counts tokens as an upstream would.
type counter struct{ codec tokenizer.Codec }

func newCounter() (*counter, error) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return nil, fmt.Errorf("load the tokenizer: %w", err)
	}
	return &counter{codec: codec}, nil
}

func (c *counter) tokens(text string) int {
	n, err := c.codec.Count(text)
	if err != nil {
		return len(text) / 4
	}
	return n
}
