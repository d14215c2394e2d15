package openai

import (
	"cmp"
	"encoding/json"
)

// Names are the members by which clients name a conversation or a person. A member of
// another type than a string counts as absent: it is left to the upstream.
type Names struct {
	// CacheKey is "prompt_cache_key". Some clients send the id of the conversation, others
	// a name that all their conversations share.
	CacheKey         string
	User             string
	SafetyIdentifier string
	Metadata         struct{ SessionID, ConversationID, ChatID, ThreadID, UserID string }
}

// Conversation is the id of the conversation in "metadata"; "" for none.
func (n *Names) Conversation() string {
	m := &n.Metadata
	return cmp.Or(m.SessionID, m.ConversationID, m.ChatID, m.ThreadID)
}

// Person is the client's name for its user; "" for none.
func (n *Names) Person() string { return cmp.Or(n.User, n.SafetyIdentifier, n.Metadata.UserID) }

// read takes the names of one member of a request.
func (n *Names) read(member string, value []byte) {
	switch member {
	case "prompt_cache_key":
		n.CacheKey = textOf(value)
	case "user":
		n.User = textOf(value)
	case "safety_identifier":
		n.SafetyIdentifier = textOf(value)
	case "metadata":
		var fields map[string]json.RawMessage
		_ = json.Unmarshal(value, &fields)
		m := &n.Metadata
		for name, at := range map[string]*string{
			"session_id": &m.SessionID, "conversation_id": &m.ConversationID, "chat_id": &m.ChatID, "thread_id": &m.ThreadID, "user_id": &m.UserID,
		} {
			*at = textOf(fields[name])
		}
	}
}

// textOf is a JSON string; "" for any other value.
func textOf(value []byte) (text string) {
	_ = json.Unmarshal(value, &text)
	return text
}
