package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/recall"
)

// confidenceRidge is the ridge of the model that judges the selector's best passage.
const confidenceRidge = 10

// learnSelector fits the weights that put the passages of one question in order, as a
// softmax over the passages.
func learnSelector(_ io.Writer, lives []life, leave string) (weights, string, error) {
	all, err := weighed(lives)
	if err != nil {
		return nil, "", err
	}
	t := lists(all)
	figures := ""
	if leave == "" {
		judged, err := judgeAll(all)
		if err != nil {
			return nil, "", err
		}
		told, first := 0, 0
		for i := range judged {
			if judged[i].told {
				told++
			}
			if judged[i].example.yes {
				first++
			}
		}
		figures = fmt.Sprintf("%d questions of %d scopes; a fifth of the scopes left out: the best passage answers %.1f %%", len(all), len(t.sets), 100*float64(first)/float64(told))
	}
	return &learned{weights: t.learn(leave)}, figures, nil
}

// confidenceExamples are the signs of every question under a selector that did not see its
// scope. The question is a yes if the best passage answers it.
func confidenceExamples(lives []life) ([]example, error) {
	all, err := weighed(lives)
	if err != nil {
		return nil, err
	}
	judged, err := judgeAll(all)
	if err != nil {
		return nil, err
	}
	var out []example
	for i := range judged {
		out = append(out, judged[i].example)
	}
	return out, nil
}

// selectorDecay draws the weights of the selector to zero.
const selectorDecay = 5e-4

// lists are the askings as the softmax of ranking learns them, by scope.
func lists(all []asking) *training {
	t := &training{prior: make([]float64, len(recall.FeatureNames())), decay: selectorDecay}
	for i := range all {
		a := &all[i]
		if len(t.sets) == 0 || t.sets[len(t.sets)-1].name != a.scope {
			t.sets = append(t.sets, set{name: a.scope})
		}
		last := &t.sets[len(t.sets)-1]
		last.lists = append(last.lists, a.list())
	}
	return t
}

// list is an asking as the softmax learns it. What was never told teaches no order.
func (a *asking) list() list {
	l := list{question: &question{kind: told}}
	if !a.told {
		l.question.kind = adversarial
	}
	for k := range a.passages {
		values := make([]float64, len(a.passages[k].Values))
		for j, v := range a.passages[k].Values {
			values[j] = float64(v)
		}
		l.values, l.hits = append(l.values, values), append(l.hits, ranking.Hit{})
		if a.right[k] {
			l.wanted = append(l.wanted, k)
		}
	}
	return l
}

// judgement is an asking under a selector that did not see its scope.
type judgement struct {
	told bool
	example
}

// folds is into how many parts the scopes are split: each is judged by a selector that is
// fitted to the others.
const folds = 5

// judgeAll judges every asking.
func judgeAll(all []asking) ([]judgement, error) {
	t := lists(all)
	var out []judgement
	for fold := range folds {
		part, outside := training{prior: t.prior, decay: t.decay}, map[string]bool{}
		for c := range t.sets {
			if c%folds == fold {
				outside[t.sets[c].name] = true
			} else {
				part.sets = append(part.sets, t.sets[c])
			}
		}
		weights := part.learn("")
		for i := range all {
			if !outside[all[i].scope] {
				continue
			}
			j, err := all[i].judge(weights)
			if err != nil {
				return nil, err
			}
			out = append(out, j)
		}
	}
	return out, nil
}

// judge ranks the passages by some weights and reads the signs of the best one.
func (a *asking) judge(weights []float64) (judgement, error) {
	found, signs, err := a.ask(func(values []float32) float32 {
		sum := 0.0
		for j, v := range values {
			sum += float64(float64(v) * weights[j])
		}
		return float32(sum)
	})
	out := judgement{told: a.told}
	out.scope, out.values = a.scope, signs
	if err != nil || len(found) == 0 {
		out.values = make([]float32, len(recall.SignNames()))
		return out, err
	}
	best := &found[0]
	n := slices.IndexFunc(a.passages, func(p recall.Weighed) bool {
		return p.Seq == best.Seq && p.Start == best.Start && p.End == best.End
	})
	out.yes = n >= 0 && a.right[n]
	return out, nil
}
