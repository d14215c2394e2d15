package main

import (
	"math"
	"slices"
)

// rankSum compares two samples after Mann and Whitney: u is in how many pairs the
// one of a is the larger (a tie is half a pair), and p how likely so uneven a u, or
// a more uneven one, is if both come from the same source. It takes the normal
// approximation with corrections for ties and continuity, which is good from some
// twenty values on.
func rankSum(a, b []float64) (u, p float64) {
	type value struct {
		v     float64
		first bool
	}
	all := make([]value, 0, len(a)+len(b))
	for _, v := range a {
		all = append(all, value{v, true})
	}
	for _, v := range b {
		all = append(all, value{v, false})
	}
	slices.SortFunc(all, func(x, y value) int {
		switch {
		case x.v < y.v:
			return -1
		case x.v > y.v:
			return 1
		}
		return 0
	})
	ranks, ties := 0.0, 0.0
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].v == all[i].v {
			j++
		}
		alike := float64(j - i)
		for _, x := range all[i:j] {
			if x.first {
				ranks += float64(i+j+1) / 2 // the middle of their ranks, which begin at 1
			}
		}
		ties += alike*alike*alike - alike
		i = j
	}
	n, m := float64(len(a)), float64(len(b))
	u = ranks - n*(n+1)/2
	variance := n * m / 12 * (n + m + 1 - ties/((n+m)*(n+m-1)))
	if variance <= 0 {
		return u, 1 // all are alike
	}
	z := max(0, math.Abs(u-n*m/2)-0.5) / math.Sqrt(variance)
	return u, math.Erfc(z / math.Sqrt2)
}

// median is the value in the middle.
func median(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}
