package memory

import (
	"time"

	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// firstDay is when the test's messages begin: a Tuesday.
var firstDay = time.Date(2025, 3, 4, 10, 0, 0, 0, time.UTC)

// said is a user's message.
func said(text string) ranking.Document { return spoken(0, session.User, text) }

// spoken is a message of a lineage; each is a day after the one before.
func spoken(seq int64, role session.Role, text string) ranking.Document {
	return ranking.Document{
		MessageID: seq + 1, SessionID: "s", Root: "s", Seq: seq, Role: role, Text: text,
		SaidAt: firstDay.AddDate(0, 0, int(seq)),
	}
}

// conversation learns messages one after the other; "A: " and "T: " mark those
// of the assistant and of tools.
type conversation struct {
	state  *State
	before []ranking.Document
	seq    int64
}

func talk(texts ...string) (*conversation, Change) {
	c := &conversation{state: NewState()}
	return c, c.say(texts...)
}

// say adds messages and returns what the last one changed.
func (c *conversation) say(texts ...string) Change {
	var change Change
	for _, text := range texts {
		role := session.User
		switch {
		case len(text) > 3 && text[:3] == "A: ":
			role, text = session.Assistant, text[3:]
		case len(text) > 3 && text[:3] == "T: ":
			role, text = session.Tool, text[3:]
		}
		d := spoken(c.seq, role, text)
		c.seq++
		change = c.state.Learn(Distill(d, c.before))
		c.before = append([]ranking.Document{d}, c.before[:min(3, len(c.before))]...)
	}
	return change
}

// quarter counts tokens as a tokenizer would on average.
func quarter(s string) int { return (len(s) + 3) / 4 }
