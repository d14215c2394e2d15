package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/language"
)

// wordRune reports whether r is part of words: letters, digits and combining marks. The
// text index is configured the same way.
func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return wordByte[r]
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}

// cut splits a text into pieces.
func cut(text string) []Piece {
	var out []Piece
	for i := 0; i < len(text); {
		end, unspaced, ok := pieceAt(text, i)
		if ok {
			out = append(out, Piece{Text: text[i:end], Unspaced: unspaced})
		}
		i = end
	}
	return out
}

// pieceAt finds the piece that begins at i. Without one, end is the earliest start of
// the next one.
func pieceAt(text string, i int) (end int, unspaced, ok bool) {
	if wordByte[text[i]] {
		for end = i + 1; end < len(text) && wordByte[text[end]]; {
			end++
		}
		if end == len(text) || text[end] < utf8.RuneSelf {
			return end, false, true
		}
	}
	r, n := utf8.DecodeRuneInString(text[i:])
	if !wordRune(r) {
		return i + n, false, false
	}
	unspaced = language.Unspaced(r)
	for end = i + n; end < len(text); end += n {
		r, n = utf8.DecodeRuneInString(text[end:])
		if !wordRune(r) || language.Unspaced(r) != unspaced {
			break
		}
	}
	return end, unspaced, true
}

// IndexText prepares a text for an index of words. Characters of scripts without spaces
// become overlapping pairs, the last of a run stands alone, and they are separated from
// adjacent words. All words are folded, but for ASCII capitals.
func IndexText(text string) string { return folded(paired(text)) }

// paired is a text with the characters of scripts without spaces in pairs.
func paired(text string) string {
	first := firstUnspaced(text)
	if first < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(7*len(text)/3 + 8) // in most such scripts three bytes become seven
	b.WriteString(text[:first])
	for i := first; i < len(text); {
		end, unspaced, ok := pieceAt(text, i)
		switch {
		case ok && unspaced:
			b.WriteByte(' ')
			writePairs(&b, text[i:end], true)
			b.WriteByte(' ')
		default:
			b.WriteString(text[i:end])
		}
		i = end
	}
	return b.String()
}

func firstUnspaced(text string) int {
	for i, r := range text {
		if r >= utf8.RuneSelf && language.Unspaced(r) {
			return i
		}
	}
	return -1
}

// writePairs writes a run of unspaced characters as pairs. last adds the last
// character by itself, as it stands in the index.
func writePairs(b *strings.Builder, run string, last bool) {
	for i := 0; i < len(run); {
		_, n := utf8.DecodeRuneInString(run[i:])
		_, next := utf8.DecodeRuneInString(run[i+n:])
		if next == 0 && i > 0 && !last {
			return
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(run[i : i+n+next])
		i += n
	}
}

// IndexTerm is a term in the form for texts made by [IndexText]: adjacent words. prefix
// says that the last word may be the prefix of a longer one.
func IndexTerm(t *Term) (words string, prefix bool) {
	words, prefix = pairedTerm(t, appendFolded)
	return folded(words), prefix
}

func pairedTerm(t *Term, fold folding) (words string, prefix bool) {
	var b strings.Builder
	for i := range t.Pieces {
		p := &t.Pieces[i]
		if i > 0 {
			b.WriteByte(' ')
		}
		last := i == len(t.Pieces)-1
		switch {
		case p.Unspaced:
			writePairs(&b, p.Text, !last)
		case last && t.Prefix:
			b.WriteString(indexPrefix(string(fold(nil, p.Text))))
		default:
			b.WriteString(p.Text)
		}
	}
	last := &t.Pieces[len(t.Pieces)-1]
	if last.Unspaced {
		return b.String(), utf8.RuneCountInString(last.Text) == 1
	}
	return b.String(), t.Prefix
}
