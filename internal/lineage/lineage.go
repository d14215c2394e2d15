// Package lineage owns the state of a lineage between its messages: the lock on its
// turns, its cache, how messages are added, and the content of one transaction. It
// knows neither models nor prompts.
package lineage

import (
	"time"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
)

// Lineage is the state of a lineage that a turn needs. Only the holder of its turn
// reads and changes it.
type Lineage struct {
	Tip session.Session
	// Exists is false until the first message is stored.
	Exists bool
	// Recent are the newest standing messages of the lineage, oldest first: the tail,
	// and some older messages by which a resent history is recognized.
	Recent []session.Message
	// Last is the hash of the newest message, standing or undone.
	Last []byte
	// loaded says that Tip, Last and Recent agree with the store.
	loaded bool
	// bare says that Recent was not loaded, because it is large and not always needed.
	bare bool
	// version is that of the scope when the lineage was read, or after its newest step. It is
	// used if other processes write, too.
	version memory.Version
}

// Past is a lineage as it was at an earlier time, or one that is not stored. It belongs
// to no queue, and nothing is written to it.
func Past(tip session.Session, recent []session.Message) *Lineage {
	return &Lineage{Tip: tip, Exists: len(recent) > 0, Recent: recent, loaded: true}
}

// Stale makes the next turn read the lineage from the store again.
func (l *Lineage) Stale() { l.loaded = false }

// Clear empties the state of a deleted lineage.
func (l *Lineage) Clear() { *l = Lineage{} }

// Tail returns the messages that are sent verbatim.
func (l *Lineage) Tail() []session.Message {
	for i := range l.Recent {
		if l.Recent[i].Seq >= l.Tip.TailFrom {
			return session.Spoken(l.Recent[i:])
		}
	}
	return nil
}

const (
	// MaxRecent bounds the number of cached messages of a lineage, and so its tail.
	MaxRecent = 512
	// MaxRecentBytes bounds their texts. The oldest cached message is the one with
	// which the texts reach this bound.
	MaxRecentBytes = 16 << 20
	// MinRecent is the number of messages that are kept to recognize a resent history.
	MinRecent = 32
	// maxIdle bounds the texts of a lineage that stay cached between turns, in bytes.
	// Larger ones are read again by the next turn that needs them.
	maxIdle = 1 << 20
)

// Remember appends stored messages and drops cached messages that no turn needs.
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

// heavy counts the oldest messages beyond MaxRecentBytes. The texts are summed from the
// newest message back.
func heavy(ms []session.Message) int {
	size := 0
	for i := len(ms) - 1; i > 0; i-- {
		if size += ms[i].Size(); size >= MaxRecentBytes {
			return i
		}
	}
	return 0
}

// rest drops the cached texts if they exceed maxIdle.
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
