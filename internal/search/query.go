package search

import (
	"strings"
	"unicode"
)

// Query is a parsed query. The zero Query matches nothing; [Parse] makes all others. It
// always has a term that must match, and its size is bounded.
type Query struct {
	// Root is the expression; nil in the zero Query.
	Root Node
}

// Node is a part of a query: a *Term, an *And or an *Or.
type Node interface {
	// String is the node as a query that parses to the same node.
	String() string
	// terms calls each for the node's terms. not says that a term is excluded.
	terms(not bool, each func(t *Term, not bool))
}

// And matches texts that match all of Of and none of Not. Of is never empty.
type And struct {
	Of, Not []Node
}

// Or matches texts that match one of Of, which has at least two.
type Or struct {
	Of []Node
}

// Term matches its pieces in this order, adjacent to each other. A word is one piece. A
// phrase has several, and so has a word with signs, such as "a-b".
type Term struct {
	// Text is the term as written, without quotation marks.
	Text string
	// Pieces are never empty.
	Pieces []Piece
	// Prefix lets the last piece be the prefix of a word.
	Prefix bool
}

// Piece is a run of letters and digits of one kind.
type Piece struct {
	Text string
	// Unspaced marks characters of a script without spaces between words. Such a run
	// matches inside a longer one. Other pieces are whole words, compared by their
	// stems.
	Unspaced bool
}

// String is the query after parsing.
func (q Query) String() string {
	if q.Root == nil {
		return ""
	}
	return q.Root.String()
}

// Terms are the terms to highlight: all except the excluded ones.
func (q Query) Terms() []*Term {
	var out []*Term
	if q.Root != nil {
		q.Root.terms(false, func(t *Term, not bool) {
			if !not {
				out = append(out, t)
			}
		})
	}
	return out
}

// String implements Node.
func (t *Term) String() string {
	text := t.Text
	if !plain(text) {
		text = `"` + text + `"`
	}
	if t.Prefix {
		text += "*"
	}
	return text
}

// plain reports whether a text is a word that needs no quotation marks.
func plain(text string) bool {
	switch text {
	case "AND", "OR", "NOT":
		return false
	}
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func (t *Term) terms(not bool, each func(*Term, bool)) { each(t, not) }

// String implements Node.
func (a *And) String() string {
	var b strings.Builder
	for i, n := range a.Of {
		if i > 0 {
			b.WriteString(" AND ")
		}
		b.WriteString(grouped(n))
	}
	for _, n := range a.Not {
		b.WriteString(" NOT " + grouped(n))
	}
	return b.String()
}

func (a *And) terms(not bool, each func(*Term, bool)) {
	for _, n := range a.Of {
		n.terms(not, each)
	}
	for _, n := range a.Not {
		n.terms(true, each)
	}
}

// String implements Node.
func (o *Or) String() string {
	parts := make([]string, len(o.Of))
	for i, n := range o.Of {
		parts[i] = grouped(n)
	}
	return strings.Join(parts, " OR ")
}

func (o *Or) terms(not bool, each func(*Term, bool)) {
	for _, n := range o.Of {
		n.terms(not, each)
	}
}

// grouped is a node, in parentheses if another node needs them.
func grouped(n Node) string {
	if _, ok := n.(*Term); ok {
		return n.String()
	}
	return "(" + n.String() + ")"
}
