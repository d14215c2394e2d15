package session

import (
	"crypto/sha256"
	"strings"
	"unicode/utf8"
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
	text := make([]byte, 0, len(before)+len(m.Role)+len(m.ToolCallID)+len(m.Content)+4)
	text = append(text, before...)
	for _, part := range [...]string{string(m.Role), m.ToolCallID, strings.TrimSpace(m.Content)} {
		text = append(append(text, part...), 0)
	}
	if len(m.ToolCalls) > 0 {
		text = append(text, 1)
	}
	sum := sha256.Sum256(text)
	return sum[:]
}

// minExchange is the size of an exchange, in runes, from which on it is hardly part of
// several conversations.
const minExchange = 40

// Exchange is the hash of the messages from the user's last one on; nil if they have no
// message of a user, or say too little to be told from other conversations.
func Exchange(ms []Message) []byte {
	from := len(ms) - 1
	for from >= 0 && ms[from].Role != User {
		from--
	}
	if from < 0 {
		return nil
	}
	var hash []byte
	size := 0
	for i := from; i < len(ms); i++ {
		hash = NextHistory(hash, &ms[i])
		size += utf8.RuneCountInString(ms[i].Content)
	}
	if size < minExchange {
		return nil
	}
	return hash
}
