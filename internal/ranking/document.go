// Package ranking finds the messages of a scope that answer a question.
//
// It uses words, dates, speakers and neighbours; it knows neither facts nor storage. It
// is deterministic and explainable: the same messages and question give the same order,
// and every score can be broken down.
package ranking

import (
	"time"

	"github.com/hermes-memory/hermes/internal/session"
)

// Document is a message in the form for ranking.
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
	// Tainted says that the message is, or may repeat, text of another program.
	Tainted bool
}

// Outside reports whether the message is, or repeats, text of another program.
func (d *Document) Outside() bool {
	m := session.Message{Role: d.Role, Note: d.Note}
	return m.Outside()
}

// DocumentOf converts a stored message.
func DocumentOf(m *session.Message) Document {
	return Document{
		MessageID: m.ID, SessionID: m.SessionID, Root: m.RootID, Seq: m.Seq,
		Role: m.Role, Speaker: m.Name, Text: m.Content, Note: m.Note, SaidAt: m.SaidAt,
	}
}

// Query asks an [Index] for the messages that answer Text.
type Query struct {
	Text string
	// At is when the question is asked. "Last week" is relative to it.
	At time.Time
	// Limit is the maximum number of hits; 0 means 10.
	Limit int
	// Skip omits messages that the model is sent anyway. Nil omits none.
	Skip func(root session.ID, seq int64) bool
	// Undone reports messages that no longer stand. Nil reports none.
	Undone func(messageID int64) bool
	// Explain fills Hit.Reasons.
	Explain bool
	// Vector is the vector of Text; nil ranks by words alone. [Index.Search] ignores
	// it; [Meanings.Near] and [Fuse] use it.
	Vector []float32
}

// Hit is one ranked message.
type Hit struct {
	MessageID int64
	SessionID session.ID
	Root      session.ID
	Seq       int64
	// Words is the length of the message in words, up to 65,535.
	Words int
	// Score is higher for better hits. The first hit's score approximates the log odds
	// that the scope holds an answer; below 0 it probably does not.
	Score   float64
	Reasons []Reason // the parts of Score, weightiest first; nil unless requested
}

// Reason is one part of a hit's score.
type Reason struct {
	Feature string  // "words", "window", "speaker", "date", "session", "time"…
	Value   float64 // how strongly the feature is present, mostly from 0 to 1
	Weight  float64 // its part of the score: the value times its weight
	Detail  string  // for people: the words that matched, the date that fits…
}
