package transfer

import (
	"crypto/sha256"
	"time"
)

// Line is a line of an import, as it is given to keep.
type Line struct {
	// Text is the line, valid until keep returns.
	Text []byte
	// Started is when its conversation began.
	Started time.Time
	// Replaces is the number of the line that this one replaces; -1 for none.
	Replaces int
}

// copies are the conversations that were read. Of a conversation that the input has several
// times, as old and new exports in one directory do, the newest copy counts, in whichever
// order they are read: otherwise an old one would undo what a newer one told.
type copies map[[12]byte]kept

// kept is the copy of a conversation that counts so far.
type kept struct {
	line     int // its number
	last     int64
	messages int
}

// keepNewest keeps the line of a conversation, unless a copy that is as new is kept already.
func (in *reading) keepNewest(c *Conversation, where string) error {
	id := [12]byte{}
	sum := sha256.Sum256([]byte(sessionID(c.System, c.ID)))
	copy(id[:], sum[:])
	now := kept{line: in.lines, last: c.Messages[len(c.Messages)-1].At.UnixMilli(), messages: len(c.Messages)}
	before, twice := in.copies[id]
	replaces := -1
	if twice {
		in.report.omit("older or equal copy of a conversation", where)
		if !now.newer(before) {
			return nil
		}
		replaces = before.line
		in.report.Conversations--
		in.report.Messages -= before.messages
	}
	in.copies[id] = now
	return in.keepLine(replaces, c.Started, now.messages)
}

// newer reports whether a copy has what another one does not have yet.
func (k kept) newer(other kept) bool {
	if k.last != other.last {
		return k.last > other.last
	}
	return k.messages > other.messages
}

// keepLine keeps the line that was written.
func (in *reading) keepLine(replaces int, started time.Time, messages int) error {
	in.lines++
	in.report.Conversations++
	in.report.Messages += messages
	return in.keep(Line{Text: in.line, Started: started, Replaces: replaces})
}
