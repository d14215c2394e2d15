package ranking

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
	out := x.stemsLike(stem)
	return out[:min(len(out), mostRelatives)]
}

// related compares two words that share their first letters.
func related(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	n := familyKey
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return (n >= sharedLetters || n == len(a)) && len(b)-n <= looseEnd
}
