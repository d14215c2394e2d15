// Package wordvec knows what English words mean: it holds a table of word vectors, and
// compares words and texts by them. Texts in other languages have no vectors.
//
// The table is part of the program and is read in place, so it costs no time at start
// and no heap. README.md says where the table comes from. All sums are of integers, so
// every machine gets the same results.
package wordvec

import _ "embed"

// Dim is the number of dimensions of a vector.
const Dim = 100

// Unit is the length of a row and of a [Vector]: 1 as far as one byte per dimension
// allows. No dimension of a row in the table is longer than half of the vector.
const Unit = 250

//go:embed words.bin
var embedded string

// english is the embedded table; never written.
var english = mustOpen(embedded)

// Row is the vector of a word, in place: byte i, read as an int8, is dimension i.
type Row string

// Words is the number of words in the table.
func Words() int { return english.Len() }

// Word returns the number of a word in lower case, false if the table lacks it. More
// frequent words have smaller numbers.
func Word(low string) (int, bool) { return find(&english, low) }

// At returns the vector of the word with a number.
func At(word int) Row { return english.Row(word) }

// Similarity is the cosine of two words, by their numbers: from -1 to 1.
func Similarity(a, b int) float32 { return english.Row(a).Cosine(english.Row(b)) }

// Cosine is the cosine of two words: from -1 to 1.
func (r Row) Cosine(o Row) float32 {
	sum := int32(0)
	for i := range min(len(r), len(o)) {
		sum += int32(int8(r[i])) * int32(int8(o[i]))
	}
	return cosine(sum)
}

// cosine turns the product of two vectors of the length Unit into a cosine. Rounding to
// bytes can make a vector a little longer than Unit.
func cosine(product int32) float32 {
	return min(1, max(-1, float32(product)/(Unit*Unit)))
}
