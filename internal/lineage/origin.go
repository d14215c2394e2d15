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
	// unknown, as those of imports before there were such marks are. Where messages stand alone, Marks are
	// over ids and texts, and Texts over the ids alone: zeros for an id that is unknown.
	Texts []byte
	// Adds says that the messages stand alone, as the memories of a program do: each mark is of its
	// message only, and an input may have any part of them. It is not stored.
	Adds bool
	// Earlier are the marks and texts of the conversation as earlier versions of this program read it, where they read
	// other messages or texts; nil otherwise. It is not stored.
	Earlier *Origin
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

// ReadEarlier reports whether this state is what earlier versions of this program read of another one, and
// whether it is all of that.
func (g *Origin) ReadEarlier(other *Origin) (begins, whole bool) {
	if other.Earlier == nil || g.Common(other.Earlier) < g.Len() {
		return false, false
	}
	return true, g.Len() == other.Earlier.Len()
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

// Edited are the places of the messages in other that this state has with another text, where messages
// stand alone. Each has the places in this state of the messages with its id.
func (g *Origin) Edited(other *Origin) map[int][]int {
	if len(g.Texts) == 0 || len(other.Texts) == 0 {
		return nil
	}
	at := make(map[string][]int)
	for i := range g.Len() {
		at[string(g.Text(i))] = append(at[string(g.Text(i))], i)
	}
	delete(at, unknownMark)
	edited := make(map[int][]int)
	for _, place := range g.Fresh(other) {
		if before := at[string(other.Text(place))]; len(before) > 0 {
			edited[place] = before
		}
	}
	return edited
}

// unknownMark stands for the mark of an id that is unknown.
const unknownMark = "\x00\x00\x00\x00\x00\x00\x00\x00"

// Text is the mark of what a message says, or of its id where messages stand alone; zeros if that is unknown.
func (g *Origin) Text(i int) []byte {
	if len(g.Texts) == 0 {
		return []byte(unknownMark)
	}
	return g.Texts[i*MarkSize : (i+1)*MarkSize]
}

// WithIDs are the marks of the ids of this state, where messages stand alone, with those that only another
// state knows. more reports whether there are such ones.
func (g *Origin) WithIDs(other *Origin) (texts []byte, more bool) {
	known := make(map[string][]byte)
	for i := range other.Len() {
		known[string(other.Mark(i))] = other.Text(i)
	}
	texts = make([]byte, 0, len(g.Marks))
	for i := range g.Len() {
		id := g.Text(i)
		if told := known[string(g.Mark(i))]; string(id) == unknownMark && told != nil && string(told) != unknownMark {
			id, more = told, true
		}
		texts = append(texts, id...)
	}
	return texts, more
}

// Absent is the number of messages of this state that another one lacks, where messages stand alone. One that was edited
// is there. Copies of a message count once.
func (g *Origin) Absent(other *Origin) int {
	there := make(map[string]bool)
	for i := range other.Len() {
		there[string(other.Mark(i))], there[string(other.Text(i))] = true, true
	}
	absent := make(map[string]bool)
	for i := range g.Len() {
		id, mark := string(g.Text(i)), string(g.Mark(i))
		if id == unknownMark {
			id = mark
		}
		if !there[id] && !there[mark] {
			absent[id] = true
		}
	}
	return len(absent)
}

// Upto is the state of the conversation after its first n messages.
func (g *Origin) Upto(n int, root session.ID, next int64) *Origin {
	upto := &Origin{System: g.System, ID: g.ID, Root: root, NextSeq: next, Marks: g.Marks[:n*MarkSize], ChangedAt: g.ChangedAt}
	if len(g.Texts) > 0 {
		upto.Texts = g.Texts[:n*MarkSize]
	}
	return upto
}
