package lineage

import (
	"bytes"
	"slices"
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
	// Texts has MarkSize bytes for each message: the beginning of a hash over what the message says.
	// A message that was edited in place keeps its id, and its text tells. Empty if the texts are
	// unknown, as those of imports before there were such marks are.
	Texts []byte
	// Adds says that the messages stand alone, as the memories of a program do: each mark is of its
	// message only, and an input may have any part of them. It is not stored.
	Adds bool
	// ChangedAt is when the other program says that the conversation was changed last; zero if
	// it does not say.
	ChangedAt time.Time
}

// Len is the number of imported messages.
func (g *Origin) Len() int { return len(g.Marks) / MarkSize }

// Mark is the mark of a message.
func (g *Origin) Mark(i int) []byte { return g.Marks[i*MarkSize : (i+1)*MarkSize] }

// Common is the number of messages with which two states of a conversation begin alike. Texts
// count if both states have them.
func (g *Origin) Common(other *Origin) int {
	n := alike(g.Marks, other.Marks)
	if len(g.Texts) > 0 && len(other.Texts) > 0 {
		n = min(n, alike(g.Texts, other.Texts))
	}
	return n
}

// alike is the number of marks with which two lists of them begin alike.
func alike(a, b []byte) int {
	n := min(len(a), len(b)) / MarkSize
	for i := range n {
		if !bytes.Equal(a[i*MarkSize:(i+1)*MarkSize], b[i*MarkSize:(i+1)*MarkSize]) {
			return i
		}
	}
	return n
}

// Holds reports whether a state of the conversation has nothing that this one lacks. An older
// export ends earlier than a newer one.
func (g *Origin) Holds(other *Origin) bool { return g.Common(other) == other.Len() }

// Older reports whether the other program says that another state of the conversation is older
// than this one.
func (g *Origin) Older(other *Origin) bool {
	return !other.ChangedAt.IsZero() && other.ChangedAt.Before(g.ChangedAt)
}

// Unread reports whether this state does not say what its messages say, while another one does.
func (g *Origin) Unread(other *Origin) bool {
	return len(g.Texts) == 0 && g.Len() > 0 && len(other.Texts) > 0
}

// Fresh are the places of the messages in other that this state lacks, where messages stand alone.
func (g *Origin) Fresh(other *Origin) []int {
	known := make(map[string]bool)
	for mark := range slices.Chunk(g.Marks, MarkSize) {
		known[string(mark)] = true
	}
	var fresh []int
	at := 0
	for mark := range slices.Chunk(other.Marks, MarkSize) {
		if !known[string(mark)] {
			fresh = append(fresh, at)
		}
		at++
	}
	return fresh
}

// Upto is the state of the conversation after its first n messages.
func (g *Origin) Upto(n int, root session.ID, next int64) *Origin {
	upto := &Origin{System: g.System, ID: g.ID, Root: root, NextSeq: next, Marks: g.Marks[:n*MarkSize], ChangedAt: g.ChangedAt}
	if len(g.Texts) > 0 {
		upto.Texts = g.Texts[:n*MarkSize]
	}
	return upto
}
