package mention

import (
	"unicode"
	"unicode/utf8"
)

// asciiForm is what folding does with a byte.
type asciiForm struct {
	folded byte
	kind   kind
	space  bool
	// slow says that the byte is no ASCII, unseen that it is invisible, and opens that markup
	// may begin with it.
	slow, unseen, opens bool
}

// asciiForms are the forms of all bytes; never written.
var asciiForms = func() (forms [256]asciiForm) {
	for b := range forms {
		r := rune(b)
		if r >= utf8.RuneSelf {
			forms[b].slow = true
			continue
		}
		if unseen(r) {
			forms[b].unseen, forms[b].opens = true, b == 0x1b
			continue
		}
		forms[b] = asciiForm{folded: byte(foldedRune(r)), kind: kindOf(r), space: unicode.IsSpace(r)}
		forms[b].opens = b == '<' || b == '=' || b == ']'
		if forms[b].space {
			forms[b].folded = ' '
		}
	}
	return forms
}()

// ascii folds the ASCII characters at the start of a text, as [folder.add] does one by one, and
// returns their number. With markups it ends where markup may begin. A form with places is
// folded one by one. Database files are full of zeros, which are unseen.
func (f *folder) ascii(text []byte, markups bool) int {
	if f.places {
		return 0
	}
	n := 0
	for n < len(text) {
		form := &asciiForms[text[n]]
		if form.slow || markups && form.opens {
			break
		}
		n++
		if form.unseen {
			f.trail.hidden = true
			continue
		}
		f.flush()
		f.wordEnds(form.kind)
		if form.space && f.base == ' ' {
			continue
		}
		f.out.text = append(f.out.text, form.folded)
		f.base = rune(form.folded)
	}
	return n
}
