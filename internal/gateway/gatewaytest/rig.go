package gatewaytest

import (
	"log/slog"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// Harness makes a rig: a new fake platform, which ends with the test.
type Harness func(t *testing.T) *Rig

// Rig is a running fake of a platform, in words that fit all platforms. A function that
// is nil says that the platform has no such thing; its cases are left out.
type Rig struct {
	// Adapter makes a new adapter for the fake. Making it again is a restart. Its waits
	// after failures are short, and it logs to log.
	Adapter func(t *testing.T, log *slog.Logger) gateway.Adapter
	// Emit makes something happen on the platform, and returns the Event.ID that the
	// adapter must give to it, and the id of the message. While no adapter is connected, the
	// platform keeps the event.
	Emit func(t TB, a Act) (eventID string, m gateway.MessageID)
	// Replay delivers events once more, in the order given, acknowledged or not.
	Replay func(t TB, eventIDs ...string)
	// OnAck sets a function that is called for each event when the platform takes the event
	// for received, before the platform does anything else. nil: no acknowledgements.
	OnAck func(acked func(eventID string))
	// Cut breaks all connections of the adapter, once.
	Cut func()
	// Fault makes all requests to send or edit fail, until Fault(Healthy). Page, Unreachable
	// and BadToken concern all other requests, too.
	Fault func(f Fault)
	// Lacks are the faults that the platform does not know.
	Lacks []Fault
	// Sent returns the messages of the bot that the platform has taken, oldest first.
	Sent func() []Sent
	// Broken returns what the fake found wrong in the adapter's requests, such as a message
	// over the limit, or a request within a wait that the fake had asked for.
	Broken func() []string
	// Secrets must never be seen in an error or a log.
	Secrets []string
	// Threads says that chats of the type Group can have threads.
	Threads bool
	// Deletes says that the platform tells the bot of messages that people delete.
	Deletes bool
	// NoSizes says that the platform does not tell how large a file is.
	NoSizes bool
}

// Who is who acts.
type Who int

// Who can act.
const (
	// Person is a person. Act.Name names the person.
	Person Who = iota
	// Bot is the bot of the adapter.
	Bot
	// Robot is another bot.
	Robot
)

// Act is something that happens on a platform. Names are the test's own: the same name is
// always the same chat, person or thread.
type Act struct {
	// Kind is gateway.Said, gateway.Edited, gateway.Deleted or gateway.Pressed.
	Kind gateway.EventKind
	Type gateway.ChatType
	// Chat names the chat; in a DM it is the person's name.
	Chat string
	// Thread names a thread of the chat; "" for none.
	Thread string
	Who    Who
	Name   string
	Text   string
	// Mention puts a mention of the bot and a blank before the text.
	Mention bool
	// Message is the edited or deleted message, or the one whose button is pressed.
	Message gateway.MessageID
	// ReplyTo is the message that this one answers; "" for none.
	ReplyTo gateway.MessageID
	Button  string
	File    *gateway.File
	// FileKind is what the file is sent as; "" is a document. A voice message has no text.
	FileKind gateway.FileKind
}

// mime is the type of the file of an act.
func (a *Act) mime() string {
	switch a.FileKind {
	case gateway.Photo:
		return "image/png"
	case gateway.Voice:
		return "audio/ogg"
	case gateway.Document:
	}
	return "text/plain"
}

// Fault is a way in which a platform fails.
type Fault int

// The faults.
const (
	// Healthy: the platform does as it should.
	Healthy Fault = iota
	// Wait: the platform asks to wait for WaitTime, and has taken nothing.
	Wait
	// BadText: the platform says that it cannot read the text.
	BadText
	// GoneChat: the platform says that it does not know the chat any more.
	GoneChat
	// Refusal: the platform will never take this message.
	Refusal
	// Page: the answer is an HTML page with status 502, and nothing was taken.
	Page
	// Unreachable: no connection can be made.
	Unreachable
	// CutBefore: the connection ends without an answer, and nothing was taken.
	CutBefore
	// CutAfter: the message is taken, and the connection ends without an answer.
	CutAfter
	// BadToken: the token is refused, in all requests.
	BadToken
)

// WaitTime is how long the fault [Wait] asks to wait, in seconds.
const WaitTime = 7

// Sent is a message of the bot as the platform shows it.
type Sent struct {
	Message gateway.MessageID
	Place   gateway.Place
	// Text is the visible text, without markup.
	Text    string
	ReplyTo gateway.MessageID
	Buttons []gateway.Button
	File    *gateway.File
	// Edits is how often the message has changed.
	Edits int
	// At is when the platform took the message, and Changed when it took the newest text.
	At, Changed time.Time
}
