package transfer

import (
	"crypto/sha256"
	"strconv"
	"time"
)

// Line is a line of an import, as it is given to keep.
type Line struct {
	// Text is the line, valid until keep returns; empty if one is only taken back.
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

// copyID stands for the name of a conversation.
func copyID(name string) (id [12]byte) {
	sum := sha256.Sum256([]byte(name))
	copy(id[:], sum[:])
	return id
}

// keepArchived keeps a line of an export of this program, whatever else has its id.
func (in *reading) keepArchived(started time.Time, messages int) error {
	in.copies[copyID(strconv.Itoa(in.lines))] = kept{line: in.lines, messages: messages}
	return in.keepLine(-1, started, messages)
}

// keepNewest keeps the line of a conversation, unless a copy that is as new is kept already.
func (in *reading) keepNewest(c *Conversation, where string) error {
	id := copyID(sessionID(c.System, c.ID))
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

// drop takes back the conversations that were kept from a line on.
func (in *reading) drop(first int) error {
	for id, k := range in.copies {
		if k.line < first {
			continue
		}
		delete(in.copies, id)
		in.report.Conversations--
		in.report.Messages -= k.messages
		in.lines++
		if err := in.keep(Line{Replaces: k.line}); err != nil {
			return err
		}
	}
	return nil
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
