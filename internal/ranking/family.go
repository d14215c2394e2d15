package ranking

import "slices"

// A stemmer keeps members of a word family apart ("destruction", "destructive",
// "destroy"). Words with the same beginning and a short different ending count as
// related, with a lower weight. The rule also tolerates a misspelt ending.
const (
	// kinship is the weight of an occurrence of a related word; the best of 0–0.8.
	kinship = 0.4
	// familyKey is the number of first letters by which relatives are looked up.
	familyKey = 4
	// sharedLetters is the minimum common beginning of relatives; a whole word of
	// familyKey letters is enough.
	sharedLetters = 5
	// looseEnd is the maximum number of letters after the common beginning.
	looseEnd = 3
	// mostRelatives bounds the relatives of a word.
	mostRelatives = 8
)

// keyOf is the key for finding relatives; false for words that are too short or have
// other characters than letters.
func keyOf(stem string) (key [familyKey]byte, ok bool) {
	if len(stem) < familyKey {
		return key, false
	}
	for i := range key {
		c := stem[i]
		if c < 'a' || c > 'z' {
			return key, false
		}
		key[i] = c
	}
	return key, true
}

// relatives are other words related to stem, the first in the alphabet if there are many.
func (x *Index) relatives(stem string) []string {
	key, ok := keyOf(stem)
	if !ok {
		return nil
	}
	f := family{stem: stem, key: key}
	for _, p := range x.parts {
		p.relatives(&f)
	}
	return f.words
}

// family collects the words related to a stem from the parts of an index.
type family struct {
	stem  string
	key   [familyKey]byte // of stem
	words []string        // in the order of the alphabet, at most mostRelatives
}

// addTo adds a word that begins with the family's key, if it is related to the stem. It
// reports whether there is room for a word that is later in the alphabet.
func addTo[T string | []byte](f *family, word T) bool {
	at := 0
	for at < len(f.words) && f.words[at] < string(word) {
		at++
	}
	if at == mostRelatives {
		return false
	}
	known := at < len(f.words) && f.words[at] == string(word)
	if !known && string(word) != f.stem && related(f.stem, word) {
		f.words = slices.Insert(f.words[:min(len(f.words), mostRelatives-1)], at, string(word))
	}
	return true
}

// related compares two words that share their first letters.
func related[T string | []byte](a string, b T) bool {
	shorter, longer := min(len(a), len(b)), max(len(a), len(b))
	n := familyKey
	for n < shorter && a[n] == b[n] {
		n++
	}
	return (n >= sharedLetters || n == shorter) && longer-n <= looseEnd
}
