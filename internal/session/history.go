package session

import "crypto/sha256"

// Histories sets the History of each message of a conversation that is sent from its
// beginning. Calls and their results are no part of the histories after the answer that
// they led to: many clients leave them out when they send the conversation again.
func Histories(ms []Message) {
	for i := range ms {
		ms[i].History = HistoryAfter(ms[:i], &ms[i])
	}
}

// HistoryAfter is the History of a message that follows others.
func HistoryAfter(before []Message, m *Message) []byte {
	last := len(before) - 1
	if !inLoop(m) {
		for last >= 0 && inLoop(&before[last]) {
			last--
		}
	}
	if last < 0 {
		return NextHistory(nil, m)
	}
	return NextHistory(before[last].History, m)
}

// inLoop reports whether a message calls a tool, or is a result of one.
func inLoop(m *Message) bool { return m.Role == Tool || len(m.ToolCalls) > 0 }

// NextHistory is the hash of a history and one more message: of its role, its meaning, and
// whether it makes or answers a call.
func NextHistory(before []byte, m *Message) []byte {
	meaning := m.Meaning()
	text := make([]byte, 0, len(before)+len(m.Role)+len(m.ToolCallID)+len(meaning)+4)
	text = append(text, before...)
	for _, part := range [...]string{string(m.Role), m.ToolCallID, meaning} {
		text = append(append(text, part...), 0)
	}
	if len(m.ToolCalls) > 0 {
		text = append(text, 1)
	}
	sum := sha256.Sum256(text)
	return sum[:]
}

// minExchange is the size of a part of a conversation, in runes, from which on it is hardly
// part of several.
const minExchange = 40

// Exchange is the hash of the newest exchanges of a conversation, with an answer at their
// end: as many as it takes to tell it from others, at least one. An exchange begins with a
// message of the user. The result is nil if all of the messages say too little.
func Exchange(before []Message, answer *Message) []byte {
	size := answer.Length()
	for from := len(before) - 1; from >= 0; from-- {
		m := &before[from]
		if inLoop(m) {
			continue
		}
		size += m.Length()
		if m.Role == User && size >= minExchange {
			return NextHistory(hashOf(before[from:]), answer)
		}
	}
	return nil
}

// hashOf is the history of a part of a conversation, without calls and their results.
func hashOf(ms []Message) (hash []byte) {
	for i := range ms {
		if !inLoop(&ms[i]) {
			hash = NextHistory(hash, &ms[i])
		}
	}
	return hash
}
