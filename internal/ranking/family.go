package ranking

// A stemmer leaves members of a word family apart ("destruction", "destructive",
// "destroy"). Words that begin alike and differ in a short end count as related,
// at a discount. The same rule forgives a misspelt end.
const (
	// kinship is what an occurrence of a related word counts; best of 0–0.8.
	kinship = 0.4
	// familyKey is how many first letters relatives must share to be compared.
	familyKey = 4
	// sharedLetters is how much beginning makes relatives; a whole word of
	// familyKey letters is enough.
	sharedLetters = 5
	// looseEnd is how many letters may follow what is shared.
	looseEnd = 3
	// mostRelatives bounds the work for one word.
	mostRelatives = 8
)

// keyOf is the beginning under which relatives are found; false for words that
// are too short or hold anything but letters.
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

// relatives are the terms related to stem, other than itself, oldest first.
func (x *Index) relatives(stem string) []int32 {
	key, ok := keyOf(stem)
	if !ok {
		return nil
	}
	var out []int32
	for _, id := range x.families[key] {
		other := x.lists[id].stem
		if other != stem && related(stem, other) {
			if out = append(out, id); len(out) == mostRelatives {
				break
			}
		}
	}
	return out
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
