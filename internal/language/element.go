package language

import "strings"

// blocks finds the blocks of a text that are not sentences.
type blocks struct {
	text string
	// vain counts the elements whose end was searched in vain.
	vain int
}

// maxVain is how many elements without an end, or with more text after it on its line, a
// text may have before elements are no longer looked for: each costs a search through the
// rest of the text.
const maxVain = 16

// end is the end of the fenced block or the element that begins with the line at at; 0 if
// none does.
func (b *blocks) end(at int) int {
	if fence := fenceAt(b.text, at); fence > 0 {
		return fenceEnd(b.text, at, fence)
	}
	return b.elementEnd(at)
}

// inline are elements that people write around their own words.
var inline = wordSet(`a abbr b big br cite del div em font h1 h2 h3 h4 hr i ins kbd li mark ol p q s small span strong sub sup u ul`)

// elementEnd is the end of the element of markup that begins with the line at at and ends
// with a line; 0 if there is none. Elements for the look of a text do not count.
func (b *blocks) elementEnd(at int) int {
	text := b.text
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	name := elementName(text[at:])
	if name == "" || inline[name] || b.vain > maxVain {
		return 0
	}
	line, _ := lineEnd(text, at)
	tag := strings.IndexByte(text[at:line], '>')
	if tag < 0 || text[at+tag-1] == '/' {
		return 0
	}
	from := at + tag
	closed := strings.Index(text[from:], "</"+name+">")
	if closed < 0 {
		b.vain++
		return 0
	}
	end := from + closed + len("</>") + len(name)
	rest, next := lineEnd(text, end)
	if strings.TrimSpace(text[end:rest]) != "" {
		b.vain++
		return 0
	}
	return next
}

// elementName is the name in the opening tag that a text begins with; "" for none. Names
// are in lower case.
func elementName(text string) string {
	if len(text) < 2 || text[0] != '<' || !strings.ContainsRune(letters, rune(text[1])) {
		return ""
	}
	rest := strings.TrimLeft(text[1:], letters+"0123456789_-:")
	if rest == "" || !strings.ContainsRune("> /", rune(rest[0])) {
		return ""
	}
	return text[1 : len(text)-len(rest)]
}

const letters = "abcdefghijklmnopqrstuvwxyz"
