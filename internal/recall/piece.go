package recall

import (
	"iter"
	"strings"
)

// pieces cuts an answer before each run of spaces, the way models stream: a
// word with the space in front of it. Joined they give the answer again.
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

// pieceEnd is where the first piece of a text ends.
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
