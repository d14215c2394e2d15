package postgres

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"strings"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/search"
)

// The text index has the stems of messages. Each begins with the tag of its owner, so a
// search reads the entries of one owner only.

const (
	// tagSize is the length of a tag. Two owners with the same tag do no harm.
	tagSize = 5
	// maxTerms bounds the bytes of a message's stems: PostgreSQL indexes at most a MiB.
	maxTerms = 900 << 10
	// everyTerm is indexed for a message with more stems: each search finds the message,
	// and its text decides. No stem has this character.
	everyTerm = "*"
)

// tagOf is the tag of an owner.
func (db *DB) tagOf(o owner.Owner) string {
	h := hmac.New(sha256.New, db.hashKey)
	h.Write([]byte("tag\x00" + o.ID()))
	return strings.ToLower(base32.StdEncoding.EncodeToString(h.Sum(nil)))[:tagSize] + ":"
}

// termsOf are the entries of a text in the text index. A text that cannot be processed gets
// none.
func (db *DB) termsOf(ctx context.Context, o owner.Owner, content string) ([]string, error) {
	terms := []string{}
	err := recovery.Do(func() error {
		terms = stemsOf(db.tagOf(o), content)
		return nil
	})
	recovery.Log(ctx, db.log, "the text of a message", err)
	return terms, nil
}

// stemsOf are the different stems of a text, with a tag.
func stemsOf(tag, text string) []string {
	terms := make([]string, 0, 16)
	seen := make(map[string]bool)
	size := 0
	for stem := range search.Stems(text) {
		if seen[stem] {
			continue
		}
		seen[stem] = true
		// An entry takes its bytes, and four of administration.
		if size += len(tag) + len(stem) + 4; size > maxTerms {
			return append(terms, tag+everyTerm)
		}
		terms = append(terms, tag+stem)
	}
	return terms
}

// matchOf is a query in the language of the text index. It finds every message that matches,
// and others, because the index does not know the places of words.
func matchOf(tag string, q search.Query) string {
	var b strings.Builder
	b.WriteByte('(')
	writeNode(&b, tag, q.Root)
	b.WriteString(") | " + quotedTerm(tag+everyTerm))
	return b.String()
}

func writeNode(b *strings.Builder, tag string, n search.Node) {
	switch n := n.(type) {
	case *search.Term:
		writeTerm(b, tag, n)
	case *search.And:
		writeNodes(b, tag, n.Of, " & ")
		for _, not := range n.Not {
			if isWord(not) {
				b.WriteString(" & !")
				writeNode(b, tag, not)
			}
		}
	case *search.Or:
		writeNodes(b, tag, n.Of, " | ")
	}
}

// writeNodes writes nodes as one group.
func writeNodes(b *strings.Builder, tag string, of []search.Node, between string) {
	b.WriteByte('(')
	for i, n := range of {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteByte('(')
		writeNode(b, tag, n)
		b.WriteByte(')')
	}
	b.WriteByte(')')
}

// writeTerm writes a term as the stems that its texts have.
func writeTerm(b *strings.Builder, tag string, t *search.Term) {
	stems, prefix := search.TermStems(t)
	b.WriteByte('(')
	for i, forms := range stems {
		if i > 0 {
			b.WriteString(" & ")
		}
		b.WriteByte('(')
		for k, form := range forms {
			if k > 0 {
				b.WriteString(" | ")
			}
			b.WriteString(quotedTerm(tag + form))
			if prefix && i == len(stems)-1 {
				b.WriteString(":*")
			}
		}
		b.WriteByte(')')
	}
	if len(stems) == 0 { // no text has such a term
		b.WriteString(quotedTerm(tag))
	}
	b.WriteByte(')')
}

// isWord reports whether a node is a single word, for which the index decides.
func isWord(n search.Node) bool {
	t, ok := n.(*search.Term)
	if !ok {
		return false
	}
	stems, prefix := search.TermStems(t)
	return len(stems) == 1 && !prefix && len(stems[0][0]) < search.MaxStem
}

// quotedTerm is an entry as a text of a query.
func quotedTerm(term string) string {
	return "'" + strings.NewReplacer("'", "''", `\`, `\\`).Replace(term) + "'"
}
