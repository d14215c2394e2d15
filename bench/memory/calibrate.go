package main

import (
	"math"
	"slices"
)

// logistic is the logarithm of odds as a line.
type logistic struct{ base, slope float64 }

// doubt tells how sure a ranking makes that its question has an answer: one line
// where the question names a speaker and others talk too, one where it does not.
type doubt struct{ named, open logistic }

// signs are what it goes by.
type signs struct {
	named bool
	// value is how far the named speaker's best turn leads the others' best, both
	// without what the speaker counts, or else the best score.
	value float64
}

// signsOf reads the signs off a question's candidates.
func signsOf(l *list, w []float64) signs {
	speaker, other := slices.Index(modelNames, "speaker"), slices.Index(modelNames, "other-speaker")
	scores := l.scores(w, nil)
	var asked, others, top float64
	rivals := false
	for i, x := range l.values {
		if i == 0 || scores[i] > top {
			top = scores[i]
		}
		switch {
		case x[speaker] > 0:
			asked = max(asked, scores[i]-w[speaker])
		case x[other] > 0:
			others, rivals = max(others, scores[i]-w[other]), true
		}
	}
	if rivals { // another person can be meant only if a person is named
		return signs{named: true, value: asked - others}
	}
	return signs{value: top}
}

func (d *doubt) sure(s signs) float64 {
	line := d.open
	if s.named {
		line = d.named
	}
	return line.base + line.slope*s.value
}

// calibrate fits the lines to all sets but the one left out: LoCoMo's
// adversarial questions have no answer, the others have one.
func (t *training) calibrate(leftOut string, w []float64) doubt {
	var values, answered [2][]float64 // named, open
	for c := range t.sets {
		if t.sets[c].name == leftOut {
			continue
		}
		for i := range t.sets[c].lists {
			l := &t.sets[c].lists[i]
			if len(l.values) == 0 {
				continue
			}
			s, line, yes := signsOf(l, w), 1, 1.0
			if s.named {
				line = 0
			}
			if kind := l.question.kind; kind == adversarial || kind == never {
				yes = 0
			}
			values[line], answered[line] = append(values[line], s.value), append(answered[line], yes)
		}
	}
	return doubt{named: fitLine(values[0], answered[0]), open: fitLine(values[1], answered[1])}
}

// fitLine is logistic regression on one value, by Newton's method.
func fitLine(values, answered []float64) logistic {
	const steps, ridge = 25, 1.0
	var l logistic
	for range steps {
		g0, g1 := ridge*l.base, ridge*l.slope
		h00, h01, h11 := ridge, 0.0, ridge
		for i, v := range values {
			p := 1 / (1 + math.Exp(-l.base-l.slope*v))
			d, k := p-answered[i], p*(1-p)
			g0, g1 = g0+d, g1+d*v
			h00, h01, h11 = h00+k, h01+k*v, h11+k*v*v
		}
		det := h00*h11 - h01*h01
		l.base -= (h11*g0 - h01*g1) / det
		l.slope -= (h00*g1 - h01*g0) / det
	}
	return l
}
