package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// guess is a probability, and whether it came true.
type guess struct {
	probability float64
	yes         bool
	weight      float64
}

func guesses(examples []example, probabilities []float64) []guess {
	out := make([]guess, len(examples))
	for i := range examples {
		out[i] = guess{probabilities[i], examples[i].yes, examples[i].counts()}
	}
	return out
}

// auc is the chance that a case of the first kind scores higher than one of the second;
// equal scores count half.
func auc(yes, no []float64) float64 {
	no = slices.Sorted(slices.Values(no))
	won := 0.0
	for _, a := range yes {
		below, _ := slices.BinarySearch(no, a)
		upTo, _ := slices.BinarySearchFunc(no, a, func(b, a float64) int {
			if b <= a {
				return -1
			}
			return 1
		})
		won += float64(below) + float64(upTo-below)/2
	}
	return won / float64(max(1, len(yes)*len(no)))
}

// areaUnder is the AUC of guesses.
func areaUnder(all []guess) float64 {
	var yes, no []float64
	for _, g := range all {
		if g.yes {
			yes = append(yes, g.probability)
		} else {
			no = append(no, g.probability)
		}
	}
	return auc(yes, no)
}

// above is what a threshold brings: the shares of right ones among those taken and of
// those taken among the right ones, and of those taken among the wrong ones.
type above struct{ precision, recall, falseRate float64 }

func aboveThreshold(all []guess, threshold float64) above {
	var taken, hit, yes, no float64
	for _, g := range all {
		if g.yes {
			yes += g.weight
		} else {
			no += g.weight
		}
		if g.probability < threshold {
			continue
		}
		taken += g.weight
		if g.yes {
			hit += g.weight
		}
	}
	return above{precision: ratio(hit, taken), recall: ratio(hit, yes), falseRate: ratio(taken-hit, no)}
}

// ratio is a/b, and 0 of nothing.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// bin is a tenth of the guesses in the order of their probability: what was said on
// average, and what came true.
type bin struct {
	n          int
	said, came float64
}

// calibration cuts guesses into bins of equal size.
func calibration(all []guess, bins int) []bin {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b guess) int { return cmp.Compare(a.probability, b.probability) })
	var out []bin
	for i := range bins {
		part := all[len(all)*i/bins : len(all)*(i+1)/bins]
		var b bin
		var weight float64
		for _, g := range part {
			b.n++
			weight += g.weight
			b.said += g.weight * g.probability
			if g.yes {
				b.came += g.weight
			}
		}
		if b.n > 0 {
			b.said, b.came = ratio(b.said, weight), ratio(b.came, weight)
			out = append(out, b)
		}
	}
	return out
}

// printGuesses prints the area, the thresholds and the calibration.
func printGuesses(w io.Writer, all []guess) {
	fmt.Fprintf(w, "%d examples, AUC %.3f\n\n| threshold | precision | recall | of the others |\n|---|---|---|---|\n", len(all), areaUnder(all))
	for _, t := range []float64{0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95} {
		a := aboveThreshold(all, t)
		fmt.Fprintf(w, "| %.2f | %.1f %% | %.1f %% | %.2f %% |\n", t, 100*a.precision, 100*a.recall, 100*a.falseRate)
	}
	fmt.Fprintln(w, "\n| said | came true | examples |\n|---|---|---|")
	for _, b := range calibration(all, 10) {
		fmt.Fprintf(w, "| %.3f | %.3f | %d |\n", b.said, b.came, b.n)
	}
}
