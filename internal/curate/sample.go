package curate

import (
	"cmp"
	"time"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/session"
)

// mostSamples is how many sentences, and how many sessions, a dry run shows if nothing else is asked for.
const mostSamples = 20

// Sample is a sentence that a forgetting would erase.
type Sample struct {
	Text      string       `json:"text"`
	SessionID session.ID   `json:"session_id"`
	Seq       int64        `json:"seq"`
	Role      session.Role `json:"role"`
	SaidAt    time.Time    `json:"said_at"`
}

// WholeSession is a session that a forgetting would delete with all its messages.
type WholeSession struct {
	SessionID session.ID  `json:"session_id"`
	Key       session.Key `json:"session_key,omitempty"`
	Title     string      `json:"title,omitempty"`
	Messages  int         `json:"messages"`
}

// listing is what a dry run lists.
type listing struct {
	most int
	// Samples are the first sentences that would be erased, SampleCount is how many there are. Those of sessions that go whole are
	// not among them.
	Samples     []Sample `json:"samples,omitempty"`
	SampleCount int      `json:"samples_total,omitempty"`
	// Whole are the first sessions that would go whole, WholeCount is how many there are.
	Whole      []WholeSession `json:"whole_sessions,omitempty"`
	WholeCount int            `json:"whole_sessions_total,omitempty"`
}

// listed is a list of a number of entries at most; of the usual number for 0.
func listed(most int) listing { return listing{most: cmp.Or(most, mostSamples)} }

// add adds the list of a part.
func (l *listing) add(part *listing) {
	l.Samples = upTo(append(l.Samples, part.Samples...), l.most)
	l.Whole = upTo(append(l.Whole, part.Whole...), l.most)
	l.SampleCount += part.SampleCount
	l.WholeCount += part.WholeCount
}

func upTo[T any](list []T, most int) []T { return list[:min(len(list), most)] }

// sample adds the sentences of a message that name the thing to the samples of a dry run. text
// is the content of the message before its redaction.
func (x *redaction) sample(m *session.Message, text string) {
	if !x.out.DryRun {
		return
	}
	for _, s := range language.Sentences(text) {
		sentence := text[s.Start:s.End]
		if !x.thing.In(sentence) {
			continue
		}
		if x.out.SampleCount++; len(x.out.Samples) < x.out.most {
			x.out.Samples = append(x.out.Samples, Sample{sentence, m.SessionID, m.Seq, m.Role, m.SaidAt})
		}
	}
}

// listWhole adds a session with a number of messages to those that a dry run says would go whole.
func (l *listing) listWhole(s *session.Session, messages int) {
	if l.WholeCount++; len(l.Whole) < l.most {
		l.Whole = append(l.Whole, WholeSession{SessionID: s.ID, Key: s.Key, Title: s.Title, Messages: messages})
	}
}
