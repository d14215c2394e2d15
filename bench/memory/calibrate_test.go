package main

import (
	"math"
	"slices"
	"testing"
)

// TestFitLine finds the odds that the data was made by.
func TestFitLine(t *testing.T) {
	t.Parallel()
	var values, answered []float64
	for i := range 4000 {
		v := float64(i%40)/10 - 2
		p := 1 / (1 + math.Exp(-0.5-1.5*v))
		values = append(values, v)
		if float64((i/40*37)%100)/100 < p {
			answered = append(answered, 1)
		} else {
			answered = append(answered, 0)
		}
	}
	got := fitLine(values, answered)
	if math.Abs(got.base-0.5) > 0.15 || math.Abs(got.slope-1.5) > 0.15 {
		t.Errorf("got %+v, want about 0.5 and 1.5", got)
	}
}

// TestSigns: a question that names a speaker goes by how far that one leads.
func TestSigns(t *testing.T) {
	t.Parallel()
	speaker, other, words := slices.Index(modelNames, "speaker"), slices.Index(modelNames, "other-speaker"), slices.Index(modelNames, "words")
	weights := make([]float64, len(modelNames))
	weights[words], weights[speaker], weights[other] = 2, 1, -1
	for name, test := range map[string]struct {
		values [][3]float64 // words, speaker, other speaker
		want   signs
	}{
		"named":     {[][3]float64{{3, 1}, {1, 1}, {2, 0, 1}}, signs{named: true, value: 2}},
		"no rivals": {[][3]float64{{3, 1}, {1, 1}}, signs{value: 7}},
		"open":      {[][3]float64{{1}, {2}}, signs{value: 4}},
		"nothing":   {nil, signs{}},
	} {
		var l list
		for _, v := range test.values {
			x := make([]float64, len(modelNames))
			x[words], x[speaker], x[other] = v[0], v[1], v[2]
			l.values = append(l.values, x)
		}
		if got := signsOf(&l, weights); got != test.want {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
	}
}

// TestSolve checks a system with a known solution.
func TestSolve(t *testing.T) {
	t.Parallel()
	got := solve([][]float64{{4, 1, 0}, {1, 3, 1}, {0, 1, 2}}, []float64{6, 10, 8})
	for i, want := range []float64{1, 2, 3} {
		if math.Abs(got[i]-want) > 1e-9 {
			t.Errorf("x[%d] is %v, want %v", i, got[i], want)
		}
	}
}
