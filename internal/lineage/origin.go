package lineage

import (
	"bytes"
	"time"

	"github.com/hermes-memory/hermes/internal/session"
)

// MarkSize is the size of a mark of an [Origin], in bytes.
const MarkSize = 8

// Origin is a conversation of another program, as far as it was imported.
type Origin struct {
	// System is the other program, and ID the conversation's id in it.
	System, ID string
	// Root is the lineage that holds the conversation; "" if that lineage was deleted here.
	Root session.ID
	// NextSeq is the lineage's next Seq after the import. A larger one says that the
	// conversation was continued here.
	NextSeq int64
	// Marks has MarkSize bytes for each message: the beginning of a hash over the ids, in
	// the other program, of all messages up to that one.
	Marks []byte
	// ChangedAt is when the other program says that the conversation was changed last; zero if
	// it does not say. It is not stored.
	ChangedAt time.Time
}

// Len is the number of imported messages.
func (g *Origin) Len() int { return len(g.Marks) / MarkSize }

// Common is the number of messages with which two states of a conversation begin alike.
func (g *Origin) Common(other *Origin) int {
	n := min(g.Len(), other.Len())
	for i := range n {
		at := i * MarkSize
		if !bytes.Equal(g.Marks[at:at+MarkSize], other.Marks[at:at+MarkSize]) {
			return i
		}
	}
	return n
}

// Holds reports whether a state of the conversation has nothing that this one lacks. An older
// export ends earlier than a newer one.
func (g *Origin) Holds(other *Origin) bool { return g.Common(other) == other.Len() }

// Upto is the state of the conversation after its first n messages.
func (g *Origin) Upto(n int, root session.ID, next int64) *Origin {
	return &Origin{System: g.System, ID: g.ID, Root: root, NextSeq: next, Marks: g.Marks[:n*MarkSize]}
}
