package mention

import (
	"unicode"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/language"
)

// Word is a word in its folded form, and its place in the text.
type Word struct {
	Text string
	Span
}

// Words splits a text into words, once for each reading of the text. A word is a run of
// letters, digits and their marks. A character of a writing without spaces is a word by
// itself, and so is a sign such as an emoji.
func Words(text string, several bool) [][]Word {
	var out [][]Word
	for _, f := range readings([]byte(text), true) {
		out = append(out, f.words(false))
		if several && len(f.ends) > 0 {
			out = append(out, f.words(true))
		}
	}
	return out
}

// NameWords are the folded words of the thing's name.
func (t *Thing) NameWords() []string {
	f, _ := (&layer{text: []byte(t.about)}).fold(true, false)
	ws := f.words(false)
	out := make([]string, len(ws))
	for i := range ws {
		out[i] = ws[i].Text
	}
	return out
}

// words cuts a folded text, with cutEnds also where words end without a sign.
func (f *folded) words(cutEnds bool) []Word {
	var out []Word
	begun := -1
	end := func(at int) {
		if begun >= 0 {
			out = append(out, Word{string(f.text[begun:at]), Span{f.from[begun], f.to[at-1]}})
			begun = -1
		}
	}
	for i := 0; i < len(f.text); {
		r, n := utf8.DecodeRune(f.text[i:])
		if cutEnds && f.ended(i) {
			end(i)
		}
		switch {
		case language.Unspaced(r) || unicode.IsSymbol(r):
			end(i)
			begun = i
			end(i + n)
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if begun < 0 {
				begun = i
			}
		case !unicode.Is(unicode.M, r) || begun < 0:
			end(i)
		}
		i += n
	}
	end(len(f.text))
	return out
}
