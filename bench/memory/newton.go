package main

import (
	"math"
	"slices"
)

// The loss is that of a softmax over the candidates of a question, the evidence
// to win it, drawn a little to what the weights were before. It is convex, and Newton's method finds
// its minimum.
const (
	mostSteps = 40
	// settled is how little the loss falls at the end.
	settled = 1e-8
	// shortest is the part of a step under which none is tried.
	shortest = 1e-4
	// negligible chances are left out of the curvature, not out of the slope.
	negligible = 1e-4
)

// surface is the loss around some weights.
type surface struct {
	loss  float64
	slope []float64
	curve [][]float64 // the lower triangle counts
}

func newSurface(n int) *surface {
	s := &surface{slope: make([]float64, n), curve: make([][]float64, n)}
	for i := range s.curve {
		s.curve[i] = make([]float64, n)
	}
	return s
}

// learn fits the weights to all sets but the one left out ("" for none).
func (t *training) learn(leftOut string) []float64 {
	w := slices.Clone(t.prior)
	if w == nil {
		w = make([]float64, len(modelNames))
	}
	here := t.surface(leftOut, w)
	for range mostSteps {
		step := solve(here.curve, here.slope)
		part := 1.0
		next, there := w, here
		for ; part > shortest; part /= 2 {
			next = slices.Clone(w)
			for j := range next {
				next[j] -= part * step[j]
			}
			if there = t.surface(leftOut, next); there.loss < here.loss {
				break
			}
		}
		fell := here.loss - there.loss
		if part <= shortest || fell < settled {
			break
		}
		w, here = next, there
	}
	return w
}

// surface is the mean loss over the questions at the weights w.
func (t *training) surface(leftOut string, w []float64) *surface {
	s := newSurface(len(w))
	count := 0.0
	for c := range t.sets {
		if t.sets[c].name == leftOut {
			continue
		}
		for i := range t.sets[c].lists {
			if l := &t.sets[c].lists[i]; len(l.wanted) > 0 && l.question.kind != adversarial {
				s.add(l, w)
				count++
			}
		}
	}
	s.loss /= count
	for j := range w {
		moved := w[j]
		if t.prior != nil {
			moved -= t.prior[j]
		}
		s.loss += t.decay / 2 * moved * moved
		s.slope[j] = s.slope[j]/count + t.decay*moved
		for k := range j + 1 {
			s.curve[j][k] /= count
			s.curve[k][j] = s.curve[j][k]
		}
		s.curve[j][j] += t.decay
	}
	return s
}

// add enters a question: every evidence turn against all that is none.
func (s *surface) add(l *list, w []float64) {
	chances := l.scores(w, nil)
	top := slices.Max(chances)
	rest := 0.0
	for i, score := range chances {
		chances[i] = math.Exp(score - top)
		if !slices.Contains(l.wanted, i) {
			rest += chances[i]
		}
	}
	share := 1 / float64(len(l.wanted))
	against := make([]float64, len(chances))
	for _, e := range l.wanted {
		sum := rest + chances[e]
		for i, p := range chances {
			against[i] = p / sum
			if i != e && slices.Contains(l.wanted, i) {
				against[i] = 0
			}
		}
		s.loss -= share * math.Log(against[e])
		s.turn(l, against, e, share)
	}
}

// turn enters one evidence turn under the chances of all to win.
func (s *surface) turn(l *list, chances []float64, wanted int, share float64) {
	mean := make([]float64, len(s.slope))
	for i, p := range chances {
		for j, v := range l.values[i] {
			mean[j] += p * v
		}
	}
	for j := range mean {
		s.slope[j] += share * mean[j]
	}
	for j, v := range l.values[wanted] {
		s.slope[j] -= share * v
	}
	apart := make([]float64, len(mean))
	for i, p := range chances {
		if p < negligible {
			continue
		}
		for j := range apart {
			apart[j] = -mean[j]
		}
		for j, v := range l.values[i] {
			apart[j] += v
		}
		for j, a := range apart {
			row := s.curve[j]
			for k, b := range apart[:j+1] {
				row[k] += share * p * a * b
			}
		}
	}
}

// solve returns x with ax = b, for a symmetric positive a, by elimination.
func solve(a [][]float64, b []float64) []float64 {
	x, rows := slices.Clone(b), make([][]float64, len(a))
	for i := range a {
		rows[i] = slices.Clone(a[i])
	}
	for i := range x {
		for k := i + 1; k < len(x); k++ {
			f := rows[k][i] / rows[i][i]
			for j := i; j < len(x); j++ {
				rows[k][j] -= f * rows[i][j]
			}
			x[k] -= f * x[i]
		}
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := i + 1; j < len(x); j++ {
			x[i] -= rows[i][j] * x[j]
		}
		x[i] /= rows[i][i]
	}
	return x
}
