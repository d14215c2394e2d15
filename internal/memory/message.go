package memory

import (
	"cmp"
	"slices"

	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/secret"
)

// message is a document with the secrets in its text. The text is scanned once for all
// that read or show it. A sentence is checked against the secrets of the whole text,
// because the sentence before may name what it gives away.
type message struct {
	ranking.Document
	secrets []secret.Span // in order
}

// messageOf scans a document.
func messageOf(d ranking.Document) message { return message{d, secret.Spans(d.Text)} }

// secretIn reports whether a part of the text overlaps a secret.
func (m *message) secretIn(part span) bool {
	i, _ := slices.BinarySearchFunc(m.secrets, part.start+1, func(s secret.Span, at int) int { return cmp.Compare(s.End, at) })
	return i < len(m.secrets) && m.secrets[i].Start < part.end
}
