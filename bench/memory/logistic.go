package main

import (
	"fmt"
	"math"
	"slices"
)

// example is one case that a model learns from: the values of its named features, and
// whether it is what the model looks for.
type example struct {
	scope  string // examples of a scope are left out together
	values []float32
	yes    bool
	weight float64 // how much it counts; 0 counts as 1
}

func (e *example) counts() float64 {
	if e.weight == 0 {
		return 1
	}
	return e.weight
}

// learned is a logarithm of odds: base, and a weight for every feature.
type learned struct {
	base    float64
	weights []float64
}

// score rounds products before they are added, as package fitted does.
func (m *learned) score(values []float32) float64 {
	sum := m.base
	for j, v := range values {
		product := float64(float64(v) * m.weights[j])
		sum += product
	}
	return sum
}

func (m *learned) probability(values []float32) float64 {
	return 1 / (1 + math.Exp(-m.score(values)))
}

// ridge draws weights to zero: those of the first features by few, those of the rest by many.
type ridge struct {
	few   float64
	first int
	many  float64
}

// even is the same ridge for all features.
func even(r float64) ridge { return ridge{many: r} }

// of is the ridge of a feature.
func (r ridge) of(feature int) float64 {
	if feature < r.first {
		return r.few
	}
	return r.many
}

const (
	// newtonSteps is more than a fit of any data at hand needs.
	newtonSteps = 60
	// converged is the length of a step after which weights differ in no printed digit.
	converged = 1e-10
)

// learnLogistic fits weights by Newton's method. It minimises the sum of the examples'
// losses plus the ridge/2 for every squared weight, each weight measured in standard
// deviations of its feature: a feature's unit does not change the fit. The base is free.
// The same examples in the same order give the same weights on every machine, to the
// digits that are written.
func learnLogistic(examples []example, features int, by ridge) (*learned, error) {
	if len(examples) == 0 {
		return nil, fmt.Errorf("no examples to learn from")
	}
	penalty := penalties(examples, features, by)
	w := make([]float64, features+1) // the last is the base
	loss := lossOf(examples, w, penalty)
	for range newtonSteps {
		step := newtonStep(examples, w, penalty)
		next, nextLoss, part := slices.Clone(w), loss, 1.0
		for ; part > shortest; part /= 2 {
			for j := range w {
				next[j] = w[j] - float64(part*step[j])
			}
			if nextLoss = lossOf(examples, next, penalty); nextLoss <= loss {
				break
			}
		}
		if part <= shortest {
			break
		}
		w, loss = next, nextLoss
		if longest(step) < converged {
			break
		}
	}
	for _, v := range w {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("the fit of %d examples does not converge", len(examples))
		}
	}
	return &learned{base: w[features], weights: w[:features]}, nil
}

// penalties are the ridges of the weights, the last that of the base: next to none, so
// that a fit of examples that are all alike ends.
func penalties(examples []example, features int, by ridge) []float64 {
	out, total := make([]float64, features+1), 0.0
	means, squares := make([]float64, features), make([]float64, features)
	for i := range examples {
		e, n := &examples[i], examples[i].counts()
		total += n
		for j, v := range e.values {
			means[j] += float64(n * float64(v))
			squares[j] += float64(n * float64(float64(v)*float64(v)))
		}
	}
	for j := range features {
		mean := means[j] / total
		variance := squares[j]/total - float64(mean*mean)
		out[j] = by.of(j) * variance
		if variance < 1e-9 { // the same everywhere: it tells nothing
			out[j] = 1e9
		}
	}
	out[features] = 1e-6
	return out
}

// logOdds is the score of an example at the weights w, the last of which is the base.
func (e *example) logOdds(w []float64) float64 {
	sum := w[len(w)-1]
	for j, v := range e.values {
		sum += float64(float64(v) * w[j])
	}
	return sum
}

func lossOf(examples []example, w, penalty []float64) float64 {
	sum := 0.0
	for i := range examples {
		s := examples[i].logOdds(w)
		if examples[i].yes {
			s = -s
		}
		// log(1+exp(s)) without overflow
		loss := max(s, 0) + math.Log1p(math.Exp(-math.Abs(s)))
		sum += float64(examples[i].counts() * loss)
	}
	for j, v := range w {
		sum += float64(penalty[j] / 2 * float64(v*v))
	}
	return sum
}

// newtonStep is what Newton's method subtracts from w.
func newtonStep(examples []example, w, penalty []float64) []float64 {
	n := len(w)
	s := newSurface(n)
	x := make([]float64, n)
	x[n-1] = 1
	for i := range examples {
		e := &examples[i]
		p := 1 / (1 + math.Exp(-e.logOdds(w)))
		off := p
		if e.yes {
			off = p - 1
		}
		for j, v := range e.values {
			x[j] = float64(v)
		}
		slope, curve := e.counts()*off, e.counts()*float64(p*(1-p))
		for j, v := range x {
			if v == 0 {
				continue
			}
			s.slope[j] += float64(slope * v)
			part := float64(curve * v)
			for k, u := range x[:j+1] {
				s.curve[j][k] += float64(part * u)
			}
		}
	}
	for j := range n {
		s.slope[j] += float64(penalty[j] * w[j])
		s.curve[j][j] += penalty[j]
		for k := range j {
			s.curve[k][j] = s.curve[j][k]
		}
	}
	return solve(s.curve, s.slope)
}

func longest(step []float64) float64 {
	out := 0.0
	for _, v := range step {
		out = max(out, math.Abs(v))
	}
	return out
}

// scopesOf lists the scopes of examples in the order in which they first occur.
func scopesOf(examples []example) []string {
	var out []string
	for i := range examples {
		if !slices.Contains(out, examples[i].scope) {
			out = append(out, examples[i].scope)
		}
	}
	return out
}

// withoutScope is a copy of the examples that are not of a scope.
func withoutScope(examples []example, scope string) []example {
	return slices.DeleteFunc(slices.Clone(examples), func(e example) bool { return e.scope == scope })
}

// leaveScopesOut gives every example the probability by a model that was fitted to the
// other scopes alone.
func leaveScopesOut(examples []example, fit func([]example) (weights, error)) ([]float64, error) {
	out := make([]float64, len(examples))
	for _, scope := range scopesOf(examples) {
		m, err := fit(withoutScope(examples, scope))
		if err != nil {
			return nil, fmt.Errorf("without %s: %w", scope, err)
		}
		for i := range examples {
			if examples[i].scope == scope {
				out[i] = m.probability(examples[i].values)
			}
		}
	}
	return out, nil
}
