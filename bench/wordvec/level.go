package main

import (
	"math"

	"github.com/hermes-memory/hermes/internal/wordvec"
)

const (
	// common is the number of directions that are removed. With the mean alone, evidence
	// was among the first three messages by cosine for 26 % of the questions in other
	// words, with two directions for 31 %, with three or four for the same.
	common = 2
	// rounds of the power method; the directions have settled long before.
	rounds = 100
)

// level subtracts from all vectors their mean and their most common directions. Products
// are rounded before they are added, so that every machine makes the same table.
func level(vectors []vector) {
	var mean vector
	for i := range vectors {
		for j, v := range vectors[i] {
			mean[j] += v
		}
	}
	for i := range vectors {
		for j := range mean {
			vectors[i][j] -= mean[j] / float64(len(vectors))
		}
	}
	for range common {
		away := direction(vectors)
		for i := range vectors {
			vectors[i].add(&away, -vectors[i].dot(&away))
		}
	}
}

// direction is the unit vector along which the vectors vary most.
func direction(vectors []vector) vector {
	var d vector
	for i := range d {
		d[i] = 1 + float64(i%7)
	}
	for range rounds {
		var next vector
		for i := range vectors {
			next.add(&vectors[i], vectors[i].dot(&d))
		}
		length := math.Sqrt(next.dot(&next))
		if length == 0 {
			return vector{}
		}
		for i := range next {
			d[i] = next[i] / length
		}
	}
	return d
}

func (v *vector) dot(o *vector) float64 {
	sum := 0.0
	for i := range v {
		sum += float64(v[i] * o[i])
	}
	return sum
}

func (v *vector) add(o *vector, times float64) {
	for i := range v {
		v[i] += float64(o[i] * times)
	}
}

// round scales a vector to the length wordvec.Unit and rounds it to bytes.
func round(v *vector) (row [wordvec.Dim]int8) {
	length := math.Sqrt(v.dot(v))
	if length == 0 {
		return row
	}
	for i := range v {
		scaled := math.Round(v[i] / length * wordvec.Unit)
		row[i] = int8(max(-math.MaxInt8, min(math.MaxInt8, scaled)))
	}
	return row
}
