package recall

import (
	"iter"
	"strings"
)

// pieces cuts an answer before each run of spaces, as models stream. Joined, the pieces
// are the answer.
func pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			end := pieceEnd(text)
			if !yield(text[:end]) {
				return
			}
			text = text[end:]
		}
	}
}

// maxPiece bounds a piece of a text without spaces, in bytes.
const maxPiece = 48

// pieceEnd is the end of the first piece of a text.
func pieceEnd(text string) int {
	start := len(text) - len(strings.TrimLeft(text, " \n\t"))
	for i, r := range text {
		switch {
		case i <= start:
		case r == ' ' || r == '\n' || r == '\t' || i >= maxPiece+start:
			return i
		}
	}
	return len(text)
}
