package main

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestRankSum(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		a, b []float64
		u, p float64
	}{
		{"ages at diagnosis, from SciPy's manual", []float64{19, 22, 16, 29, 24}, []float64{20, 11, 17, 12}, 17, 0.11134688653314041},
		{"the other way round", []float64{20, 11, 17, 12}, []float64{19, 22, 16, 29, 24}, 3, 0.11134688653314041},
		{"apart", []float64{1, 2, 3, 4, 5, 6, 7, 8}, []float64{11, 12, 13, 14, 15, 16, 17, 18}, 0, 0.0009391056991171487},
		// By hand: ranks 1.5 1.5 4 4 4 6, variance 9/12 × (7 − 30/30), z = 3/√4.5.
		{"ties", []float64{1, 1, 2}, []float64{2, 2, 3}, 1, 0.15729921},
		{"all alike", []float64{7, 7, 7}, []float64{7, 7}, 3, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			u, p := rankSum(c.a, c.b)
			if u != c.u || math.Abs(p-c.p) > 1e-7 {
				t.Errorf("got u %v and p %v, want %v and %v", u, p, c.u, c.p)
			}
		})
	}
}

// TestRankSumIsFair draws both samples from one source: p falls below 0.05 in
// about one of twenty, and nearly always when one is shifted a little.
func TestRankSumIsFair(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	below, seen := 0, 0
	for range 400 {
		a, b, c := make([]float64, 300), make([]float64, 300), make([]float64, 300)
		for i := range a {
			a[i], b[i], c[i] = rnd.ExpFloat64(), rnd.ExpFloat64(), rnd.ExpFloat64()+0.3
		}
		if _, p := rankSum(a, b); p < 0.05 {
			below++
		}
		if _, p := rankSum(a, c); p < 0.05 {
			seen++
		}
	}
	if below < 8 || below > 36 || seen < 390 {
		t.Errorf("got %d of 400 below 0.05 from one source, and %d from two, want about 20, and nearly all", below, seen)
	}
}
