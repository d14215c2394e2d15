package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word, a number or a punctuation mark of a sentence.
type token struct {
	start, end int    // bytes of the message
	low        string // in lower case, with straight apostrophes
	entry      *entry // nil if the lexicon lacks the word
	tags       tagSet // of the word, and of phrases that begin with it
	tech       uint8  // category of the technology named here; 0 for none
	techLen    uint8  // how many tokens name it
	choice     uint8  // alternative named here; 0 for none
	side       uint8
	kind       tokenKind
	capital    bool
	possessive bool // ends in 's
}

// tokenKind is the sort of a token.
type tokenKind uint8

const (
	wordToken tokenKind = iota
	numberToken
	markToken // punctuation; low holds it
)

func (t *token) is(tags ...tag) bool {
	for _, x := range tags {
		if t.tags.has(x) {
			return true
		}
	}
	return false
}

// isFigure reports whether the token is a number, in digits or as a word.
func (t *token) isFigure() bool { return t.kind == numberToken || t.is(tagNumberWord) }

// mark reports whether the token is the given punctuation.
func (t *token) mark(s string) bool { return t.kind == markToken && t.low == s }

// appendTokens splits text[start:end] into tokens and looks them up.
func appendTokens(l *lexicon, toks []token, text string, start, end int) []token {
	if toks == nil {
		toks = make([]token, 0, (end-start)/6+8) // an estimate
	}
	from := len(toks)
	for i := start; i < end; {
		c := text[i]
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			i++
			continue
		}
		n := wordLength(text[i:end])
		if n == 0 {
			_, size := utf8.DecodeRuneInString(text[i:end])
			toks = append(toks, markAt(text, i, size))
			i += size
			continue
		}
		toks = append(toks, wordAt(l, text, i, i+n))
		i += n
	}
	for i := from; i < len(toks); i++ {
		if toks[i].entry != nil {
			readMeaning(toks, i)
		}
	}
	return toks
}

// markAt is the token of a punctuation mark; curly quotes become straight.
func markAt(text string, at, size int) token {
	low := text[at : at+size]
	switch low {
	case "“", "”", "«", "»", "„":
		low = `"`
	case "‘", "’":
		low = "'"
	case "–", "—":
		low = "-"
	case "，", "、":
		low = ","
	}
	return token{start: at, end: at + size, low: low, kind: markToken}
}

// wordAt is the token of a word or a number.
func wordAt(l *lexicon, text string, start, end int) token {
	word := text[start:end]
	t := token{start: start, end: end, low: lowered(word)}
	first, _ := utf8.DecodeRuneInString(word)
	switch {
	case first >= '0' && first <= '9':
		t.kind = numberToken
	case unicode.IsUpper(first):
		t.capital = true
	}
	t.entry = l.words[t.low]
	if base, owns := strings.CutSuffix(t.low, "'s"); owns {
		if t.entry == nil {
			t.possessive = true
			t.entry = l.words[base]
		}
	}
	return t
}

// wordLength is the length of the word at the start of s, in bytes: letters, digits,
// and joiners between them, as in us-east-1, N+1, don't, v1.2.3, C++ and node.js.
func wordLength(s string) int {
	i := 0
	for i < len(s) {
		if isAlnum(s[i]) {
			i++
			continue
		}
		n := joinedLength(s, i)
		if n == 0 {
			break
		}
		i += n
	}
	return i
}

// joinedLength is how many bytes at s[i], which are no ASCII letters or digits, go on the word
// before them; 0 for none.
func joinedLength(s string, i int) int {
	c := s[i]
	if c >= utf8.RuneSelf {
		r, size := utf8.DecodeRuneInString(s[i:])
		apostrophe := r == '’' && i > 0 && i+size < len(s) && isAlnum(s[i+size])
		if apostrophe || isWordRune(r) {
			return size
		}
		return 0
	}
	switch {
	case i == 0:
	case joins(c) && i+1 < len(s) && mayFollow(c, s[i+1]), i <= 2 && (c == '+' || c == '#'):
		return 1
	case c == ',' && isDigit(s[i-1]) && isThousand(s[i:]):
		return 4 // 1,200
	}
	return 0
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) }

// mayFollow reports whether a byte goes on a word behind a joiner.
func mayFollow(joiner, c byte) bool { return isAlnum(c) || c >= utf8.RuneSelf && joiner != '.' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isThousand reports whether s begins with a comma and exactly three digits.
func isThousand(s string) bool {
	if len(s) < 4 || len(s) > 4 && isDigit(s[4]) {
		return false
	}
	return isDigit(s[1]) && isDigit(s[2]) && isDigit(s[3])
}

func isAlnum(c byte) bool {
	return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// joins reports whether c may be inside a word.
func joins(c byte) bool { return strings.IndexByte("'-._+/@#:&", c) >= 0 }

// lowered returns s in lower case with straight apostrophes; s itself if it is in that
// form.
func lowered(s string) string {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c >= 'A' && c <= 'Z' {
			return strings.ReplaceAll(strings.ToLower(s), "’", "'")
		}
	}
	return s
}

// readMeaning sets the tags of token i, for its word and for phrases that begin with
// it.
func readMeaning(toks []token, i int) {
	t := &toks[i]
	t.tags = t.entry.tags
	if t.entry.tech != 0 && (!t.entry.everyday || standsAsName(toks, i)) {
		t.tech, t.techLen = t.entry.tech, 1
	}
	if !t.entry.everyday || i+1 == len(toks) || !content(&toks[i+1]) || toks[i+1].entryHas(tagPrep) {
		t.choice, t.side = t.entry.choice, t.entry.side
	}
	if t.capital && i > 0 && t.low == "may" {
		t.tags.remove(tagHedge)
	}
	for p := range t.entry.phrases {
		ph := &t.entry.phrases[p]
		if !phraseAt(toks, i+1, ph.rest) {
			continue
		}
		t.tags = t.tags.join(ph.tags)
		if ph.tech != 0 && int(t.techLen) <= len(ph.rest) {
			t.tech, t.techLen = ph.tech, uint8(1+len(ph.rest))
		}
		if ph.choice != 0 {
			t.choice, t.side = ph.choice, ph.side
		}
	}
}

// phraseAt reports whether the tokens from i on are these words.
func phraseAt(toks []token, i int, words []string) bool {
	if i+len(words) > len(toks) {
		return false
	}
	for k, w := range words {
		if toks[i+k].low != w {
			return false
		}
	}
	return true
}

// standsAsName reports whether an everyday word is used as a name: it is capitalized
// within the sentence, or follows "in", "with", "to" or "use".
func standsAsName(toks []token, i int) bool {
	if i == 0 {
		return false
	}
	if toks[i].capital {
		return true
	}
	prev := &toks[i-1]
	if prev.entry == nil || !prev.entry.tags.has(tagUse) && prev.low != "in" && prev.low != "with" {
		return false
	}
	return i+1 == len(toks) || toks[i+1].kind == markToken || toks[i+1].is(tagPrep)
}

// phraseLength is the number of tokens from i on with the tag; 0 for none.
func phraseLength(toks []token, i int, t tag) int {
	if i >= len(toks) || toks[i].entry == nil {
		return 0
	}
	e := toks[i].entry
	longest := 0
	if e.tags.has(t) {
		longest = 1
	}
	for p := range e.phrases {
		if ph := &e.phrases[p]; ph.tags.has(t) && len(ph.rest) >= longest && phraseAt(toks, i+1, ph.rest) {
			longest = 1 + len(ph.rest)
		}
	}
	return longest
}
