package search

import (
	"strings"
	"unicode"
)

// Query is a parsed query. The zero Query matches nothing; [Parse] makes all
// others. It can always be carried out: it has something to look for, and its
// size is bounded.
type Query struct {
	// Root is the expression; nil in the zero Query.
	Root Node
}

// Node is a part of a query: a *Term, an *And or an *Or.
type Node interface {
	// String is the node as a query that parses to the same node.
	String() string
	// terms calls each for its terms; not says that one is excluded.
	terms(not bool, each func(t *Term, not bool))
}

// And matches what all of Of match and none of Not does. Of is never empty.
type And struct {
	Of, Not []Node
}

// Or matches what one of Of matches. It has two or more.
type Or struct {
	Of []Node
}

// Term matches its pieces side by side, in this order: a word is one piece, a
// phrase has several, and so has a word with signs in it, such as "a-b".
type Term struct {
	// Text is the term as it was written, without quotation marks.
	Text string
	// Pieces are never empty.
	Pieces []Piece
	// Prefix lets the last piece be the beginning of a word.
	Prefix bool
}

// Piece is a run of letters and digits of one sort.
type Piece struct {
	Text string
	// Unspaced marks characters of a writing that sets no space between words.
	// Such a run matches inside a longer one; other pieces are whole words,
	// compared by their stems.
	Unspaced bool
}

// String is the query as it was understood.
func (q Query) String() string {
	if q.Root == nil {
		return ""
	}
	return q.Root.String()
}

// Terms are the terms that a match can show, that is all but the excluded ones.
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

// grouped is a node in parentheses, if it needs them inside another.
func grouped(n Node) string {
	if _, ok := n.(*Term); ok {
		return n.String()
	}
	return "(" + n.String() + ")"
}
