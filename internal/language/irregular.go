package language

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed lexicon/irregular.txt
var irregularText string

// longestIrregular is the length of the longest irregular form.
const longestIrregular = 14

// irregular leads the irregular forms of English back to their bases, which a
// stemmer cannot; the embedded list, read once.
var irregular = sync.OnceValue(func() map[string]string {
	bases := make(map[string]string, 300)
	for base, forms := range Lists(irregularText) {
		for form := range strings.FieldsSeq(forms[0]) {
			bases[form] = base
		}
	}
	return bases
})

// regular puts the base of an irregular form in its place. A base is at most
// as long as maxWord; the buffer behind w has room for it.
func regular(w []byte) []byte {
	if len(w) > longestIrregular {
		return w
	}
	if base, ok := irregular()[string(w)]; ok {
		return append(w[:0], base...)
	}
	return w
}
