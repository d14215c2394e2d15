package session

// Spoken are the messages of a conversation: all but those of turns that this server took
// for itself, and the results of the calls in them. The turns' messages stand together.
func Spoken(ms []Message) []Message {
	spoken, _ := divided(ms)
	return spoken
}

// Asides are the messages that [Spoken] leaves out.
func Asides(ms []Message) []Message {
	_, asides := divided(ms)
	return asides
}

// Aside reports whether a message was said in a turn that this server took for itself.
func (m *Message) Aside() bool { return m.Note == AsideNote }

// divided copies nothing in the usual case, in which all messages are spoken.
func divided(ms []Message) (spoken, asides []Message) {
	if !Any(ms, (*Message).Aside) {
		return ms, nil
	}
	spoken = make([]Message, 0, len(ms))
	aside := false
	for i := range ms {
		if m := &ms[i]; m.Role != Tool { // a result belongs to the message before it
			aside = m.Aside()
		}
		if aside {
			asides = append(asides, ms[i])
		} else {
			spoken = append(spoken, ms[i])
		}
	}
	return spoken, asides
}
