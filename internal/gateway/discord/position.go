package discord

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// maxSeen is how many channels a position has: those with the newest messages.
const maxSeen = 200

// position is how far events are committed.
type position struct {
	// Session, Resume and Seq continue the session at the gateway.
	Session string `json:"session,omitempty"`
	Resume  string `json:"resume,omitempty"`
	Seq     int    `json:"seq,omitempty"`
	// Seen has the newest message of each channel, for the time after a lost session.
	Seen map[string]string `json:"seen,omitempty"`
}

// readPosition reads a stored position. One that cannot be read is none.
func readPosition(p gateway.Position) position {
	var out position
	if json.Unmarshal([]byte(p), &out) != nil || out.Seq < 0 {
		out = position{}
	}
	maps.DeleteFunc(out.Seen, func(channel, m string) bool { return !isID(channel) || !isID(m) })
	if out.Seen == nil {
		out.Seen = make(map[string]string)
	}
	return out
}

// text is the position as it is stored.
func (p *position) text() gateway.Position {
	text, err := json.Marshal(p)
	if err != nil { // cannot be: texts and a number
		return ""
	}
	return gateway.Position(text)
}

// lost takes the session away.
func (p *position) lost() { p.Session, p.Resume, p.Seq = "", "", 0 }

// begin goes over to a session.
func (p *position) begin(s *ready, seq int) { p.Session, p.Resume, p.Seq = s.Session, s.Resume, seq }

// resumable reports whether there is a session to continue.
func (p *position) resumable() bool { return p.Session != "" && p.Seq > 0 }

// see notes a message of a channel.
func (p *position) see(channel, m string) {
	if !isID(channel) || !isID(m) || compareIDs(m, p.Seen[channel]) <= 0 {
		return
	}
	p.Seen[channel] = m
	if len(p.Seen) <= maxSeen {
		return
	}
	oldest := channel
	for other, id := range p.Seen {
		if compareIDs(id, p.Seen[oldest]) < 0 {
			oldest = other
		}
	}
	delete(p.Seen, oldest)
}

// channels are the channels with a message, in order.
func (p *position) channels() []string {
	return slices.SortedFunc(maps.Keys(p.Seen), compareIDs)
}
