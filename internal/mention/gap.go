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
	// short says that the first and the last word count as whole words only: they are so
	// short that they are parts of many others. It does not hold if blanks alone stand
	// between several words.
	short struct{ first, last bool }
	// apart says that the name counts only where words begin and end. The case of letters ends words, too: "Ada" is in "adaLovelace".
	apart bool
}

// newNeedle cuts a folded form into words.
func newNeedle(form []byte) needle {
	n := needle{words: bytes.Fields(form)}
	n.short.first = len(characters(n.words[0])) < anywhere
	n.short.last = len(characters(n.words[len(n.words)-1])) < anywhere
	return n
}

// whole reports whether the name is one word that counts as a whole only.
func (n *needle) whole() bool { return len(n.words) == 1 && n.short.first }

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
		if end := f.match(n, start); end >= 0 && (!n.apart || f.standsApart(start, end)) {
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
	onlyBlanks := blanks && len(n.words) > 1
	if goesOn(f.text[end:]) || !onlyBlanks && f.cutsWord(n, start, end) {
		return -1
	}
	return end
}

// standsApart reports whether words begin and end at two places.
func (f *folded) standsApart(start, end int) bool { return f.parted(start) && f.parted(end) }

// cutsWord reports whether a word that counts as a whole only is a part of another one.
func (f *folded) cutsWord(n *needle, start, end int) bool {
	return n.short.first && f.within(start) || n.short.last && f.within(end)
}

// behindGap is where a word begins that only a gap sets apart from the word that ends at
// at; -1 if it does not.
func (f *folded) behindGap(at int, word []byte) int {
	if goesOn(f.text[at:]) {
		return -1
	}
	for next, n := at, 0; n <= maxGap && next < len(f.text); n++ {
		if bytes.HasPrefix(f.text[next:], word) && (next > at || f.parted(at)) {
			return next
		}
		r, size := utf8.DecodeRune(f.text[next:])
		if unicode.In(r, unicode.L, unicode.Nd) {
			break
		}
		next += size
	}
	return -1
}

// parted reports whether a word ends at a place, with a sign or without one.
func (f *folded) parted(at int) bool { return !f.within(at) || f.ended(at) }

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
	case r < utf8.RuneSelf, r == utf8.RuneError:
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
func (f *folder) wordEnds(now kind) {
	t, at := &f.trail, len(f.out.text)
	switch {
	case t.last == sign || now == sign:
	case t.hidden, now == upper && t.last != upper, (now == digit) != (t.last == digit):
		f.out.ends = append(f.out.ends, at)
	case now == lower && t.last == upper && t.before == upper:
		f.out.ends = append(f.out.ends, t.at)
	}
	t.last, t.before, t.at, t.hidden = now, t.last, at, false
}
