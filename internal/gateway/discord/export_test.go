package discord

import (
	"context"
	"encoding/json"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// AwaitSessions sets how long a connection waits for its session.
func (a *Adapter) AwaitSessions(d time.Duration) *Adapter {
	a.readyTimeout = d
	return a
}

// ReadEvent reads the payload of an event.
func (a *Adapter) ReadEvent(ctx context.Context, name string, data []byte) (gateway.Event, bool, error) {
	r := &receiver{a: a, at: readPosition("")}
	return r.readOne(ctx, &arrival{name: name, data: data})
}

// CutMentions is cutMentions with the list as JSON. The bot has one role: 9 and its id.
func CutMentions(text, bot, list string) (string, bool) {
	var m []mentioned
	if json.Unmarshal([]byte(list), &m) != nil {
		return text, false
	}
	return cutMentions(text, []string{"@" + bot, "@!" + bot, "@&9" + bot}, &names{people: m})
}

// SessionOf is the session of a position, and the number of its last event.
func SessionOf(p gateway.Position) (session string, seq int) {
	at := readPosition(p)
	return at.Session, at.Seq
}
