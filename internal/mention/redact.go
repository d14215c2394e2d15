package mention

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

// Redact removes every sentence that names the thing from a text. A mark of the same
// length in bytes replaces the sentence, so that the places of other quotes in the text
// stay valid. It returns the text and the number of removed sentences.
func (t *Thing) Redact(text string) (string, int) {
	spans := t.Spans(text)
	if len(spans) == 0 {
		return text, 0
	}
	word := t.mark()
	out, n := cut(text, spans, word)
	if t.in(out) { // it stands between sentences, or the pieces name it together
		overwrite(out, word)
		n++
	}
	return string(out), n
}

// Cut removes every sentence that overlaps a span, as [Thing.Redact] does. The spans
// are in any order.
func Cut(text string, spans []Span) (string, int) {
	if len(spans) == 0 {
		return text, 0
	}
	out, n := cut(text, joined(spans), erasedWord)
	return string(out), n
}

// Cut removes every sentence that overlaps a span, as Redact does. The spans are in any
// order.
func (t *Thing) Cut(text string, spans []Span) (string, int) {
	if len(spans) == 0 {
		return text, 0
	}
	out, n := cut(text, joined(spans), t.mark())
	return string(out), n
}

func cut(text string, spans []Span, word string) ([]byte, int) {
	out := []byte(text)
	n := 0
	for _, s := range language.Sentences(text) {
		for len(spans) > 0 && spans[0].End <= s.Start {
			spans = spans[1:]
		}
		if len(spans) > 0 && spans[0].Start < s.End {
			overwrite(out[s.Start:s.End], word)
			n++
		}
	}
	return out, n
}

// erasedWord is the text of the mark, as far as there is room for it.
const erasedWord = "[erased]"

// mark is the text that replaces the thing; blank if erasedWord itself names the thing.
func (t *Thing) mark() string {
	for n := 1; n <= len(erasedWord); n++ {
		if t.In(erasedWord[:n]) {
			return ""
		}
	}
	return erasedWord
}

// Erased reports whether a sentence is such a mark.
func Erased(sentence string) bool {
	return strings.Contains(sentence, erasedWord) || Emptied(sentence)
}

// Emptied reports whether a text consists only of such a mark.
func Emptied(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && strings.HasPrefix(erasedWord, text)
}

// Blank replaces a piece of a text by a mark, as [Thing.Redact] does.
func Blank(text string, start, end int) string {
	if start < 0 || end > len(text) || start >= end {
		return text
	}
	out := []byte(text)
	overwrite(out[start:end], erasedWord)
	return string(out)
}

// overwrite writes a mark over a piece of text. The mark ends a line where there is
// room, so that it does not join the sentence after it.
func overwrite(piece []byte, word string) {
	n := copy(piece, word)
	for i := n; i < len(piece); i++ {
		piece[i] = ' '
	}
	if len(piece) > n {
		piece[len(piece)-1] = '\n'
	}
}
