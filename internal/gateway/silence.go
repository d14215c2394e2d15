package gateway

import (
	"strings"
	"unicode"
)

// silentAnswer is the answer of a model that has nothing to say.
const silentAnswer = "[SILENT]"

// isSilent reports whether an answer says only that there is nothing to say. Models set the mark as they like: in quotes, as
// code, in bold, with a period, in small letters.
func isSilent(answer string) bool {
	word, rest := silentWord(answer)
	return word == silentAnswer && strings.TrimLeftFunc(rest, dressing) == ""
}

// maySilence reports whether an answer that is being written may become one that says nothing.
func maySilence(answer string) bool {
	word, rest := silentWord(answer)
	return rest == "" && strings.HasPrefix(silentAnswer, word) || isSilent(answer)
}

// silentWord is the begin of an answer, as long as the mark of silence, in the form of that mark, and what stands
// behind it. Marks around it are left out, as the strokes are before brackets.
func silentWord(answer string) (word, rest string) {
	answer = strings.TrimLeftFunc(answer, func(r rune) bool { return r != '[' && dressing(r) })
	var b strings.Builder
	for i, r := range answer {
		switch {
		case r == '\\':
		case b.Len() >= len(silentAnswer):
			return b.String(), answer[i:]
		default:
			b.WriteRune(unicode.ToUpper(r))
		}
	}
	return b.String(), ""
}

// dressing reports whether a sign only dresses a word: a blank, a punctuation mark, a quote or a mark of code.
func dressing(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) || r == '`' }
