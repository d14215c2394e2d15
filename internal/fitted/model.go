// Package fitted reads models whose weights were fitted to data, and scores with them.
//
// A model is a text file next to the code that uses it. Lines that begin with "#" say
// which command, data and date made the weights, and what they measured. Every other
// line is the name of a feature and its weight. The feature "base" is always 1.
package fitted

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Model is a weighted sum of named features. It is a logarithm of odds.
type Model struct {
	base    float32
	weights []float32
}

// Parse reads a model. names are the features in the order of their numbers. A feature
// that the text lacks has the weight 0.
func Parse(text string, names []string) (Model, error) {
	m := Model{weights: make([]float32, len(names))}
	at := make(map[string]*float32, len(names)+1)
	at["base"] = &m.base
	for i, name := range names {
		at[name] = &m.weights[i]
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, number, _ := strings.Cut(line, " ")
		weight, err := strconv.ParseFloat(strings.TrimSpace(number), 32)
		if err != nil || math.IsNaN(weight) || math.IsInf(weight, 0) {
			return Model{}, fmt.Errorf("%q is no feature with a weight", line)
		}
		place, known := at[name]
		if !known {
			return Model{}, fmt.Errorf("the feature %q is unknown", name)
		}
		*place = float32(weight)
	}
	return m, nil
}

// MustParse is Parse for embedded text, which a test reads too.
func MustParse(text string, names []string) Model {
	m, err := Parse(text, names)
	if err != nil {
		panic(err)
	}
	return m
}

// Weight is the weight of the feature with a number.
func (m *Model) Weight(feature int) float32 { return m.weights[feature] }

// Score is the logarithm of the odds for the values of the features. Products are rounded
// before they are added, so that every machine gets the same score.
func (m *Model) Score(values []float32) float32 {
	sum := m.base
	for i, v := range values {
		product := float32(v * m.weights[i])
		sum = float32(sum + product)
	}
	return sum
}

// Probability turns a logarithm of odds into a probability.
func Probability(score float32) float32 {
	return float32(1 / (1 + math.Exp(-float64(score))))
}
