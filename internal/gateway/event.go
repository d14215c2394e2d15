package gateway

import "time"

// Platform is the name of a service: "telegram", "discord", "slack", "whatsapp", or the
// name that a bridge gives itself at the generic webhook. It is a part of session keys.
type Platform string

// The platforms with an adapter.
const (
	Telegram Platform = "telegram"
	Discord  Platform = "discord"
	Slack    Platform = "slack"
	WhatsApp Platform = "whatsapp"
)

// Platforms are the platforms with an adapter, in the order in which they are shown.
func Platforms() []Platform { return []Platform{Telegram, Discord, Slack, WhatsApp} }

// ChatType says who can read a chat.
type ChatType string

// The types of chats.
const (
	// DM is a chat of one person with the bot.
	DM ChatType = "dm"
	// Group is a closed chat of several people.
	Group ChatType = "group"
	// Channel is a chat that belongs to a server, a workspace or an audience.
	Channel ChatType = "channel"
)

// Place is where messages are read and sent: a chat, or a thread of a chat.
type Place struct {
	Platform Platform
	// Account is the platform's id of the bot. One server may have several bots of a platform.
	Account string
	// Chat is the platform's id of the chat.
	Chat string
	// Thread is the platform's id of a thread in the chat; "" for none.
	Thread string
}

// MessageID is a platform's id of a message. It is unique in its chat.
type MessageID string

// Position is an adapter's own record of how far it has received. It is stored together
// with the events before it.
type Position string

// EventKind is the kind of an event.
type EventKind string

// The kinds of events.
const (
	// Said is a new message.
	Said EventKind = "said"
	// Edited is a message whose text has changed. Event.Text is the whole new text.
	Edited EventKind = "edited"
	// Deleted says that a message was deleted: Event.Message. Event.From may be empty.
	Deleted EventKind = "deleted"
	// Called is a command that the platform itself read, such as a slash command of
	// Discord. Event.Text is the command with its arguments: "/resume 2".
	Called EventKind = "called"
	// Pressed is a press of a button. Event.Button is the button's ID.
	Pressed EventKind = "pressed"
	// Moved says that a chat has another id now: Event.MovedTo.
	Moved EventKind = "moved"
	// Failed says that a message sent earlier was not delivered: Event.Sent and Event.Reason.
	Failed EventKind = "failed"
	// Arrived says that the platform has taken a message sent earlier: Event.Sent and
	// Event.Message.
	Arrived EventKind = "arrived"
)

// Event is one thing that happened on a platform.
type Event struct {
	// ID is the platform's id of the event, the same each time the platform sends it. It is
	// unique for an account.
	ID    string
	Kind  EventKind
	Place Place
	Type  ChatType
	// Title is the name of the chat; "" if it has none. It is text of strangers.
	Title string
	// Message is the id of the message; "" for an event without one.
	Message MessageID
	From    Sender
	// Text is what was said. Mentions of the bot are cut out, and the platform's own
	// escapes are undone.
	Text string
	// Addressed says that the message is meant for the bot: it was sent in a DM, mentions
	// the bot, answers it, or names it in a command.
	Addressed bool
	// Replied is the message that this one answers; nil for none. If the platform does not send its words, the gateway looks
	// them up by its id.
	Replied *Quoted
	// Under is the first message of the thread in which the answer stands, where a chat is one conversation with all
	// its threads; "" for none.
	Under MessageID `json:",omitempty"`
	// Forwarded is the message that was passed on; nil for none. Its words are not the
	// sender's.
	Forwarded *Quoted
	Files     []FileRef
	// Things are what people see in the message besides words and files, such as a location.
	Things []Thing
	// Album groups messages that were sent together; "" for none.
	Album string
	// Button is the ID of the pressed button.
	Button string
	// Interaction is what an answer to a command or a press must carry; "" for none.
	Interaction string
	// Mute says that the bot cannot write in the place: only what carries the interaction reaches a person.
	Mute    bool `json:",omitempty"`
	MovedTo string
	// Sent is the Out.ID of the message that failed or arrived.
	Sent string
	// Reason says why a message failed, in words for a person.
	Reason string
	// Closed says that the message failed because the platform takes only an answer now.
	Closed bool
	// Passing says that the message failed for a reason that may pass: another try may help.
	Passing bool
	// At is when it happened, by the platform's clock.
	At time.Time
	// Erased says that what was said was forgotten before it was answered. It is set by the store.
	Erased bool `json:",omitempty"`
	// Order says that an erased event was a command, or began like one.
	Order bool `json:",omitempty"`
}

// replyTo is the message that the answer to an event refers to in a chat: in a DM none but the first one of its
// thread, where nothing else can be meant.
func (e *Event) replyTo(t ChatType) MessageID {
	if t == DM {
		return e.Under
	}
	return e.Message
}

// refers reports whether a part of an answer names the message that it refers to: the first one, and in a DM each, which
// stands in its thread by that alone.
func refers(t ChatType, part int) bool { return part == 0 || t == DM }

// Sender is who sent a message.
type Sender struct {
	// ID is the platform's id of the person.
	ID string
	// Aliases are other ids of the same person.
	Aliases []string
	// Name is the display name. It is text of strangers.
	Name string
	// Zone is the name of the person's time zone; "" if the platform does not tell.
	Zone string
	// Admin says that a bridge knows the person as an admin.
	Admin bool
}

// Quoted is a message of which another one speaks.
type Quoted struct {
	Message MessageID
	Name    string // of the sender; "" if unknown
	Text    string
	// Mine says that the bot sent it.
	Mine bool
	// Held says that the conversation holds it anyway, so that the adapter has left its words out.
	Held bool `json:",omitempty"`
}

// FileKind is what a file is for the person who sent it.
type FileKind string

// The kinds of files.
const (
	Photo    FileKind = "photo"
	Voice    FileKind = "voice"
	Document FileKind = "document"
)

// FileRef is a file that the platform keeps.
type FileRef struct {
	// Ref is what the adapter needs to fetch it.
	Ref  string
	Kind FileKind
	// Name is the file's name; "" if it has none. It is text of strangers.
	Name string
	Mime string
	Size int64 // in bytes; 0 if unknown
}
