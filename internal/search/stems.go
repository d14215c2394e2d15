package search

import (
	"iter"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

// MaxStem bounds a stem in an index, in bytes. Longer ones are cut.
const MaxStem = 128

// Stems are the words of a text in the form for an index of words: folded and stemmed, with
// scripts without spaces in pairs, as in [IndexText]. A word comes as often as it stands in
// the text.
func Stems(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		var word []byte
		text := IndexText(text)
		for i := 0; i < len(text); {
			end, _, ok := pieceAt(text, i)
			if ok {
				word = appendStem(word[:0], text[i:end])
				if !yield(string(word)) {
					return
				}
			}
			i = end
		}
	}
}

// appendStem appends the stem of a word.
func appendStem(dst []byte, word string) []byte {
	return cutStem(language.Porter(appendFolded(dst, word)))
}

// cutStem cuts a stem that is too long, between two characters.
func cutStem(stem []byte) []byte {
	if len(stem) <= MaxStem {
		return stem
	}
	end := MaxStem
	for end > 0 && stem[end]&0xc0 == 0x80 {
		end--
	}
	return stem[:end]
}

// folding is how words are folded.
type folding func(dst []byte, word string) []byte

// TermStems are the stems that a text with a term has, as [Stems] returns them. Each comes with
// the other forms that it has in an index from before, which is not made again for them. prefix says
// that the last one may be the beginning of a longer stem. The stems of a term are adjacent
// in the text; an index that does not know finds more than the term means.
func TermStems(t *Term) (stems [][]string, prefix bool) {
	now, prefix := stemsOf(t, appendFolded)
	before, _ := stemsOf(t, language.AppendFolded)
	for i, stem := range now {
		forms := []string{stem}
		if len(before) == len(now) && before[i] != stem {
			forms = append(forms, before[i])
		}
		if start, ok := strings.CutSuffix(stem, "σ"); ok && !slices.Contains(forms, start+"ς") {
			forms = append(forms, start+"ς")
		}
		stems = append(stems, forms)
	}
	return stems, prefix
}

// stemsOf are the stems of a term whose words are folded in some way.
func stemsOf(t *Term, fold folding) (stems []string, prefix bool) {
	words, prefix := pairedTerm(t, fold)
	list := strings.Fields(words)
	for i, word := range list {
		stem := fold(nil, word)
		if !prefix || i < len(list)-1 { // a prefix is no word that has a stem
			stem = language.Porter(stem)
		}
		if stem = cutStem(stem); len(stem) > 0 {
			stems = append(stems, string(stem))
		}
	}
	return stems, prefix
}
