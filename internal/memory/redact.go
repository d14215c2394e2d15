package memory

import (
	"bytes"
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

// Redact takes every sentence that mentions about out of a text. What is taken
// out is replaced by a mark of the same length in bytes, so that the places of
// all other quotes in the text stay what they are. It returns the text and how
// many sentences went. Letters match whatever their case.
func Redact(text, about string) (string, int) {
	if !Mentions(text, about) {
		return text, 0
	}
	out := []byte(text)
	n := 0
	for _, s := range language.Sentences(text) {
		if Mentions(text[s.Start:s.End], about) {
			mark(out[s.Start:s.End])
			n++
		}
	}
	if Mentions(string(out), about) { // it lies across sentences
		mark(out)
		n++
	}
	return string(out), n
}

// Mentions reports whether a text names the thing, whatever the case.
func Mentions(text, about string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(about))
}

// erasedWord stands where something was erased, as far as there is room for it.
const erasedWord = "[erased]"

// Erased reports whether a sentence is the mark of what was erased.
func Erased(sentence string) bool {
	text := strings.TrimSpace(sentence)
	return strings.Contains(text, erasedWord) || text != "" && strings.HasPrefix(erasedWord, text)
}

// mark overwrites a piece of text. It ends a line where there is room, so that
// the mark does not run into the sentence behind it.
func mark(piece []byte) {
	n := copy(piece, erasedWord)
	for i := n; i < len(piece); i++ {
		piece[i] = ' '
	}
	if len(piece) > n {
		piece[len(piece)-1] = '\n'
	}
}

// RedactJSON blots every mention out of a JSON text, without changing its form:
// letters and digits of the mention become "x". about may stand in the JSON as
// it is, or escaped.
func RedactJSON(text []byte, about string) ([]byte, int) {
	low := bytes.ToLower(text)
	n := 0
	for _, needle := range Spellings(about) {
		for at := 0; ; {
			i := bytes.Index(low[at:], needle)
			if i < 0 {
				break
			}
			if n == 0 {
				text = bytes.Clone(text)
			}
			blot(text[at+i : at+i+len(needle)])
			blot(low[at+i : at+i+len(needle)])
			at += i + len(needle)
			n++
		}
	}
	return text, n
}

// blot replaces what could be read, and leaves what is JSON's own.
func blot(piece []byte) {
	for i, c := range piece {
		if c != '\\' && c != '"' {
			piece[i] = 'x'
		}
	}
	for i := 0; i+1 < len(piece); i++ { // an escape must stay one
		if piece[i] == '\\' {
			piece[i], piece[i+1] = 'x', 'x'
		}
	}
}

// Spellings are the forms, in lower case, in which a mention may stand in a
// file: as it is, and escaped as in JSON.
func Spellings(about string) [][]byte {
	low := strings.ToLower(about)
	out := [][]byte{[]byte(low)}
	var escaped strings.Builder
	for _, r := range low {
		switch r {
		case '"', '\\':
			escaped.WriteByte('\\')
			escaped.WriteRune(r)
		default:
			escaped.WriteRune(r)
		}
	}
	if escaped.String() != low {
		out = append(out, []byte(escaped.String()))
	}
	return out
}
