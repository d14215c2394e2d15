package discord

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// Bounds of the search for a message.
const (
	findAmong  = 100       // the newest messages of a channel
	findWithin = time.Hour // an older message with the same text may be another one
	maxSent    = 1000
)

// sent remembers which messages this process has sent, so that none is found for another.
type sent struct {
	mu    sync.Mutex
	of    map[string]string // by the message's id: Out.ID
	order []string
}

func (s *sent) add(message, out string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = make(map[string]string)
	}
	if _, ok := s.of[message]; !ok {
		s.order = append(s.order, message)
	}
	s.of[message] = out
	if len(s.order) > maxSent {
		delete(s.of, s.order[0])
		s.order = s.order[1:]
	}
}

func (s *sent) get(message string) (out string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out, ok = s.of[message]
	return out, ok
}

// Find looks for a message among the newest of its channel: by its nonce, where Discord
// shows it, else by its text, buttons and the message that it answers.
func (a *Adapter) Find(ctx context.Context, o *gateway.Out) (gateway.MessageID, bool, error) {
	channel := channelOf(o.Place)
	if !isID(channel) {
		return "", false, refused("The place is not a channel of Discord.")
	}
	found, err := a.messages(ctx, channel, "", findAmong)
	if err != nil {
		return "", false, inThread(o.Place, err)
	}
	for i := range found.list {
		if m := &found.list[i]; a.isSent(m, o) {
			a.sent.add(m.ID, o.ID)
			return gateway.MessageID(m.ID), true, nil
		}
	}
	return "", false, nil
}

// isSent reports whether a message of a channel is the one that was to be sent.
func (a *Adapter) isSent(m *message, o *gateway.Out) bool {
	if m.Author.ID != a.account || m.ID == string(o.Replaces) {
		return false
	}
	if out, ok := a.sent.get(m.ID); ok {
		return out == o.ID
	}
	if nonce := textOf(m.Nonce); nonce != "" {
		return nonce == nonceOf(o)
	}
	return a.isNear(m, o) && sameText(m.Content, contentOf(o)) && sameShape(m, o)
}

// isNear reports whether an equal message is the same one: it answers the same message, or
// is not old.
func (a *Adapter) isNear(m *message, o *gateway.Out) bool {
	if ref := m.Reference; ref != nil && o.ReplyTo != "" && ref.MessageID == string(o.ReplyTo) {
		return true
	}
	return a.cfg.Now().Sub(idTime(m.ID)) < findWithin
}

func sameText(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }

// sameShape compares what stands around a text.
func sameShape(m *message, o *gateway.Out) bool {
	var ids []string
	for _, row := range m.Components {
		for _, b := range row.Components {
			ids = append(ids, b.CustomID)
		}
	}
	want := make([]string, len(o.Buttons))
	for i := range o.Buttons {
		want[i] = o.Buttons[i].ID
	}
	answers := "" // a message that was deleted is no more answered
	if m.Reference != nil {
		answers = m.Reference.MessageID
	}
	sameReply := answers == "" || answers == string(o.ReplyTo)
	return slices.Equal(ids, want) && sameReply && (len(m.Attachments) > 0) == (o.File != nil)
}

// textOf reads a nonce: a text or a number.
func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
