package gateway

// What becomes of an event can depend on the events before it, as they are stored: an edit or a deletion is judged by what has
// become of its message. Events that come together are therefore cut into parts, which are stored one after the other.

// parts cuts events before each one that is about another one of its part. Nearly always all events are one part.
func parts(events []Event) [][]Event {
	var out [][]Event
	first := 0
	for i := range events {
		if events[i].isAboutOneOf(events[first:i]) {
			out = append(out, events[first:i])
			first = i
		}
	}
	return append(out, events[first:])
}

// isAboutOneOf reports whether an event changes what becomes of one of the events before it: it is about the same message, or
// its chat gets another id. A platform may not tell the thread of a deleted message.
func (e *Event) isAboutOneOf(before []Event) bool {
	switch e.Kind {
	case Edited, Deleted, Moved:
	case Said, Called, Pressed, Failed, Arrived:
		return false
	}
	for i := range before {
		if before[i].Place.Chat == e.Place.Chat && (e.Kind == Moved || before[i].Message == e.Message) {
			return true
		}
	}
	return false
}
