// Package secret finds keys, passwords and tokens in texts, and masks them. Nothing else
// knows what a secret looks like.
package secret

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Span is a range of bytes of a text: Start inclusive, End exclusive.
type Span struct{ Start, End int }

// scan finds secrets in a text in three ways: by the form of the value
// (shape.go), by a cue that names it (cue.go), and as a series of words
// (words.go).
type scan struct {
	text  string
	known *lexicon
	found []Span
}

// Spans are the parts of a text with secrets, in order.
func Spans(text string) []Span {
	s := scan{text: text, known: theLexicon()}
	s.armour()
	s.keys()
	s.numbers()
	s.series()
	s.cues()
	if len(s.found) < 2 {
		return s.found
	}
	slices.SortFunc(s.found, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	merged := s.found[:1]
	for _, f := range s.found[1:] {
		if last := &merged[len(merged)-1]; f.Start <= last.End {
			last.End = max(last.End, f.End)
		} else {
			merged = append(merged, f)
		}
	}
	return merged
}

// In reports whether a text contains a secret: a key of a known form, or a value
// for a password, a token, a PIN….
func In(s string) bool { return len(Spans(s)) > 0 }

// of is the text of a part.
func (s *scan) of(part Span) string { return s.text[part.Start:part.End] }

// add records a part with a secret.
func (s *scan) add(start, end int) {
	if start < end {
		s.found = append(s.found, Span{start, end})
	}
}

// armour finds private keys between their armour lines, or up to the end of the text.
func (s *scan) armour() {
	for at := 0; ; {
		begin := strings.Index(s.text[at:], "-----BEGIN ")
		if begin < 0 {
			return
		}
		begin += at
		label, _, _ := strings.Cut(s.text[begin:min(len(s.text), begin+longestWord)], "\n")
		at = begin + len("-----BEGIN ")
		if !strings.Contains(label, "PRIVATE KEY") {
			continue
		}
		end := len(s.text)
		if i := strings.Index(s.text[at:], "-----END "); i >= 0 {
			if end = at + i + len("-----END "); strings.Contains(s.text[end:], "-----") {
				end += strings.Index(s.text[end:], "-----") + len("-----")
			}
		}
		s.add(begin, end)
		at = end
	}
}

// keys finds words that have the form of a key.
func (s *scan) keys() {
	for i := 0; i < len(s.text); {
		for i < len(s.text) && isSeparator[s.text[i]] {
			i++
		}
		start := i
		for i < len(s.text) && !isSeparator[s.text[i]] {
			i++
		}
		if isKey(s.text[start:i]) {
			s.add(start, i)
		}
	}
}

// separators end a key.
const separators = " \t\n\r\"'`,;()<>=[]{}"

// isSeparator is looked up for every byte that is learnt or quoted; never written.
var isSeparator = func() (out [256]bool) {
	for i := range len(separators) {
		out[separators[i]] = true
	}
	return out
}()

// foldedPrefix is the length of prefix at the start of s, in bytes; -1 if s begins
// otherwise. prefix is in lower case, and a blank in it matches a blank, "_", "-" or
// nothing.
func foldedPrefix(s, prefix string) int {
	at := 0
	for i := 0; i < len(prefix); {
		want, n := utf8.DecodeRuneInString(prefix[i:])
		i += n
		if want == ' ' {
			if at < len(s) && strings.IndexByte(" _-", s[at]) >= 0 {
				at++
			}
			continue
		}
		got, size := utf8.DecodeRuneInString(s[at:])
		if size == 0 || unicode.ToLower(got) != want {
			return -1
		}
		at += size
	}
	return at
}
