package gateway

import (
	"slices"
	"time"
	"unicode/utf8"
)

// How long messages are gathered into one turn.
const (
	// gatherFor is how long the next message of the same person is waited for.
	gatherFor = 800 * time.Millisecond
	// gatherPaste is the same after a message that is as long as clients cut a paste.
	gatherPaste = 2 * time.Second
	gatherAlbum = time.Second
	// gatherMost bounds the wait, from the first message on.
	gatherMost = 10 * time.Second
	// pasteLength is the length from which a message may be a piece of a paste, in
	// characters.
	pasteLength = 4000
	// mostEvents is how many messages a turn takes.
	mostEvents = 50
)

// batch is what a chat does next.
type batch struct {
	// run is the turn that has taken the events; "" if they wait for one.
	run string
	// events are the messages of the turn.
	events []Inbound
	// received are the files of the events, in the same order; nil before they are fetched.
	received [][]received
	// edits have changed messages of the turn; late came after the turn of their message
	// had begun.
	edits, late []Inbound
	// alone says that the chat had no other open events when they were read.
	alone bool
	// fresh says that the events were taken just now: no earlier try can have sent a part of the answer.
	fresh bool
	// moves is how often a chat had got another id when the chat of the batch was read.
	moves int
	// accepted says that the turn has stored the messages.
	accepted bool
	// ready is when the turn begins.
	ready time.Time
}

// names are the names of all events that the turn answers.
func (b *batch) names() []EventName {
	var out []EventName
	for _, list := range [][]Inbound{b.events, b.edits} {
		for i := range list {
			out = append(out, list[i].name())
		}
	}
	return out
}

// size is how many events of the chat the batch is about.
func (b *batch) size() int { return len(b.events) + len(b.edits) + len(b.late) }

// nextBatch is what a chat with some open events does next. Its messages are in the order in which
// they were said, by the platform's clock, since the requests of a webhook overtake each other.
// Where the clock counts whole seconds, the order of arrival stays.
func nextBatch(open []Inbound) batch {
	b := gathered(open)
	slices.SortStableFunc(b.events, func(x, y Inbound) int { return x.At.Compare(y.At) })
	return b
}

// gathered are the open events that a chat works on next. The events of a turn that has
// begun come first. Then come the messages of the person who waits longest, up to the first
// message of another person, or to a command that waits for them: no further message is waited
// for then.
func gathered(open []Inbound) batch {
	var b batch
	for i := range open {
		e := &open[i]
		if e.State == Taken && (b.run == "" || b.run == e.Run) {
			b.run = e.Run
			b.add(e)
		}
	}
	if b.run != "" {
		return b
	}
	for i := range open {
		e := &open[i]
		if isCommand(&e.Event) {
			if e.waits() {
				return b
			}
			continue
		}
		if e.State != Waiting {
			continue
		}
		if e.Kind != Edited && len(b.events) > 0 && e.From.ID != b.events[0].From.ID {
			break
		}
		if len(b.events) == mostEvents {
			break
		}
		b.add(e)
	}
	b.ready = readyAt(b.events)
	return b
}

// add adds an event to a batch. An edit changes the message that it is about.
func (b *batch) add(e *Inbound) {
	if e.Kind != Edited {
		b.events = append(b.events, *e)
		return
	}
	i := slices.IndexFunc(b.events, func(m Inbound) bool { return m.Message == e.Message })
	if i < 0 {
		b.late = append(b.late, *e)
		return
	}
	b.events[i].Text, b.events[i].Erased = e.Text, b.events[i].Erased || e.Erased
	b.edits = append(b.edits, *e)
}

// readyAt is when no further message is waited for.
func readyAt(events []Inbound) time.Time {
	if len(events) == 0 {
		return time.Time{}
	}
	first, last := &events[0], &events[len(events)-1]
	wait := gatherFor
	switch {
	case len(events) == mostEvents:
		wait = 0
	case utf8.RuneCountInString(last.Text) >= pasteLength:
		wait = gatherPaste
	case last.Album != "":
		wait = gatherAlbum
	}
	ready, most := last.ReceivedAt.Add(wait), first.ReceivedAt.Add(gatherMost)
	if most.Before(ready) {
		return most
	}
	return ready
}
