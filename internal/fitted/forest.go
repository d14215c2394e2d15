package fitted

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Forest is a sum of small decision trees over named features. It is a logarithm of odds.
//
// A file of a forest begins as that of a [Model]: comments, and the line "base". Every
// other line is a tree. A tree is a leaf, "= 0.25", or a test and the trees for values up
// to the threshold and above it: "length 4.5 = 0.25 = -0.5".
type Forest struct {
	base  float32
	nodes []node
	trees []int32 // the nodes at which the trees begin
	// most is, for each tree, the most that it and the trees after it can add. It is not
	// less than their float32 sum for any values.
	most []float32
}

// node is a test of a feature, or a leaf.
type node struct {
	feature   int32 // -1: a leaf
	threshold float32
	// above is the node for larger values; the node for the others is the next one.
	above int32
	leaf  float32
}

// deepest bounds the tests from the root of a tree to a leaf.
const deepest = 8

// ParseForest reads a forest. names are the features in the order of their numbers.
func ParseForest(text string, names []string) (Forest, error) {
	f, at := Forest{}, make(map[string]int32, len(names))
	for i, name := range names {
		at[name] = int32(i)
	}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		if words[0] == "base" && len(words) == 2 {
			base, err := finite(words[1])
			if err != nil {
				return Forest{}, err
			}
			f.base = base
			continue
		}
		f.trees = append(f.trees, int32(len(f.nodes)))
		rest, err := f.grow(words, at, 0)
		if err != nil {
			return Forest{}, err
		}
		if len(rest) > 0 {
			return Forest{}, fmt.Errorf("%q is left over behind a tree", rest[0])
		}
	}
	f.bound()
	return f, nil
}

// bound computes most, with room for the rounding of the sums.
func (f *Forest) bound() {
	f.most = make([]float32, len(f.trees))
	end, sum, size := len(f.nodes), 0.0, math.Abs(float64(f.base))
	for t := len(f.trees) - 1; t >= 0; t-- {
		largest := math.Inf(-1)
		for _, n := range f.nodes[f.trees[t]:end] {
			if n.feature < 0 {
				largest, size = max(largest, float64(n.leaf)), size+math.Abs(float64(n.leaf))
			}
		}
		end, sum = int(f.trees[t]), sum+largest
		f.most[t] = float32(sum)
	}
	const rounding = 1.0 / (1 << 22) // of one sum, as a part of it
	room := float32(size * rounding * float64(len(f.trees)+2))
	for t := range f.most {
		f.most[t] += room
	}
}

// MustParseForest is ParseForest for embedded text, which a test reads too.
func MustParseForest(text string, names []string) Forest {
	f, err := ParseForest(text, names)
	if err != nil {
		panic(err)
	}
	return f
}

// grow adds the tree with which words begin, and returns the words behind it.
func (f *Forest) grow(words []string, at map[string]int32, depth int) ([]string, error) {
	if len(words) < 2 || depth > deepest {
		return nil, fmt.Errorf("a tree is cut off or deeper than %d tests", deepest)
	}
	number, err := finite(words[1])
	if err != nil {
		return nil, err
	}
	here := len(f.nodes)
	if words[0] == "=" {
		f.nodes = append(f.nodes, node{feature: -1, leaf: number})
		return words[2:], nil
	}
	feature, known := at[words[0]]
	if !known {
		return nil, fmt.Errorf("the feature %q is unknown", words[0])
	}
	f.nodes = append(f.nodes, node{feature: feature, threshold: number})
	rest, err := f.grow(words[2:], at, depth+1)
	if err != nil {
		return nil, err
	}
	f.nodes[here].above = int32(len(f.nodes))
	return f.grow(rest, at, depth+1)
}

// finite reads a number.
func finite(word string) (float32, error) {
	n, err := strconv.ParseFloat(word, 32)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, fmt.Errorf("%q is no finite number", word)
	}
	return float32(n), nil
}

// Score is the logarithm of the odds for the values of the features. The trees are added
// in their order, so that every machine gets the same score.
func (f *Forest) Score(values []float32) float32 {
	score, _ := f.Reach(values, float32(math.Inf(-1)))
	return score
}

// Reach is Score for callers who need only scores from least on. It ends early, with
// reached false, at a tree from which on the rest cannot reach that.
func (f *Forest) Reach(values []float32, least float32) (score float32, reached bool) {
	sum := f.base
	for t, i := range f.trees {
		if sum+f.most[t] < least {
			return 0, false
		}
		n := &f.nodes[i]
		for n.feature >= 0 {
			if i++; values[n.feature] > n.threshold {
				i = n.above
			}
			n = &f.nodes[i]
		}
		sum += n.leaf
	}
	return sum, true
}
