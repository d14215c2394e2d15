package language

import (
	"unicode"
	"unicode/utf8"
)

// Word is one word of a text in the form in which it is compared.
type Word struct {
	// Stem is the lower-cased, stemmed form, without diacritics. It is valid
	// until the next call of [Scanner.Next].
	Stem []byte
	// Start and End are the byte offsets of the word in the text.
	Start, End int
	// Stop marks a word that says nothing on its own: "the", "is", "what".
	Stop bool
	// Capital marks a word written with a capital first letter.
	Capital bool
	// Number marks a word that begins with a digit.
	Number bool
}

// Scanner reads the words of a text one by one, without allocating.
//
// A word is a run of letters and digits; a point or comma between digits stays
// inside ("3.5", "v1.2.3"), an English clitic goes ("Anna's" is "anna"), and
// writing without spaces (Han, kana, hangul, Thai…) comes as overlapping pairs
// of characters, which match without a dictionary. It differs from the word
// boundaries of UAX #29 in exactly these points, and in cutting at "_", because
// search wants the parts of user_id.
type Scanner struct {
	text string
	pos  int
	// chain says that the character at pos may pair with the one before it.
	chain bool
	buf   [maxWord + utf8.UTFMax]byte
}

// maxWord is how many bytes of a word are compared. Longer ones are blobs of
// data; their first part tells them apart well enough.
const maxWord = 48

// Scan returns a scanner over text.
func Scan(text string) Scanner { return Scanner{text: text} }

// Next returns the next word, and false at the end of the text.
func (s *Scanner) Next() (Word, bool) {
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		if c < utf8.RuneSelf {
			if class := asciiClass[c]; class != 0 {
				s.chain = false
				return s.ascii(class), true
			}
			s.pos++
			s.chain = false
			continue
		}
		r, n := utf8.DecodeRuneInString(s.text[s.pos:])
		switch {
		case unspaced(r):
			if w, ok := s.pair(r, n); ok {
				return w, true
			}
		case wordRune(r):
			s.chain = false
			return s.mixed(s.pos, 0), true
		default:
			s.chain = false
			s.pos += n
		}
	}
	return Word{}, false
}

const (
	lowerLetter = 1 + iota
	upperLetter
	digitChar
)

// asciiClass tells letters and digits from the rest; never written.
var asciiClass = func() (table [128]uint8) {
	for c := range table {
		switch {
		case c >= 'a' && c <= 'z':
			table[c] = lowerLetter
		case c >= 'A' && c <= 'Z':
			table[c] = upperLetter
		case c >= '0' && c <= '9':
			table[c] = digitChar
		}
	}
	return table
}()

// ascii reads a word that begins with an ASCII letter or digit.
func (s *Scanner) ascii(first uint8) Word {
	start, i, n, digits := s.pos, s.pos, 0, first == digitChar
	for i < len(s.text) {
		c := s.text[i]
		if c >= utf8.RuneSelf {
			if r, _ := utf8.DecodeRuneInString(s.text[i:]); wordRune(r) && !unspaced(r) {
				s.pos = i
				return s.mixed(start, n)
			}
			break
		}
		class := asciiClass[c]
		if class == 0 {
			if !insideNumber(s.text, i) {
				break
			}
		} else if class == digitChar {
			digits = true
		}
		if n < maxWord {
			if class == upperLetter {
				c |= 0x20
			}
			s.buf[n] = c
			n++
		}
		i++
	}
	s.pos = i
	n = s.clitic(start, n)
	stem, stop := s.finish(n, digits)
	return Word{Stem: stem, Start: start, End: s.pos, Stop: stop, Capital: first == upperLetter, Number: first == digitChar}
}

// insideNumber says whether the mark at i stands between two digits.
func insideNumber(text string, i int) bool {
	c := text[i]
	return (c == '.' || c == ',') && i > 0 && isDigit(text[i-1]) && i+1 < len(text) && isDigit(text[i+1])
}

// clitic passes over what an apostrophe hangs on a word. Possessives and short
// forms of verbs go, "n't" stays so that "can't" is not "can", names like
// O'Brien close up.
func (s *Scanner) clitic(start, n int) int {
	skip := apostropheAt(s.text, s.pos)
	if skip == 0 {
		return n
	}
	i := s.pos + skip
	end := i
	for letterAt(s.text, end) {
		end++
	}
	if end == i || (end < len(s.text) && s.text[end] >= utf8.RuneSelf) {
		return n
	}
	switch tail := s.text[i:end]; {
	case len(tail) == 1 && lowerASCII(tail[0]) != 't', tail == "re", tail == "ve", tail == "ll", tail == "S":
	case s.pos-start == 1 || tail == "t":
		for j := 0; j < len(tail) && n < maxWord; j++ {
			s.buf[n] = lowerASCII(tail[j])
			n++
		}
	default:
		return n // a quotation, not a clitic
	}
	s.pos = end
	return n
}

// apostropheAt is the length of the apostrophe at i, 0 if there is none.
func apostropheAt(text string, i int) int {
	switch {
	case i < len(text) && text[i] == '\'':
		return 1
	case i+3 <= len(text) && text[i:i+3] == "’":
		return 3
	}
	return 0
}

// mixed reads a word with letters outside ASCII; n bytes are in buf already.
func (s *Scanner) mixed(start, n int) Word {
	i, digits := s.pos, false
	for i < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[i:])
		if !wordRune(r) || unspaced(r) {
			break
		}
		digits = digits || unicode.IsDigit(r)
		if n < maxWord {
			n += encodeFolded(s.buf[n:], r)
		}
		i += size
	}
	s.pos = i
	first, _ := utf8.DecodeRuneInString(s.text[start:])
	n = s.clitic(start, n)
	stem, stop := s.finish(n, digits)
	return Word{Stem: stem, Start: start, End: s.pos, Stop: stop, Capital: unicode.IsUpper(first), Number: unicode.IsDigit(first)}
}

// pair reads the character r and the next one, if that is of the same writing.
func (s *Scanner) pair(r rune, size int) (Word, bool) {
	start := s.pos
	s.pos += size
	next, n := utf8.DecodeRuneInString(s.text[s.pos:])
	follows := n > 0 && unspaced(next)
	if !follows && s.chain {
		s.chain = false // the last character was part of the pair before
		return Word{}, false
	}
	k := utf8.EncodeRune(s.buf[:], unicode.ToLower(r))
	end := s.pos
	if follows {
		k += utf8.EncodeRune(s.buf[k:], unicode.ToLower(next))
		end += n
	}
	s.chain = follows
	return Word{Stem: s.buf[:k], Start: start, End: end}, true
}

// finish stems the word unless it is a stop word. Words with digits stay as they are. The
// stem is a result, and not written to a Word: the scanner would be moved to the heap.
func (s *Scanner) finish(n int, digits bool) (stem []byte, stop bool) {
	low := s.buf[:n]
	if digits {
		return low, false
	}
	if n <= longestStop && stops[string(low)] {
		return low, true
	}
	return porter(regular(low)), false
}

// Stem is the form in which the first word of s is compared; "" if s has none.
func Stem(s string) string {
	scan := Scan(s)
	w, _ := scan.Next()
	return string(w.Stem)
}
