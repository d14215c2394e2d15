package markdown

import (
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// maxNesting bounds formatting within formatting. Deeper nodes become plain text.
const maxNesting = 16

func (c *converter) inlines(parent ast.Node, depth int) []Inline {
	var list inlineList
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		c.inline(&list, n, depth)
	}
	return list.done()
}

// inline adds the node for one of goldmark's.
func (c *converter) inline(list *inlineList, n ast.Node, depth int) {
	switch n := n.(type) {
	case *ast.Text:
		list.text(unescape(string(n.Value(c.source))))
		switch {
		case n.HardLineBreak():
			list.add(Inline{Type: Break})
		case n.SoftLineBreak():
			list.text("\n")
		}
	case *ast.CodeSpan:
		list.add(Inline{Type: CodeSpan, Text: c.codeSpan(n)})
	case *ast.Emphasis:
		kind := Emphasis
		if n.Level == 2 {
			kind = Strong
		}
		c.nested(list, Inline{Type: kind}, n, depth)
	case *extast.Strikethrough:
		c.nested(list, Inline{Type: Strikethrough}, n, depth)
	case *ast.Link:
		c.link(list, string(n.Destination), n, depth)
	case *ast.Image:
		c.link(list, string(n.Destination), n, depth)
	case *ast.AutoLink:
		c.autoLink(list, n)
	case *plainAddress:
		address := n.shown(c.source)
		c.address(list, address, address)
	case *breakTag:
		list.add(Inline{Type: Break})
	default: // the box of a task is no text
	}
}

// nested adds a node with content.
func (c *converter) nested(list *inlineList, node Inline, n ast.Node, depth int) {
	if depth >= maxNesting {
		list.text(c.flat(n))
		return
	}
	if node.Inlines = c.inlines(n, depth+1); len(node.Inlines) > 0 {
		list.add(node)
	}
}

// flat is the text under a node.
func (c *converter) flat(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Value(c.source))
			if t.SoftLineBreak() || t.HardLineBreak() {
				b.WriteByte('\n')
			}
		}
		if a, ok := n.(*ast.AutoLink); ok && entering {
			b.Write(a.Label(c.source))
		}
		if a, ok := n.(*plainAddress); ok && entering {
			b.WriteString(a.shown(c.source))
		}
		if _, ok := n.(*breakTag); ok && entering {
			b.WriteByte('\n')
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

func (c *converter) codeSpan(n *ast.CodeSpan) string {
	var b strings.Builder
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if t, ok := child.(*ast.Text); ok {
			b.Write(t.Value(c.source))
		}
	}
	return tameCode(strings.ReplaceAll(b.String(), "\n", " "))
}

// link adds a link, or, if its address may not be one, its text and the address as text.
func (c *converter) link(list *inlineList, destination string, n ast.Node, depth int) {
	destination = unescape(destination)
	href, ok := safeHref(destination)
	if depth >= maxNesting {
		list.text(c.flat(n))
		return
	}
	outer := c.linked
	c.linked = ok || outer
	content := c.inlines(n, depth+1)
	c.linked = outer
	switch {
	case ok && len(content) == 0:
		list.add(Inline{Type: Link, Href: href, Inlines: []Inline{{Type: Text, Text: href}}})
	case ok:
		list.add(Inline{Type: Link, Href: href, Inlines: content})
	default:
		for _, in := range content {
			list.add(in)
		}
		list.text(shownAddress(destination))
	}
}

// shownAddress is an address that may be no link, as text. One of the web that is too long for a link is
// shown whole, since people need it; another one is of use to few, and may be whole files.
func shownAddress(destination string) string {
	switch {
	case destination == "":
		return ""
	case len(destination) > maxShownHref && !linkable(destination):
		return " (" + destination[:runeStart(destination, maxShownHref)] + "…)"
	}
	return " (" + destination + ")"
}

// autoLink adds an address in angles, or one of goldmark's without a scheme.
func (c *converter) autoLink(list *inlineList, n *ast.AutoLink) {
	href := string(n.URL(c.source))
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(href), "mailto:") {
		href = "mailto:" + href
	}
	c.address(list, href, string(n.Label(c.source)))
}

// address adds an address that stands in the text, as people see it there.
func (c *converter) address(list *inlineList, href, label string) {
	if safe, ok := safeHref(href); ok && !c.linked {
		list.add(Inline{Type: Link, Href: safe, Inlines: []Inline{{Type: Text, Text: tame(label)}}})
		return
	}
	list.text(label)
}

// inlineList joins texts that follow each other, and cleans them.
type inlineList struct {
	list    []Inline
	pending strings.Builder
}

func (l *inlineList) text(s string) { l.pending.WriteString(s) }

func (l *inlineList) add(in Inline) {
	if in.Type == Text {
		l.text(in.Text)
		return
	}
	if in.Type == Break {
		l.trim()
	}
	l.flush()
	l.list = append(l.list, in)
}

// trim takes the blanks at the end of a line away.
func (l *inlineList) trim() {
	text := strings.TrimRight(l.pending.String(), " \t")
	l.pending.Reset()
	l.pending.WriteString(text)
}

func (l *inlineList) flush() {
	if text := tame(l.pending.String()); text != "" {
		l.list = append(l.list, Inline{Type: Text, Text: text})
	}
	l.pending.Reset()
}

func (l *inlineList) done() []Inline {
	l.flush()
	return l.list
}

// unescape resolves the backslashes before punctuation, and the entities, of a text.
func unescape(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for s != "" {
		n := strings.IndexAny(s, `\&`)
		if n < 0 {
			break
		}
		b.WriteString(s[:n])
		s = s[n:]
		if size := entityLength(s); size > 0 {
			b.WriteString(unturned(html.UnescapeString(s[:size])))
			s = s[size:]
			continue
		}
		if s[0] == '\\' && len(s) > 1 && isPunct(s[1]) {
			s = s[1:]
		}
		b.WriteByte(s[0])
		s = s[1:]
	}
	b.WriteString(s)
	return b.String()
}

// unturned is what an entity stands for. A direction that it turns has no partner that can be seen.
func unturned(s string) string {
	if strings.ContainsFunc(s, Turns) {
		return "\ufffd"
	}
	return s
}

// entityLength is the length of an entity at the beginning of a text; 0 if there is none.
func entityLength(s string) int {
	if s[0] != '&' {
		return 0
	}
	for i := 1; i < len(s) && i < 33; i++ {
		switch c := s[i]; {
		case c == ';' && i > 1:
			return i + 1
		case c == '#' && i == 1, isAlphanumeric(c):
		default:
			return 0
		}
	}
	return 0
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isPunct(c byte) bool { return c > ' ' && c < 0x7f && !isAlphanumeric(c) }
