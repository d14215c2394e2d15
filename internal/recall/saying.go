package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sayings replaces idioms where they are whole words: "put off" is replaced in "we put
// off the launch" and not in "output offset".
type sayings struct {
	byFirst [utf8.RuneSelf][]saying // by first byte, which is ASCII
}

// saying is an idiom and its replacement.
type saying struct{ was, now string }

// newSayings reads pairs of an idiom and its replacement.
func newSayings(pairs []string) *sayings {
	t := &sayings{}
	for i := 0; i+1 < len(pairs); i += 2 {
		first := pairs[i][0]
		t.byFirst[first] = append(t.byFirst[first], saying{pairs[i], pairs[i+1]})
	}
	return t
}

// Replace returns the text with its idioms replaced.
func (t *sayings) Replace(text string) string {
	var out strings.Builder
	done := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= utf8.RuneSelf || t.byFirst[c] == nil || !beginsWord(text[:i]) {
			continue
		}
		if found, ok := t.at(text[i:]); ok {
			out.WriteString(text[done:i])
			out.WriteString(found.now)
			done = i + len(found.was)
			i = done - 1
		}
	}
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}

// at is the idiom with which a text begins.
func (t *sayings) at(text string) (saying, bool) {
	for _, one := range t.byFirst[text[0]] {
		if strings.HasPrefix(text, one.was) && (!wordly(one.was[len(one.was)-1]) || endsWord(text[len(one.was):])) {
			return one, true
		}
	}
	return saying{}, false
}

func wordly(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// beginsWord reports whether a word can begin after a text.
func beginsWord(before string) bool {
	last, size := utf8.DecodeLastRuneInString(before)
	if !linked(last) {
		return !ofWord(last)
	}
	inner, _ := utf8.DecodeLastRuneInString(before[:len(before)-size])
	return !ofWord(inner)
}

// endsWord reports whether a word can end before a text.
func endsWord(after string) bool {
	next, size := utf8.DecodeRuneInString(after)
	if !linked(next) {
		return !ofWord(next)
	}
	inner, _ := utf8.DecodeRuneInString(after[size:])
	return !ofWord(inner)
}

// ofWord reports whether a character is part of a word. linked says that it joins two
// parts of a word.
func ofWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_')
}

func linked(r rune) bool { return r == '-' || r == '\'' || r == '’' }
