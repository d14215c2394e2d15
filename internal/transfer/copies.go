package transfer

import (
	"cmp"
	"crypto/sha256"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
)

// Line is a line of an import, as it is given to keep.
type Line struct {
	// Text is the line or its beginning, valid until keep returns. WriteTo writes all of it;
	// nothing if a line is only taken back.
	Text []byte
	rest *bulk
	// Started is when its conversation began.
	Started time.Time
	// Replaces is the number of the line that this one replaces; -1 for none.
	Replaces int
}

// WriteTo implements io.WriterTo.
func (l Line) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(l.Text)
	if err != nil || l.rest == nil {
		return int64(n), err
	}
	more, err := l.rest.WriteTo(w)
	return int64(n) + more, err
}

// copies are the conversations that were read. Of a conversation that the input has several
// times, as old and new exports in one directory do, the newest copy counts, in whichever
// order they are read: otherwise an old one would undo what a newer one told.
//
// A copy counts only once its file was read to the end, where its checksum stands. Until
// then, it replaces no copy of another file: that one may be the only sound one.
type copies struct {
	sound map[copyID]kept // of files that were read
	open  map[copyID]kept // of the file that is being read
	// keys says how many of the conversations that count bring a session key.
	keys map[string]int
}

func newCopies() copies {
	return copies{make(map[copyID]kept), make(map[copyID]kept), make(map[string]int)}
}

// kept is the copy of a conversation that counts so far.
type kept struct {
	line     int   // its number
	changed  int64 // when the other program changed it last; 0 if that is unknown
	last     int64 // when its newest message was said; 0 if none has a time
	messages int
	retimed  int    // messages that were given a time
	left     *tally // what was left out of it, or not understood in it
	key      string // the session key that it brings; "" for that of the import
	file     int64  // when its file was written
	// where is its place, if there is another copy in a file that was read.
	where string
}

// copyID stands for the name of a conversation.
type copyID [12]byte

func copyIDOf(name string) (id copyID) {
	sum := sha256.Sum256([]byte(name))
	copy(id[:], sum[:])
	return id
}

// keepArchived keeps a line of an export of this program, whatever else has its id.
func (in *reading) keepArchived(line Line, now *kept) error {
	now.line = in.lines
	in.copies.open[copyIDOf(strconv.Itoa(in.lines))] = *now
	return in.keepLine(line, now)
}

// keepNewest keeps the line of a conversation, unless a copy that is as new is kept already.
func (in *reading) keepNewest(c *Conversation, now kept, where string) error {
	id := copyIDOf(sessionID(c.System, c.ID))
	now.line = in.lines
	sound, twice := in.copies.sound[id]
	if twice {
		now.where = where
	}
	before, again := in.copies.open[id]
	if twice && !now.newer(sound) || again && !now.newer(before) {
		in.report.less(now.left)
		in.report.omit(olderCopy, where)
		return nil
	}
	replaces := -1
	if again { // both have the fate of their file
		in.discount(before, where)
		replaces = before.line
	}
	in.copies.open[id] = now
	return in.keepLine(Line{Text: in.line, rest: in.body, Started: c.Started, Replaces: replaces}, &now)
}

// olderCopy is why a copy is left out.
const olderCopy = "older or equal copy of a conversation"

// discount takes a copy that was replaced out of the report.
func (in *reading) discount(k kept, where string) {
	in.report.omit(olderCopy, where)
	in.uncount(k)
}

func (in *reading) uncount(k kept) {
	in.found(&k, -1)
	in.report.less(k.left)
}

// found counts a conversation that is given to the import once, or takes it back.
func (in *reading) found(k *kept, once int) {
	in.report.Conversations += once
	in.report.Messages += once * k.messages
	in.report.Retimed += once * k.retimed
	if k.key != "" {
		in.copies.keys[k.key] += once
	}
}

// ownKeys are the session keys that the conversations bring, those of the most conversations first.
func (c *copies) ownKeys() []SessionKey {
	keys := []SessionKey{}
	for key, n := range c.keys {
		if n > 0 {
			keys = append(keys, SessionKey{key, n})
		}
	}
	slices.SortFunc(keys, func(a, b SessionKey) int {
		return cmp.Or(cmp.Compare(b.Conversations, a.Conversations), cmp.Compare(a.Key, b.Key))
	})
	return keys[:min(len(keys), MaxProblems)]
}

// settle lets the copies of a file count, now that the file was read. They are newer than the
// ones that they replace.
func (in *reading) settle() error {
	open := in.copies.open
	in.copies.open = make(map[copyID]kept)
	for _, id := range slices.SortedFunc(maps.Keys(open), func(a, b copyID) int { return open[a].line - open[b].line }) {
		older, twice := in.copies.sound[id]
		newest := open[id]
		newest.where = ""
		in.copies.sound[id] = newest
		if !twice {
			continue
		}
		in.discount(older, open[id].where)
		if err := in.takeBack(older); err != nil {
			return err
		}
	}
	return nil
}

// drop takes back the copies of the file that is being read.
func (in *reading) drop() error {
	open := in.copies.open
	in.copies.open = make(map[copyID]kept)
	for _, k := range open {
		in.uncount(k)
		if err := in.takeBack(k); err != nil {
			return err
		}
	}
	return nil
}

// takeBack takes back a line.
func (in *reading) takeBack(k kept) error {
	in.lines++
	return in.keep(Line{Replaces: k.line})
}

// spoilt reports whether an error says that nothing of a file can be trusted.
func spoilt(err error) bool { return fault.CodeOf(err) == corrupt }

// newer reports whether a copy is newer than another one: by when the program changed the conversation, by
// what was said, and of two with the same messages, which may have been edited, by their files.
func (k kept) newer(other kept) bool {
	if k.changed == 0 || other.changed == 0 {
		k.changed, other.changed = 0, 0
	}
	return cmp.Or(
		cmp.Compare(k.changed, other.changed), cmp.Compare(k.last, other.last), cmp.Compare(k.messages, other.messages),
		cmp.Compare(k.file, other.file),
	) > 0
}

// keepLine keeps a line.
func (in *reading) keepLine(line Line, k *kept) error {
	in.lines++
	in.found(k, 1)
	return in.keep(line)
}
