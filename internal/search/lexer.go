package search

import (
	"strings"
	"unicode"
)

// kind is the kind of a token.
type kind int

const (
	end kind = iota
	word
	phrase
	and
	or
	not
	open
	shut
)

// token is a part of a query as written.
type token struct {
	kind   kind
	text   string // of words and phrases
	prefix bool   // a star follows
	at     int    // the position of its first character, from 1
}

// lexer reads tokens. It never fails: characters without a meaning are skipped.
type lexer struct {
	runes []rune
	pos   int
}

// next returns the next token.
func (l *lexer) next() token {
	for l.pos < len(l.runes) {
		at := l.pos + 1
		r := l.runes[l.pos]
		switch {
		case quote(r):
			l.pos++
			return l.phrase(at)
		case r == '(':
			l.pos++
			return token{kind: open, at: at}
		case r == ')':
			l.pos++
			return token{kind: shut, at: at}
		case r == '-' && l.negates():
			l.pos++
			return token{kind: not, at: at}
		case gap(r):
			l.pos++
		default:
			return l.word(at)
		}
	}
	return token{kind: end, at: len(l.runes) + 1}
}

// quote reports whether r opens or closes a phrase: the plain quotation mark, or one of
// its typographic forms.
func quote(r rune) bool { return r == '"' || r == '“' || r == '”' || r == '„' }

// gap reports whether r separates words.
func gap(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// negates reports whether the minus sign here is a NOT: it must stand alone before a
// word, so that neither "a-b" nor "--flag" excludes anything.
func (l *lexer) negates() bool {
	if l.pos+1 == len(l.runes) {
		return false
	}
	after := l.runes[l.pos+1]
	return wordRune(after) || quote(after) || after == '('
}

// phrase reads up to the closing quotation mark, or to the end without one.
func (l *lexer) phrase(at int) token {
	start := l.pos
	for l.pos < len(l.runes) && !quote(l.runes[l.pos]) {
		l.pos++
	}
	t := token{kind: phrase, text: string(l.runes[start:l.pos]), at: at}
	if l.pos < len(l.runes) {
		l.pos++
	}
	if l.pos < len(l.runes) && l.runes[l.pos] == '*' {
		l.pos++
		t.prefix = true
	}
	return t
}

// word reads up to a gap, a quotation mark or a parenthesis.
func (l *lexer) word(at int) token {
	start := l.pos
	for l.pos < len(l.runes) {
		if r := l.runes[l.pos]; gap(r) || quote(r) || r == '(' || r == ')' {
			break
		}
		l.pos++
	}
	text := string(l.runes[start:l.pos])
	switch text {
	case "AND":
		return token{kind: and, at: at}
	case "OR":
		return token{kind: or, at: at}
	case "NOT":
		return token{kind: not, at: at}
	}
	bare := strings.TrimRight(text, "*")
	return token{kind: word, text: bare, prefix: bare != text, at: at}
}
