package ranking

import "github.com/hermes-memory/hermes/internal/language"

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
	list  int32
	worth float32
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
	for _, id := range x.relatives(stem) {
		out = append(out, kin{id, kinship})
	}
	idf := inverse(len(x.docs), int(holders))
	out = x.join(out, stem, language.Kinds(stem), membership, idf)
	return x.join(out, stem, language.Alike(stem), likeness, idf)
}

// join adds the words that are in the index to out. A word more common than the
// replaced one weighs less, because its occurrences mean less.
func (x *Index) join(out []kin, stem string, words []string, worth, idf float32) []kin {
next:
	for _, w := range words {
		id, ok := x.terms[w]
		if !ok || w == stem || len(out) == mostKin {
			continue
		}
		n := int(x.holders[id])
		if n > alwaysRare && n > len(x.docs)/commonShare {
			continue
		}
		for _, k := range out {
			if k.list == id {
				continue next
			}
		}
		out = append(out, kin{id, worth * min(1, inverse(len(x.docs), n)/idf)})
	}
	return out
}
