// Package ranking finds the messages of a scope that answer a question.
//
// It knows words, dates, speakers and neighbours, and nothing of facts or of
// storage. It is deterministic and explainable: the same messages and the same
// question give the same order, and every score can be taken apart.
package ranking

import (
	"time"

	"github.com/hermes-memory/hermes/internal/session"
)

// Document is a message as ranking sees it.
type Document struct {
	MessageID int64
	SessionID session.ID
	Root      session.ID
	Seq       int64
	Role      session.Role
	Speaker   string
	Text      string
	Note      string // session.Message.Note
	SaidAt    time.Time
}

// Outside reports whether it is, or shows, text of another program.
func (d *Document) Outside() bool {
	m := session.Message{Role: d.Role, Note: d.Note}
	return m.Outside()
}

// DocumentOf is the view of a stored message.
func DocumentOf(m *session.Message) Document {
	return Document{
		MessageID: m.ID, SessionID: m.SessionID, Root: m.RootID, Seq: m.Seq,
		Role: m.Role, Speaker: m.Name, Text: m.Content, Note: m.Note, SaidAt: m.SaidAt,
	}
}

// Query asks an [Index] for the messages that answer Text.
type Query struct {
	Text string
	// At is when the question is asked: "last week" is counted from it.
	At time.Time
	// Limit is how many hits at most; 0 means 10.
	Limit int
	// Skip leaves out messages the model sees anyway. Nil skips none.
	Skip func(root session.ID, seq int64) bool
	// Explain fills Hit.Reasons.
	Explain bool
	// Vector is the meaning of Text, if it is known; nil asks by words alone.
	// [Index.Search] does not look at it: [Meanings.Near] and [Fuse] do.
	Vector []float32
}

// Hit is one ranked message.
type Hit struct {
	MessageID int64
	SessionID session.ID
	Root      session.ID
	Seq       int64
	// Words is how long the message is, up to 65,535.
	Words int
	// Score is higher for better. The first hit's is about the logarithm of the
	// odds that the scope holds an answer: below 0 rather not.
	Score   float64
	Reasons []Reason // why it ranked, the weightiest first; nil unless asked
}

// Reason is one part of a hit's score.
type Reason struct {
	Feature string  // "words", "window", "speaker", "date", "session", "time"…
	Value   float64 // how strongly the feature is present, mostly from 0 to 1
	Weight  float64 // its share of the score: the value times what it counts
	Detail  string  // for people: the words that matched, the date that fits…
}
