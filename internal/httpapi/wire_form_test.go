package httpapi_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// node is a JSON value in its own order and spelling.
type node struct {
	kind  jsontext.Kind
	text  string // of a string its value, of other scalars their spelling
	names []string
	items []node
}

// parseNode reads a JSON value.
func parseNode(text string) (node, error) {
	dec := jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true))
	n, err := readNode(dec)
	if err == nil && strings.TrimSpace(text[dec.InputOffset():]) != "" {
		err = fmt.Errorf("more text after the JSON value: %q", text[dec.InputOffset():])
	}
	return n, err
}

func readNode(dec *jsontext.Decoder) (node, error) {
	tok, err := dec.ReadToken()
	if err != nil {
		return node{}, err
	}
	n := node{kind: tok.Kind(), text: tok.String()}
	if n.kind != '{' && n.kind != '[' {
		return n, nil
	}
	n.text = ""
	for dec.PeekKind() != '}' && dec.PeekKind() != ']' {
		if n.kind == '{' {
			name, err := dec.ReadToken()
			if err != nil {
				return n, err
			}
			n.names = append(n.names, name.String())
		}
		item, err := readNode(dec)
		if err != nil {
			return n, err
		}
		n.items = append(n.items, item)
	}
	_, err = dec.ReadToken()
	return n, err
}

// member returns a member of an object.
func (n *node) member(name string) (node, bool) {
	i := slices.Index(n.names, name)
	if i < 0 {
		return node{}, false
	}
	return n.items[i], true
}

// compact is the node in one line.
func (n *node) compact() string {
	var b bytes.Buffer
	switch n.kind {
	case '"':
		quoted, _ := jsontext.AppendQuote(nil, n.text)
		return string(quoted)
	case '{', '[':
		b.WriteByte(byte(n.kind))
		for i := range n.items {
			if i > 0 {
				b.WriteString(", ")
			}
			if n.kind == '{' {
				name, _ := jsontext.AppendQuote(nil, n.names[i])
				b.Write(append(name, ": "...))
			}
			b.WriteString(n.items[i].compact())
		}
		b.WriteByte(byte(n.kind) + 2) // '{' and '}', '[' and ']' are two apart
		return b.String()
	}
	return n.text
}

// wide is the longest line a value is kept in.
const wide = 150

// pretty is the node for a reader: short values in one line.
func (n *node) pretty(indent string) string {
	line := n.compact()
	if len(n.items) == 0 || len(indent)+len(line) <= wide && n.depth() <= 4 {
		return line
	}
	var b strings.Builder
	b.WriteString(string(byte(n.kind)) + "\n")
	for i := range n.items {
		b.WriteString(indent + "  ")
		if n.kind == '{' {
			name, _ := jsontext.AppendQuote(nil, n.names[i])
			b.WriteString(string(name) + ": ")
		}
		b.WriteString(n.items[i].pretty(indent + "  "))
		if i < len(n.items)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString(indent + string(byte(n.kind)+2))
	return b.String()
}

func (n *node) depth() int {
	deepest := 0
	for i := range n.items {
		deepest = max(deepest, n.items[i].depth())
	}
	if n.kind == '{' || n.kind == '[' {
		deepest++
	}
	return deepest
}

// The placeholders of an expectation. "<any>" alone is any value; within a text
// it is any part of it.
const (
	anyValue    = "<any>"
	anyNumber   = "<number>"
	anyTime     = "<time>"
	absentValue = "<absent>"
	// andMore is a member that allows further members.
	andMore = "..."
)

func (n *node) open() bool { return n.kind == '{' && slices.Contains(n.names, andMore) }

// agrees reports whether a value is what was expected. The order of members
// does not count.
func (n *node) agrees(got *node) bool {
	if n.kind == '"' {
		switch n.text {
		case anyValue:
			return true
		case anyNumber:
			return got.kind == '0'
		case anyTime:
			_, err := time.Parse(time.RFC3339, got.text)
			return got.kind == '"' && err == nil
		}
		return got.kind == '"' && likeText(n.text, got.text)
	}
	if n.kind != got.kind || n.text != got.text || len(n.items) != len(got.items) && !n.open() {
		return false
	}
	for i := range n.items {
		item := node{}
		if n.kind == '{' && n.names[i] == andMore {
			continue
		}
		if n.kind == '[' {
			item = got.items[i]
		} else if found, ok := got.member(n.names[i]); ok {
			item = found
		} else {
			return false
		}
		if !n.items[i].agrees(&item) {
			return false
		}
	}
	return true
}

// likeText compares texts, the expected one with "<any>" in it.
func likeText(want, got string) bool {
	if !strings.Contains(want, anyValue) {
		return want == got
	}
	parts := strings.Split(want, anyValue)
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile("(?s)^" + strings.Join(parts, ".*") + "$").MatchString(got)
}

// merged is what was got, with the placeholders of the expectation where they
// still hold: what -update writes, and what a difference is shown against.
func (n *node) merged(got node) node {
	if n.agrees(&got) {
		return *n
	}
	if n.kind != got.kind || n.kind != '{' && n.kind != '[' {
		return got.softened()
	}
	if n.open() {
		got = got.only(n.names)
	}
	out := node{kind: got.kind, names: got.names}
	for i := range got.items {
		known, ok := node{}, false
		if got.kind == '{' {
			known, ok = n.member(got.names[i])
		} else if ok = i < len(n.items); ok {
			known = n.items[i]
		}
		if ok {
			out.items = append(out.items, known.merged(got.items[i]))
		} else {
			out.items = append(out.items, got.soft(i))
		}
	}
	return out
}

// only are the named members of an object, and a sign that there may be more.
func (n *node) only(names []string) node {
	out := node{kind: '{'}
	for _, name := range names {
		if item, ok := n.member(name); ok {
			out.names, out.items = append(out.names, name), append(out.items, item)
		}
	}
	out.names = append(out.names, andMore)
	out.items = append(out.items, node{kind: '"', text: anyValue})
	return out
}

// softened is a value without an expectation yet.
func (n *node) softened() node {
	out := node{kind: n.kind, text: n.text, names: n.names}
	for i := range n.items {
		out.items = append(out.items, n.soft(i))
	}
	return out
}

// soft is an item of such a value. Of what the turn reports only the session is
// held to: the rest depends on how well memory distils, and a file that is about
// it names it.
func (n *node) soft(i int) node {
	item := n.items[i].softened()
	if n.kind == '{' && slices.Contains([]string{"token_count", "input_tokens", "output_tokens"}, n.names[i]) {
		return node{kind: '"', text: anyNumber} // how tokens are counted is tested where it is done
	}
	if n.kind != '{' || item.kind != '{' {
		return item
	}
	switch n.names[i] {
	case "hermes":
		return item.only([]string{"session_id", "lineage_root_id", "compressed", "responder"})
	case "usage": // an estimate, in most files
		return node{kind: '"', text: anyValue}
	case "session": // the same once more, see TestSessionTwice
		return node{kind: '"', text: anyValue}
	}
	return item
}
