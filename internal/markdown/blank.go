package markdown

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Blank reports whether a text shows nothing to people, such as an empty block of code. What is drawn for its
// structure counts as shown: the sign of a list's item, or a rule.
func Blank(text string) bool { return !slices.ContainsFunc(Parse(text), shows) }

// shows reports whether people see something of a block.
func shows(b Block) bool {
	switch b.Type {
	case Rule, List, Item:
		return true
	case Code:
		return seen(b.Text)
	case Quote:
		return slices.ContainsFunc(b.Blocks, shows)
	case Table:
		return slices.ContainsFunc(append([][]Cell{b.Header}, b.Rows...), func(row []Cell) bool {
			return slices.ContainsFunc(row, func(c Cell) bool { return slices.ContainsFunc(c, showsInline) })
		})
	case Paragraph, Heading:
	}
	return slices.ContainsFunc(b.Inlines, showsInline)
}

// showsInline reports whether people see something of a part of a line. A link without words shows its address.
func showsInline(n Inline) bool {
	return seen(n.Text) || n.Href != "" || slices.ContainsFunc(n.Inlines, showsInline)
}

// seen reports whether people see something of a text.
func seen(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return !unseen(r) })
}

// blankBraille is a pattern of Braille without a dot. It is no blank by its category.
const blankBraille = '\u2800'

// unseen reports whether a character says nothing: it is a blank, has no shape, or stands for one that was hidden.
func unseen(r rune) bool {
	return unicode.IsSpace(r) || Shapeless(r) || r == blankBraille || r == utf8.RuneError
}
