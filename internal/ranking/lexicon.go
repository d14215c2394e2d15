package ranking

import (
	"slices"

	"github.com/hermes-memory/hermes/internal/language"
)

// The weights of words that the lexicon connects to a question word of equal rarity,
// and of words that only form the question. All lie on plateaus: a third more or less
// changes recall by a few tenths of a point.
const (
	likeness   = 0.15
	membership = 0.4
	idleWeight = 0.5
)

// kin is a word that may replace another one, with its weight.
type kin struct {
	word  int32 // in this search
	worth float32
	stem  string
}

const (
	// mostKin bounds how many words may replace one.
	mostKin = 48
	// commonShare bounds how common a replacing word may be: it may be in at most one
	// of commonShare messages.
	commonShare = 10
	// alwaysRare is the number of messages up to which no word is common.
	alwaysRare = 500
)

// kin are the words of the index that may replace stem: relatives, words alike, members
// of the class it names. holders is the number of messages with stem.
func (x *Index) kin(stem string, holders int32) []kin {
	var out []kin
	for _, other := range x.relatives(stem) {
		if word := x.lookUp(other); word >= 0 {
			out = append(out, kin{word, kinship, other})
		} else {
			x.lost(other)
		}
	}
	idf := inverse(x.Len(), int(holders))
	out = x.join(out, stem, language.Kinds(stem), membership, idf)
	return x.join(out, stem, language.Alike(stem), likeness, idf)
}

// join adds the words that are in the index to out. A word more common than the
// replaced one weighs less, because its occurrences mean less.
func (x *Index) join(out []kin, stem string, words []string, worth, idf float32) []kin {
	all := x.Len()
	for _, w := range words {
		if w == stem || len(out) == mostKin || slices.ContainsFunc(out, func(k kin) bool { return k.stem == w }) {
			continue
		}
		id := x.lookUp(w)
		n := int(x.messages(id))
		if n == 0 || n > alwaysRare && n > all/commonShare {
			continue
		}
		out = append(out, kin{id, worth * min(1, inverse(all, n)/idf), w})
	}
	return out
}
