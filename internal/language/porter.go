package language

import "github.com/blevesearch/go-porterstemmer"

// longestStemmed is the length of the longest word that is stemmed, as in SQLite.
const longestStemmed = 64

// porter reduces an English word to its stem in place, by the algorithm of
// M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, with its later
// changes: the one that SQLite's full-text index uses, so both find the same words.
// Words of other languages pass unless they look English; they do so alike in text and
// in question, which is all that comparison needs.
func porter(w []byte) []byte {
	var space [longestStemmed]rune
	if len(w) > longestStemmed {
		return w
	}
	for i, c := range w {
		if c < 'a' || c > 'z' {
			return w
		}
		space[i] = rune(c)
	}
	stem := porterstemmer.StemWithoutLowerCasing(space[:len(w)])
	for i, r := range stem {
		w[i] = byte(r)
	}
	return w[:len(stem)]
}
