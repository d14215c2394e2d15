package mention

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// The words of a name may stand apart in more ways than by a blank: by punctuation, by
// the marks of Markdown, quotes and tables, by a line break, and by nothing at all where
// the writing shows that a word ends, as in AdaLovelace. A gap is what may stand between
// two words of a name: characters that are neither letters nor digits, and markup
// (markup.go).

// maxGap is how many characters a gap has at most, not counting markup and further
// blanks. Words that stand further apart are no name.
const maxGap = 24

// needle is a folded form of a name, cut at its blanks.
type needle struct {
	words [][]byte // at least one, none empty
	// whole says that the form counts as a whole word only: it is so short that it is a
	// part of many others.
	whole bool
	// short says the same of the first and the last word, if another gap than a blank
	// stands between the words.
	short struct{ first, last bool }
}

// newNeedle cuts a folded form into words.
func newNeedle(form []byte) needle {
	n := needle{words: bytes.Fields(form), whole: len(characters(form)) < anywhere}
	n.short.first = len(characters(n.words[0])) < anywhere
	n.short.last = len(characters(n.words[len(n.words)-1])) < anywhere
	return n
}

// size is how many bytes the words have.
func (n *needle) size() int {
	size := 0
	for _, w := range n.words {
		size += len(w)
	}
	return size
}

// find is the first place of a needle at or behind from; -1 for none. A needle
// that ends within a letter and its marks is not found: "Rene" is not "René".
// One that counts as a whole word is not found within another word.
func (f *folded) find(n *needle, from int) (start, end int) {
	for from <= len(f.text) {
		i := bytes.Index(f.text[from:], n.words[0])
		if i < 0 {
			break
		}
		start = from + i
		if end := f.match(n, start); end >= 0 {
			return start, end
		}
		from = start + 1
	}
	return -1, -1
}

// match is the end of the needle that begins at start; -1 if its first word alone does.
func (f *folded) match(n *needle, start int) (end int) {
	end = start + len(n.words[0])
	blanks := true
	for _, word := range n.words[1:] {
		next := f.behindGap(end, word)
		if next < 0 {
			return -1
		}
		blanks = blanks && string(f.text[end:next]) == " "
		end = next + len(word)
	}
	first, last := n.whole, n.whole
	if !blanks {
		first, last = first || n.short.first, last || n.short.last
	}
	if goesOn(f.text[end:]) || first && f.within(start) || last && f.within(end) {
		return -1
	}
	return end
}

// behindGap is where a word begins that only a gap sets apart from the word that ends at
// at; -1 if it does not.
func (f *folded) behindGap(at int, word []byte) int {
	if goesOn(f.text[at:]) {
		return -1
	}
	for next, n := at, 0; n <= maxGap && next < len(f.text); n++ {
		if bytes.HasPrefix(f.text[next:], word) && (next > at || !f.within(at) || f.ended(at)) {
			return next
		}
		r, size := utf8.DecodeRune(f.text[next:])
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			break
		}
		next += size
	}
	return -1
}

// ended reports whether a word ends at a place between two letters or digits.
func (f *folded) ended(at int) bool {
	_, found := slices.BinarySearch(f.ends, at)
	return found
}

// kind is what a character says about the end of a word before it.
type kind int

const (
	sign kind = iota
	lower
	upper
	digit
)

func kindOf(r rune) kind {
	switch {
	case 'a' <= r && r <= 'z':
		return lower
	case 'A' <= r && r <= 'Z':
		return upper
	case '0' <= r && r <= '9':
		return digit
	case r < utf8.RuneSelf:
		return sign
	case unicode.IsUpper(r) || unicode.IsTitle(r):
		return upper
	case unicode.IsLetter(r):
		return lower
	case unicode.IsDigit(r):
		return digit
	}
	return sign
}

// trail is what came before a character, as far as it says where a word ends.
type trail struct {
	// last is the kind of the last letter or sign, before the one ahead of it, and at
	// where the last one begins in the folded form.
	last, before kind
	at           int
	// hidden says that markup or unseen characters came behind the last one.
	hidden bool
}

// wordEnds notes where a word ends without a sign: before the capital of "adaLovelace",
// before the last capital of "ADALovelace", between letters and digits, and where markup
// or unseen characters stand.
func (f *folder) wordEnds(r rune) {
	t, now, at := &f.trail, kindOf(r), len(f.out.text)
	switch {
	case t.last == sign || now == sign:
	case t.hidden, now == upper && t.last != upper, (now == digit) != (t.last == digit):
		f.out.ends = append(f.out.ends, at)
	case now == lower && t.last == upper && t.before == upper:
		f.out.ends = append(f.out.ends, t.at)
	}
	t.last, t.before, t.at, t.hidden = now, t.last, at, false
}
