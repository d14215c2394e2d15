package mention

import (
	"slices"
	"strings"
	"unicode/utf8"

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
		overwrite(out, word, Span{}, false)
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
			blank(out, s.Start, s.End, word)
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
	text = strings.Trim(text, quoteMarks+" \t\r\n")
	return text != "" && strings.HasPrefix(erasedWord, text)
}

// Unmarked is a text with spaces in place of the marks of erased sentences, and of the line breaks that end marks. It has
// the shape of the text before the redaction: the lines, and the quotation marks that begin or end in another sentence.
func Unmarked(text string) string {
	if !strings.Contains(text, erasedWord[:1]) {
		return text
	}
	out := []byte(text)
	for _, s := range language.Sentences(text) {
		if !Emptied(text[s.Start:s.End]) {
			continue
		}
		rest := strings.TrimLeft(text[s.End:], " ")
		end := len(text) - len(strings.TrimPrefix(rest, "\n"))
		kept := quoteAlone(text[s.Start:end])
		for i := range end - s.Start {
			if i < kept.Start || i >= kept.End {
				out[s.Start+i] = ' '
			}
		}
	}
	return string(out)
}

// Blank replaces a piece of a text by a mark, as [Thing.Redact] does.
func Blank(text string, start, end int) string {
	if start < 0 || end > len(text) || start >= end {
		return text
	}
	out := []byte(text)
	blank(out, start, end, erasedWord)
	return string(out)
}

// blank writes a mark over a piece of a text.
func blank(text []byte, start, end int, word string) {
	follows := end < len(text) && text[end] != '\n' && text[end] != '\r'
	quote := quoteAlone(string(text[start:end]))
	overwrite(text[start:end], word, quote, follows)
}

// overwrite writes a mark over a piece of text. The mark ends its line if something follows on it, or where there is room,
// so that it does not join the sentence after it. A quotation mark of the piece may stay.
func overwrite(piece []byte, word string, quote Span, follows bool) {
	kept := slices.Clone(piece[quote.Start:quote.End])
	for i := range piece {
		piece[i] = ' '
	}
	room := len(piece)
	if room > 0 && (follows || room > len(word)) {
		room--
		piece[room] = '\n'
	}
	if len(kept) == 0 || len(kept)+len(word) > room {
		copy(piece[:room], word)
		return
	}
	at, mark := min(quote.Start, room-len(kept)), 0
	if at < len(word) { // the quotation begins with the piece
		at, mark = 0, len(kept)
	}
	copy(piece[at:], kept)
	copy(piece[mark:], word)
}

// quoteMarks are the characters that begin and end quotations.
const quoteMarks = "\"“”„«»「」『』"

// quoteAlone is the place of a quotation mark whose other half is in another sentence; an empty one if there is none. Without
// the mark, what another person wrote would be read as the words of the message's writer.
func quoteAlone(piece string) (alone Span) {
	n := 0
	for i, r := range piece {
		if !strings.ContainsRune(quoteMarks, r) {
			continue
		}
		if n++; n == 1 || !endsQuoted(piece) {
			alone = Span{i, i + utf8.RuneLen(r)}
		}
	}
	if n%2 == 0 {
		return Span{}
	}
	return alone
}

// endsQuoted reports whether a sentence ends with a quotation mark.
func endsQuoted(piece string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(piece, " .,!?\r\n"))
	return strings.ContainsRune(quoteMarks, last)
}
