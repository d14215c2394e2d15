package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// The forest of decision trees that boosting grows: each tree corrects the sum of those
// before it.
const (
	forestTrees = 200
	treeDepth   = 2
	treeRate    = 0.1 // how much of its correction a tree adds
	leafRidge   = 5.0
	// leafWeight is the least curvature of the loss on a side of a test.
	leafWeight = 2.0
	// mostCuts bounds the thresholds that are tried for a feature.
	mostCuts = 31
)

// branch is a test of a feature, or a leaf if it has no sides.
type branch struct {
	feature     int
	threshold   float32
	upTo, above *branch
	leaf        float64
}

func (b *branch) value(values []float32) float64 {
	for b.upTo != nil {
		if values[b.feature] > b.threshold {
			b = b.above
		} else {
			b = b.upTo
		}
	}
	return b.leaf
}

// write writes a tree as package fitted reads it.
func (b *branch) write(w *strings.Builder, names []string) {
	if b.upTo == nil {
		fmt.Fprintf(w, "= %.4g", b.leaf)
		return
	}
	fmt.Fprintf(w, "%s %.4g ", names[b.feature], b.threshold)
	b.upTo.write(w, names)
	w.WriteByte(' ')
	b.above.write(w, names)
}

// forest is a logarithm of odds: the sum of trees.
type forest struct {
	base  float64
	trees []*branch
}

func (f *forest) score(values []float32) float64 {
	sum := f.base
	for _, t := range f.trees {
		sum += t.value(values)
	}
	return sum
}

func (f *forest) probability(values []float32) float64 { return 1 / (1 + math.Exp(-f.score(values))) }

func (f *forest) write(w io.Writer, head, names []string) error {
	var b strings.Builder
	for _, line := range head {
		fmt.Fprintf(&b, "# %s\n", strings.TrimSpace(line))
	}
	fmt.Fprintf(&b, "base %.4g\n", f.base)
	for _, t := range f.trees {
		t.write(&b, names)
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// grower grows the trees. The same examples in the same order give the same forest.
type grower struct {
	examples []example
	cuts     [][]float32 // of each feature, rising
	places   [][]uint8   // of each feature's values among its cuts
	scores   []float64
	slope    []float64 // of the loss of each example
	curve    []float64
}

// learnForest fits a forest.
func learnForest(examples []example, features int) (*forest, error) {
	if len(examples) == 0 {
		return nil, errors.New("no examples to learn from")
	}
	g := grower{
		examples: examples, cuts: make([][]float32, features), places: make([][]uint8, features),
		scores: make([]float64, len(examples)), slope: make([]float64, len(examples)), curve: make([]float64, len(examples)),
	}
	for j := range features {
		g.cut(j)
	}
	yes, all := 0.0, 0.0
	everything := make([]int32, len(examples))
	for i := range examples {
		everything[i] = int32(i)
		all += examples[i].counts()
		if examples[i].yes {
			yes += examples[i].counts()
		}
	}
	f := &forest{base: math.Log(yes / (all - yes))}
	for i := range g.scores {
		g.scores[i] = f.base
	}
	for range forestTrees {
		g.slopes()
		f.trees = append(f.trees, g.grow(everything, 0))
	}
	return f, nil
}

// cut chooses the thresholds of a feature, and places the examples' values among them.
func (g *grower) cut(feature int) {
	values := make([]float32, len(g.examples))
	for i := range g.examples {
		values[i] = g.examples[i].values[feature]
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(values)))
	steps := min(len(distinct), mostCuts+1)
	for k := 1; k < steps; k++ {
		at := k * len(distinct) / steps
		g.cuts[feature] = append(g.cuts[feature], (distinct[at-1]+distinct[at])/2)
	}
	g.places[feature] = make([]uint8, len(values))
	for i, v := range values {
		place, _ := slices.BinarySearch(g.cuts[feature], v)
		g.places[feature][i] = uint8(place)
	}
}

// slopes sets the slope and the curvature of every example's loss at its score.
func (g *grower) slopes() {
	for i := range g.examples {
		p, n := 1/(1+math.Exp(-g.scores[i])), g.examples[i].counts()
		g.slope[i], g.curve[i] = n*p, float64(n*float64(p*(1-p)))
		if g.examples[i].yes {
			g.slope[i] -= n
		}
	}
}

// grow grows the tree for some examples, and adds its leaves to their scores.
func (g *grower) grow(some []int32, depth int) *branch {
	slope, curve := 0.0, 0.0
	for _, i := range some {
		slope += g.slope[i]
		curve += g.curve[i]
	}
	feature, cut := -1, 0
	if depth < treeDepth {
		feature, cut = g.test(some, slope, curve)
	}
	if feature < 0 {
		leaf := -treeRate * slope / (curve + leafRidge)
		for _, i := range some {
			g.scores[i] += leaf
		}
		return &branch{leaf: leaf}
	}
	var upTo, above []int32
	for _, i := range some {
		if int(g.places[feature][i]) <= cut {
			upTo = append(upTo, i)
		} else {
			above = append(above, i)
		}
	}
	return &branch{feature: feature, threshold: g.cuts[feature][cut], upTo: g.grow(upTo, depth+1), above: g.grow(above, depth+1)}
}

// test finds the test that lowers the loss of some examples most; feature is -1 for none.
func (g *grower) test(some []int32, slope, curve float64) (feature, cut int) {
	most := 1e-6
	feature = -1
	for j := range g.cuts {
		var slopes, curves [mostCuts + 1]float64
		for _, i := range some {
			place := g.places[j][i]
			slopes[place] += g.slope[i]
			curves[place] += g.curve[i]
		}
		s, c := 0.0, 0.0
		for k := range g.cuts[j] {
			s += slopes[k]
			c += curves[k]
			if min(c, curve-c) < leafWeight {
				continue
			}
			gain := float64(s*s)/(c+leafRidge) + float64((slope-s)*(slope-s))/(curve-c+leafRidge)
			if gain -= float64(slope*slope) / (curve + leafRidge); gain > most {
				most, feature, cut = gain, j, k
			}
		}
	}
	return feature, cut
}
