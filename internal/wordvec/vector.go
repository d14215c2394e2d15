package wordvec

import (
	"bytes"
	"math"
	"math/bits"

	"github.com/hermes-memory/hermes/internal/language"
)

// Vector is the meaning of a text: the weighted mean of its words' vectors, of the
// length [Unit]. The zero Vector means that no word is known.
type Vector struct {
	parts [Dim]int8
	known uint8
}

// Known is the number of content words that the table knows, at most 255.
func (v *Vector) Known() int { return int(v.known) }

// Part is the dimension i of a meaning, as a part of [Unit].
func (v *Vector) Part(i int) int8 { return v.parts[i] }

// VectorSize is the length of a Vector as bytes.
const VectorSize = Dim + 1

// Append appends the vector as VectorSize bytes.
func (v *Vector) Append(b []byte) []byte {
	for _, p := range v.parts {
		b = append(b, byte(p))
	}
	return append(b, v.known)
}

// Decode reads a vector from the VectorSize bytes that Append appended.
func Decode(b []byte) (v Vector) {
	b = b[:VectorSize]
	for i := range v.parts {
		v.parts[i] = int8(b[i])
	}
	v.known = b[Dim]
	return v
}

// Cosine is the cosine of two meanings: from -1 to 1, 0 if one of them has no known word.
func (v *Vector) Cosine(o *Vector) float32 {
	sum := int32(0)
	for i := range v.parts {
		sum += int32(v.parts[i]) * int32(o.parts[i])
	}
	return cosine(sum)
}

// CosineOf is the cosine with the meaning that Append appended as bytes.
func (v *Vector) CosineOf(bytes []byte) float32 {
	bytes = bytes[:VectorSize]
	var a, b int32 // two sums, which the processor adds to at once
	for i := 0; i < Dim; i += 4 {
		a += int32(v.parts[i])*int32(int8(bytes[i])) + int32(v.parts[i+1])*int32(int8(bytes[i+1]))
		b += int32(v.parts[i+2])*int32(int8(bytes[i+2])) + int32(v.parts[i+3])*int32(int8(bytes[i+3]))
	}
	return cosine(a + b)
}

// mostWords bounds the words of a text that count: the first ones tell its subject.
const mostWords = 1000

// Of is the meaning of a text. Stop words and numbers do not count. Frequent words
// count less than rare ones.
func Of(text string) Vector {
	var m Mean
	scan := language.Scan(text)
	for w, ok := scan.Next(); ok && m.known < mostWords; w, ok = scan.Next() {
		m.Add(text, &w)
	}
	return m.Vector()
}

// Mean is a [Vector] in the making, for callers who scan the text themselves.
type Mean struct {
	sum   [Dim]int32
	known int
}

// Add adds a word of a text.
func (m *Mean) Add(text string, w *language.Word) {
	if word, ok := Lookup(text, w); ok {
		m.AddWord(word)
	}
}

// wholeWeight is the weight of a very rare word; halfRank is the rank of a word with
// half of it. The frequency of a word is taken to be inverse to its rank.
const (
	wholeWeight = 256
	halfRank    = 500
)

// AddWord adds the word with a number.
func (m *Mean) AddWord(word int) {
	if m.known >= mostWords {
		return
	}
	weight := int32(wholeWeight * (word + 1) / (word + 1 + halfRank))
	row := At(word)[:Dim] // the length spares a check in each step
	for i := range m.sum {
		m.sum[i] += weight * int32(int8(row[i]))
	}
	m.known++
}

// Vector is the mean of the words so far.
func (m *Mean) Vector() Vector {
	square := int64(0)
	for _, v := range m.sum {
		square += int64(v) * int64(v)
	}
	if square == 0 {
		return Vector{}
	}
	out, length := Vector{known: uint8(min(m.known, math.MaxUint8))}, math.Sqrt(float64(square))
	for i, v := range m.sum {
		// The product is exact: the quotient is the only rounding.
		out.parts[i] = int8(max(-math.MaxInt8, min(math.MaxInt8, math.Round(float64(int64(v)*Unit)/length))))
	}
	return out
}

// longest is the length of the longest word that is looked up, in bytes.
const longest = 48

// Lookup returns the number of a scanned word: as written, without a plural ending, or
// by its stem. It returns false for stop words, numbers, and words that the table lacks.
func Lookup(text string, w *language.Word) (int, bool) {
	if w.Stop || w.Number || w.End-w.Start > longest {
		return 0, false
	}
	var space [2 * longest]byte
	low := closeUp(language.AppendFolded(space[:0], text[w.Start:w.End]))
	if word, ok := find(&english, low); ok {
		return word, true
	}
	if n := len(low); n > 3 && low[n-1] == 's' {
		if word, ok := find(&english, low[:n-1]); ok {
			return word, true
		}
	}
	return find(&english, w.Stem)
}

// closeUp removes what an apostrophe joins to a word ("Anna's"), or only the apostrophe if
// it follows a single letter ("O'Brien").
func closeUp(low []byte) []byte {
	at, size := bytes.IndexByte(low, '\''), 1
	if at < 0 {
		at, size = bytes.Index(low, []byte("’")), len("’")
	}
	switch {
	case at < 0:
		return low
	case at == 1:
		return append(low[:at], low[at+size:]...)
	}
	return low[:at]
}

// Signature has a bit for every dimension of a vector: whether it is positive. Two
// signatures tell roughly, and in a fraction of the time, how near two vectors are.
type Signature [2]uint64

// Signature is the signature of a meaning.
func (v *Vector) Signature() (s Signature) {
	for i, p := range v.parts {
		if p > 0 {
			s[i/64] |= 1 << (i % 64)
		}
	}
	return s
}

// Distance is the number of dimensions in which two vectors differ in their sign. Two
// vectors of equal direction have 0, unrelated ones about Dim/2.
func (s Signature) Distance(o Signature) int {
	return bits.OnesCount64(s[0]^o[0]) + bits.OnesCount64(s[1]^o[1])
}
