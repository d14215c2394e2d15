package sqlite

import (
	"encoding/hex"
	"strings"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/search"
)

// matchOf is a query in the text index's own language. Whatever a person wrote
// stands in it between quotation marks and consists of letters and digits.
func matchOf(q search.Query) string {
	var b strings.Builder
	b.WriteString("{content} : (")
	writeNode(&b, q.Root)
	b.WriteByte(')')
	return b.String()
}

func writeNode(b *strings.Builder, n search.Node) {
	switch n := n.(type) {
	case *search.Term:
		words, prefix := search.IndexTerm(n)
		b.WriteString(`"` + strings.ReplaceAll(words, `"`, `""`) + `"`)
		if prefix {
			b.WriteString(" *")
		}
	case *search.And:
		writeNodes(b, n.Of, " AND ")
		for _, not := range n.Not {
			if search.Exact(not) {
				b.WriteString(" NOT ")
				writeGroup(b, not)
			}
		}
	case *search.Or:
		writeNodes(b, n.Of, " OR ")
	}
}

// writeNodes writes nodes as one group, so that a NOT after them means them all.
func writeNodes(b *strings.Builder, of []search.Node, between string) {
	b.WriteByte('(')
	for i, n := range of {
		if i > 0 {
			b.WriteString(between)
		}
		writeGroup(b, n)
	}
	b.WriteByte(')')
}

func writeGroup(b *strings.Builder, n search.Node) {
	b.WriteByte('(')
	writeNode(b, n)
	b.WriteByte(')')
}

// markOf is the text index's mark for where a request looks, as the view
// messages_text makes it.
func markOf(o owner.Owner, s search.Scope) string {
	mark := `{scope} : ("o` + hex.EncodeToString([]byte(o.ID())) + `0"`
	switch {
	case s.Root != "":
		mark += ` AND "l` + hex.EncodeToString([]byte(s.Root)) + `0"`
	case s.Key != "":
		mark += ` AND "k` + hex.EncodeToString([]byte(s.Key)) + `0"`
	}
	return mark + ")"
}
