package search

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/fault"
)

// The bounds of a query.
const (
	maxLength   = 2048 // characters
	maxDepth    = 32   // parentheses within one another
	maxTerms    = 32
	maxPieces   = 64 // words of all terms in total; for unspaced writing, characters
	maxPrefixes = 8
	// minPrefix is the minimum number of letters before a star: with each letter less,
	// about twenty times as many words match.
	minPrefix = 3
)

// Parse reads a query.
//
// Words match messages that have all of them, in any form ("deploy" finds "deployed").
// "Several words" in quotation marks match as a phrase. AND, OR and NOT, in capitals,
// and parentheses combine terms; NOT binds strongest, OR weakest. A minus sign before a
// word is NOT. A star after a word makes it a prefix.
//
// A half-typed query is completed: an open phrase or parenthesis ends with the query;
// operators without operands and signs without letters are skipped. Any other error is
// an Invalid fault with code "invalid_query", whose Param is "q[N]" with the position
// of the character, from 1.
func Parse(text string) (Query, error) {
	if n := utf8.RuneCountInString(text); n > maxLength {
		return Query{}, refuse(maxLength+1, fmt.Sprintf("The query has %d characters; at most %d are read.", n, maxLength))
	}
	p := parser{lex: lexer{runes: []rune(strings.ToValidUTF8(text, " "))}}
	p.advance()
	var all []operand
	for p.tok.kind != end { // a surplus closing parenthesis ends an expression
		got, err := p.either()
		if err != nil {
			return Query{}, err
		}
		all = append(all, got)
		if p.tok.kind == shut {
			p.advance()
		}
	}
	got, err := conjunction(all)
	switch {
	case err != nil:
		return Query{}, err
	case got.node == nil:
		return Query{}, refuse(1, "The query has no word to look for.")
	case got.not:
		return Query{}, refuse(got.at, "The query only says what to leave out. Add a word to look for.")
	}
	return Query{Root: got.node}, nil
}

// refuse is the fault for a query. at is the position of the character.
func refuse(at int, msg string) error {
	return fault.New(fault.Invalid, "invalid_query", fmt.Sprintf("%s (Character %d of the query.)", msg, at)).At(fmt.Sprintf("q[%d]", at))
}

// parser is recursive descent over the tokens.
type parser struct {
	lex lexer
	tok token

	depth, terms, pieces, prefixes int
}

// operand is a part of an expression. Its node is nil if it has no term.
type operand struct {
	node Node
	not  bool // what must not match
	at   int
}

func (p *parser) advance() { p.tok = p.lex.next() }

// either reads alternatives: all OR all …
func (p *parser) either() (operand, error) {
	out := operand{at: p.tok.at}
	var of []Node
	for {
		got, err := p.all()
		if err != nil {
			return out, err
		}
		if got.node != nil {
			if got.not && (len(of) > 0 || p.tok.kind == or) {
				return out, refuse(got.at, "OR needs something to look for on both sides; NOT only says what to leave out.")
			}
			out.not, out.at = got.not, got.at
			if got.not {
				of = append(of, got.node)
			} else {
				of = append(of, alternatives(got.node)...)
			}
		}
		if p.tok.kind != or {
			break
		}
		p.advance()
	}
	switch len(of) {
	case 0:
	case 1:
		out.node = of[0]
	default:
		out.node = &Or{Of: of}
	}
	return out, nil
}

// all reads operands that must match together: joined by AND, by NOT, or by nothing.
func (p *parser) all() (operand, error) {
	var got []operand
	for {
		switch p.tok.kind {
		case and:
			p.advance()
			continue
		case or, shut, end:
			return conjunction(got)
		}
		one, err := p.one()
		if err != nil {
			return operand{}, err
		}
		got = append(got, one)
	}
}

// conjunction combines the operands that must match with those that must not. If none
// must match, the result must not match.
func conjunction(of []operand) (operand, error) {
	var yes, no []Node
	out := operand{at: 1}
	for _, o := range of {
		switch a, isAnd := o.node.(*And); {
		case o.node == nil:
			continue
		case o.not:
			no = append(no, o.node)
		case isAnd:
			yes, no = append(yes, a.Of...), append(no, a.Not...)
		default:
			yes = append(yes, o.node)
		}
		if len(yes)+len(no) == 1 || o.not {
			out.at = o.at
		}
	}
	switch {
	case len(yes) == 0 && len(no) == 0:
	case len(yes) == 0 && len(no) == 1:
		out.node, out.not = no[0], true
	case len(yes) == 0:
		or := &Or{}
		for _, n := range no {
			or.Of = append(or.Of, alternatives(n)...)
		}
		out.node, out.not = or, true
	case len(yes) == 1 && len(no) == 0:
		out.node = yes[0]
	default:
		out.node = &And{Of: yes, Not: no}
	}
	return out, nil
}

// alternatives are the nodes of which one must match if n is to match.
func alternatives(n Node) []Node {
	if o, ok := n.(*Or); ok {
		return o.Of
	}
	return []Node{n}
}

// one reads an operand: a term, an expression in parentheses, or NOT before one.
func (p *parser) one() (operand, error) {
	at, negated := p.tok.at, false
	for p.tok.kind == not {
		negated = !negated
		p.advance()
	}
	var got operand
	var err error
	switch p.tok.kind {
	case open:
		got, err = p.group()
	case word, phrase:
		got.node, err = p.term()
	}
	got.not, got.at = got.not != negated, at
	return got, err
}

// group reads an expression in parentheses. The closing parenthesis may be missing.
func (p *parser) group() (operand, error) {
	if p.depth++; p.depth > maxDepth {
		return operand{}, refuse(p.tok.at, fmt.Sprintf("More than %d parentheses stand within one another.", maxDepth))
	}
	p.advance()
	got, err := p.either()
	if err == nil && p.tok.kind == shut {
		p.advance()
	}
	p.depth--
	return got, err
}

// markOnly reports whether a piece consists of accents without a letter, which the
// index does not keep.
func markOnly(p Piece) bool {
	return !strings.ContainsFunc(p.Text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// term reads a word or a phrase; nil if it has no letter and no digit.
func (p *parser) term() (Node, error) {
	tok := p.tok
	p.advance()
	t := &Term{Text: strings.TrimSpace(tok.text), Pieces: slices.DeleteFunc(cut(tok.text), markOnly), Prefix: tok.prefix}
	if len(t.Pieces) == 0 {
		return nil, nil
	}
	if p.terms++; p.terms > maxTerms {
		return nil, refuse(tok.at, fmt.Sprintf("The query has more than %d words and phrases.", maxTerms))
	}
	for i := range t.Pieces {
		p.pieces++
		if piece := &t.Pieces[i]; piece.Unspaced {
			p.pieces += utf8.RuneCountInString(piece.Text) - 1
		}
	}
	if p.pieces > maxPieces {
		return nil, refuse(tok.at, fmt.Sprintf("The query has more than %d words in all.", maxPieces))
	}
	last := &t.Pieces[len(t.Pieces)-1]
	if !t.Prefix || last.Unspaced { // unspaced writing matches inside longer runs anyway
		return t, nil
	}
	if utf8.RuneCountInString(last.Text) < minPrefix {
		return nil, refuse(tok.at, fmt.Sprintf("A star needs %d letters or more before it.", minPrefix))
	}
	if p.prefixes++; p.prefixes > maxPrefixes {
		return nil, refuse(tok.at, fmt.Sprintf("The query has more than %d words with a star.", maxPrefixes))
	}
	return t, nil
}
