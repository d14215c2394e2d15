// Package lineage owns a lineage between its messages: the lock on its turns, its cache
// in memory, how messages join it, and the content of one transaction. It knows neither
// models nor prompts.
package lineage

import (
	"time"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/session"
)

// Lineage is what a turn needs to know of a lineage. Only the holder of its turn
// reads and changes it.
type Lineage struct {
	Tip session.Session
	// Exists is false until the first message is stored.
	Exists bool
	// Recent are the newest messages of the lineage that stand, oldest first: the
	// tail, and a little before it to recognise a history that a client resends.
	Recent []session.Message
	// Last is the hash of the newest message, whether it stands or not.
	Last []byte
	// loaded says that Tip, Last and Recent are true to the store.
	loaded bool
	// bare says that Recent was left out, because it is large and not always wanted.
	bare bool
}

// Past is a lineage as it was once, or as it never was stored. No queue hands it
// out, and nothing is written to it.
func Past(tip session.Session, recent []session.Message) *Lineage {
	return &Lineage{Tip: tip, Exists: len(recent) > 0, Recent: recent, loaded: true}
}

// Stale lets the next turn read the lineage from the store again.
func (l *Lineage) Stale() { l.loaded = false }

// Clear empties what is held of a lineage that was deleted.
func (l *Lineage) Clear() { *l = Lineage{} }

// Tail returns the messages that are sent verbatim.
func (l *Lineage) Tail() []session.Message {
	for i := range l.Recent {
		if l.Recent[i].Seq >= l.Tip.TailFrom {
			return l.Recent[i:]
		}
	}
	return nil
}

const (
	// MaxRecent bounds the messages held of a lineage, and with it the tail.
	MaxRecent = 512
	// maxRecentBytes bounds their texts: a message with which they grow beyond it
	// is the oldest that is held.
	maxRecentBytes = 16 << 20
	// MinRecent is how many are kept for recognising a resent history.
	MinRecent = 32
	// maxIdle is how much the texts of a lineage may take between its turns, in
	// bytes. More are read again with the next turn that wants them.
	maxIdle = 1 << 20
)

// Remember appends stored messages and lets go of what no turn will look at.
func (l *Lineage) Remember(ms []session.Message) {
	if len(ms) > 0 {
		l.Last = ms[len(ms)-1].Hash
	}
	if l.bare {
		return
	}
	l.Recent = append(l.Recent, ms...)
	drop := 0
	for drop < len(l.Recent)-MinRecent && l.Recent[drop].Seq < l.Tip.TailFrom {
		drop++
	}
	drop = max(drop, len(l.Recent)-MaxRecent, heavy(l.Recent))
	if drop > len(l.Recent)/2 || len(l.Recent) > MaxRecent || heavy(l.Recent) > 0 { // copy rarely
		l.Recent = append(make([]session.Message, 0, len(l.Recent)-drop+MinRecent), l.Recent[drop:]...)
	}
}

// heavy is how many of the oldest messages stand before the one with which the
// texts, counted from the newest, reach maxRecentBytes.
func heavy(ms []session.Message) int {
	size := 0
	for i := len(ms) - 1; i > 0; i-- {
		if size += ms[i].Size(); size >= maxRecentBytes {
			return i
		}
	}
	return 0
}

// rest lets go of texts that are too many to be held between turns.
func (l *Lineage) rest() {
	size := 0
	for i := range l.Recent {
		size += l.Recent[i].Size()
	}
	if size > maxIdle {
		l.Recent, l.bare = nil, true
	}
}

// Fold opens a child session with a shorter tail and returns the ended parent.
// The caller stores both.
func (l *Lineage) Fold(folded *compression.Folded, now time.Time) *session.Session {
	parent := l.Tip
	parent.EndedAt, parent.EndReason = now, session.EndCompression
	child := parent
	child.ID, child.ParentID, child.Generation = session.NewID(now), parent.ID, parent.Generation+1
	child.StartedAt, child.LastActive = now, now
	child.EndedAt, child.EndReason = time.Time{}, ""
	child.MessageCount, child.ToolCallCount, child.InputTokens, child.OutputTokens = 0, 0, 0, 0
	child.TailFrom, child.Summary = folded.TailFrom, folded.Summary
	l.Tip = child
	return &parent
}
