package curate

import (
	"time"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/session"
)

// mostSamples is how many sentences a dry run shows.
const mostSamples = 20

// Sample is a sentence that a forgetting would erase.
type Sample struct {
	Text      string       `json:"text"`
	SessionID session.ID   `json:"session_id"`
	Seq       int64        `json:"seq"`
	Role      session.Role `json:"role"`
	SaidAt    time.Time    `json:"said_at"`
}

// sample adds the sentences of a message that name the thing to the samples of a dry run. text
// is the content of the message before its redaction.
func (x *redaction) sample(m *session.Message, text string) {
	if !x.out.DryRun {
		return
	}
	for _, s := range language.Sentences(text) {
		if len(x.out.Samples) >= mostSamples {
			return
		}
		if sentence := text[s.Start:s.End]; x.thing.In(sentence) {
			x.out.Samples = append(x.out.Samples, Sample{sentence, m.SessionID, m.Seq, m.Role, m.SaidAt})
		}
	}
}
