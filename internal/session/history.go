package session

import (
	"crypto/sha256"
	"strings"
)

// Histories sets the History of each message of a conversation that is sent from its
// beginning.
func Histories(ms []Message) {
	var before []byte
	for i := range ms {
		ms[i].History = NextHistory(before, &ms[i])
		before = ms[i].History
	}
}

// NextHistory is the hash of a history and one more message. Clients rebuild the messages
// that they send again, so only their meaning counts: role, text, and whether they make or
// answer a call.
func NextHistory(before []byte, m *Message) []byte {
	h := sha256.New()
	h.Write(before)
	for _, part := range []string{string(m.Role), m.ToolCallID, strings.TrimSpace(m.Content)} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	if len(m.ToolCalls) > 0 {
		h.Write([]byte{1})
	}
	return h.Sum(nil)
}
