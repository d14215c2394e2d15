package memory

import "github.com/hermes-memory/hermes/internal/language"

// key is something that facts have in common, as a hash: a word, a slot, a kind. The index
// of a state maps keys to facts.
type key uint64

// keySpace is the sort of thing of a key.
type keySpace uint8

// The sorts. Facts that assert something have keys of all sorts, others only those of
// words, technologies and kinds.
const (
	wordKey      keySpace = iota + 1 // a word of the statement, of its slot, or of what it answers
	techKey                          // a category of technology that it names
	kindKey                          // its kind
	termKey                          // a term of its signature
	classKey                         // the class of a term: terms of one class exclude one another
	slotKey                          // its slot
	sameKey                          // all content words of the statement
	reasonKey                        // the words of its reason
	recurringKey                     // its reason was given before
	assertedKey                      // it asserts something
)

// keyOf is the key of a thing that is a hash or a number.
func keyOf(space keySpace, thing uint32) key { return key(space)<<32 | key(thing) }

// wordKeyOf is the key of a stem.
func wordKeyOf(stem []byte) key { return keyOf(wordKey, hashOf(stem)) }

// glimpse is what an index tells of a fact.
type glimpse struct {
	number FactNumber
	kind   kindNumber
	// record is the fact if it is in memory and the index knows that; nil otherwise.
	record *record
}

// index maps keys to the facts with the key, by rising number.
type index map[key][]glimpse

// add adds the newest fact under a key, at most once.
func (x index) add(k key, g glimpse) {
	if list := x[k]; len(list) == 0 || list[len(list)-1].number != g.number {
		x[k] = append(list, g)
	}
}

// addWords adds a fact under the words of a text.
func (x index) addWords(text string, g glimpse) {
	scan := language.Scan(text)
	for w, ok := scan.Next(); ok; w, ok = scan.Next() {
		if !w.Stop {
			x.add(wordKeyOf(w.Stem), g)
		}
	}
}
