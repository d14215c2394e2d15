package sqlite

import (
	"encoding/hex"
	"strings"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/search"
)

// matchOf is a query in the language of the text index. The user's text in it is in
// quotation marks and has only letters and digits.
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

// writeNodes writes nodes as one group, so that a following NOT applies to all.
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

// marksOf are the marks in the text index for a request's scope, as the view
// messages_text makes them. others says that there are other owners.
func marksOf(o owner.Owner, r *search.Request, others bool) string {
	var marks []string
	add := func(kind, name string) {
		if name != "" {
			marks = append(marks, `"`+kind+hex.EncodeToString([]byte(name))+`0"`)
		}
	}
	if others {
		add("o", o.ID())
	}
	add("l", string(r.Scope.Root))
	add("k", string(r.Scope.Key))
	add("r", string(r.Role))
	add("s", string(r.Source))
	if len(marks) == 0 {
		return ""
	}
	return " AND {scope} : (" + strings.Join(marks, " AND ") + ")"
}
