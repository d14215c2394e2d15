package gateway

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Store keeps what the gateway knows. Each method is one transaction, and durable when it
// returns without an error.
type Store interface {
	Inbox
	Journal
	Chats
	Outbox
	Rests
	People
}

// Inbox keeps the events of the platforms.
type Inbox interface {
	// CommitEvents stores events that are not stored yet, makes the chats that they need,
	// and stores the position behind them.
	CommitEvents(ctx context.Context, host owner.Owner, c Committed) (Kept, error)
	// BotPosition returns the stored position of a bot; "" for none.
	BotPosition(ctx context.Context, host owner.Owner, p Platform, account string) (Position, error)
	// OpenEvents returns the events of a chat that are not over, in the order they came, at most
	// limit.
	OpenEvents(ctx context.Context, o owner.Owner, at Place, limit int) ([]Inbound, error)
	// TakeEvents gives waiting events to a turn, and the chat its session if it has none. It
	// returns the chat. It fails with Conflict if one of the events does not wait, or if the chat
	// was not active lately enough.
	TakeEvents(ctx context.Context, o owner.Owner, t Taking) (Chat, error)
	// PlanCommand stores what a command is going to do, before it is done. A command that has a
	// plan keeps it: PlanCommand returns the stored one.
	PlanCommand(ctx context.Context, o owner.Owner, e EventName, plan string) (string, error)
	// NewestMessage returns the id of the message of a place that was stored last before a time.
	// If all came later, it is the first one; "" if none is stored. The text is not needed:
	// messages whose events are over count as well.
	NewestMessage(ctx context.Context, o owner.Owner, at Place, before time.Time) (MessageID, error)
	// SettleEvents ends events, and stores the messages that answer them. An event whose answer
	// was given up before, in part, becomes Lost in place of Answered. It fails with Conflict and the code
	// CodeMoved, and stores nothing, if an event is in another chat by now. alone says that the chat has no
	// other messages to be sent.
	SettleEvents(ctx context.Context, o owner.Owner, s Settlement) (alone bool, err error)
}

// Journal shows what became of events.
type Journal interface {
	// ChatEvent returns one event. NotFound if the owner has none of this name.
	ChatEvent(ctx context.Context, o owner.Owner, e EventName) (Inbound, error)
	// SaidEvents returns the events in which a message was said, in a chat with its threads.
	SaidEvents(ctx context.Context, o owner.Owner, at Place, m MessageID) ([]Inbound, error)
	// ChatEvents lists the newest events of an owner, newest first.
	ChatEvents(ctx context.Context, o owner.Owner, f EventFilter) ([]Inbound, error)
	// BotQueues counts what is not over in the chats of a bot that are an owner's.
	BotQueues(ctx context.Context, o owner.Owner, p Platform, account string) (Queues, error)
}

// Chats keeps the chats and their sessions.
type Chats interface {
	// Chat returns a chat. NotFound if the owner has none there.
	Chat(ctx context.Context, o owner.Owner, at Place) (Chat, error)
	// ListChats lists the chats of an owner, the last active first.
	ListChats(ctx context.Context, o owner.Owner, p Platform) ([]Chat, error)
	// LeadChat leads a chat to another session. It fails with Conflict if the chat's session is
	// no longer the one it is led from.
	LeadChat(ctx context.Context, o owner.Owner, at Place, from, to session.ID, notice string) error
	// MoveChat gives a chat, with its threads, another id. The old one is kept as Chat.Former. A chat that has the
	// other id already gets the key and the sessions of the one that moves, and keeps its events and messages.
	MoveChat(ctx context.Context, o owner.Owner, from Place, chat string) error
	// SetHome makes a chat the one to which jobs deliver that name no chat of its platform.
	SetHome(ctx context.Context, o owner.Owner, at Place) error
	// UnfinishedChats names the chats of all owners with events or messages that are not over.
	UnfinishedChats(ctx context.Context) ([]Due, error)
	// IdleChats names the chats of all owners with a session, that were active before a time.
	IdleChats(ctx context.Context, before time.Time) ([]Due, error)
}

// Outbox keeps the messages to be sent.
type Outbox interface {
	// AddSends stores messages. A message whose ID is stored already keeps its state, and
	// gets the new content.
	AddSends(ctx context.Context, o owner.Owner, list []Send) error
	// BeginSend stores a part of an answer that is being written, unless a message with its ID
	// is stored already: the whole answer may be there by now, and has more text.
	BeginSend(ctx context.Context, o owner.Owner, s Send) error
	// Sends returns the messages of a chat that are not over, in the order they were added.
	Sends(ctx context.Context, o owner.Owner, at Place, limit int) ([]Send, error)
	// MarkSend stores the state of a message: its State, Message, Attempts, WakeAt, Plain,
	// Error and SentAt. If the message is sent, and its stored text is no longer s.Text, the
	// state becomes ToEdit. If it is given up, the events whose turn it answers are Lost, with
	// Error as the reason; those whose turn is not over become so when they are settled.
	MarkSend(ctx context.Context, o owner.Owner, s *Send) error
	// SendsOf returns all messages of an origin, by part.
	SendsOf(ctx context.Context, o owner.Owner, at Place, origin string) ([]Send, error)
	// FindSend finds a message of a bot by its ID, or by the platform's id of it.
	FindSend(ctx context.Context, o owner.Owner, at Place, id string, message MessageID) (Send, error)
	// SweepChats erases events, messages, rests and pairings that ended before a time.
	SweepChats(ctx context.Context, before time.Time) error
}

// People keeps who may write to the bots.
type People interface {
	// Person returns what is known of a sender. NotFound if there is nothing.
	Person(ctx context.Context, host owner.Owner, p Platform, account, user string) (Person, error)
	// ListPeople lists the people of a platform; of all platforms for "".
	ListPeople(ctx context.Context, host owner.Owner, p Platform) ([]Person, error)
	// PutPerson stores a person.
	PutPerson(ctx context.Context, host owner.Owner, p Person) error
	// MovePerson gives somebody who was let in another id, for good: the old one is no longer
	// let in. It returns the person. NotFound if nobody of the old id was let in. Who was
	// let in with the new id before keeps that row.
	MovePerson(ctx context.Context, host owner.Owner, p Platform, account, from, to string) (Person, error)
	// DropPerson forgets a person. NotFound if there is none.
	DropPerson(ctx context.Context, host owner.Owner, p Platform, account, user string) error
}

// Committed are events to be stored together.
type Committed struct {
	Platform Platform
	Account  string
	Events   []Admitted
	// After is the position behind the events; "" leaves the stored one.
	After Position
	At    time.Time
}

// Kept is what was stored of events.
type Kept struct {
	Fresh int // how many were new
	// Alone is the one event, if only one was to be stored, is new, and is the only open one of its chat. nil
	// otherwise.
	Alone *Inbound
}

// Admitted is an event with what becomes of it.
type Admitted struct {
	Owner owner.Owner // whose chat it is
	Event Event
	State EventState // Waiting or Ignored
	// Reason says why it is ignored.
	Reason string
	// Keys are those of a new chat. An ignored event makes no chat.
	Keys Keys
}

// EventState is what has become of an event.
type EventState string

// The states of an event.
const (
	Waiting   EventState = "waiting"
	Taken     EventState = "taken" // by a turn that is not over
	Answered  EventState = "answered"
	Commanded EventState = "command"
	Ignored   EventState = "ignored"
	Lost      EventState = "failed"
)

// eventStates are all states of an event.
func eventStates() []EventState {
	return []EventState{Waiting, Taken, Answered, Commanded, Ignored, Lost}
}

// EventName names a stored event.
type EventName struct {
	Platform Platform
	Account  string
	ID       string
}

// Inbound is a stored event.
type Inbound struct {
	Event
	// Label is the sender's name in the chat. Of two people with one name, the second is
	// called "Alex (2)".
	Label string
	// Number rises in the order of arrival.
	Number     int64
	State      EventState
	Reason     string
	Run        string // the turn that has taken it
	Plan       string // of a command; "" before it is planned
	ReceivedAt time.Time
}

// name is the event's name.
func (e *Inbound) name() EventName { return EventName{e.Place.Platform, e.Place.Account, e.ID} }

// Taking gives events to a turn.
type Taking struct {
	Place   Place
	Events  []EventName
	Run     string
	Session session.ID // for a chat without a session
	At      time.Time
	// ActiveAfter refuses the taking, with the code CodeIdle, if the chat has a session and was last
	// active at this time or before. The zero time refuses nothing.
	ActiveAfter time.Time
}

// CodeIdle is the code of a Conflict: the session of a chat may have to be reset before a turn.
const CodeIdle = "chat_idle"

// CodeMoved is the code of a Conflict: the chat of an event has got another id.
const CodeMoved = "chat_moved"

// Settlement ends events.
type Settlement struct {
	Place  Place
	Events []EventName
	State  EventState
	Reason string
	// Session is the tip of the session that the turn belongs to; "" leaves the chat's. A chat
	// that was led to another lineage meanwhile stays there.
	Session session.ID
	// Noticed says that the chat's notice was told.
	Noticed bool
	Sends   []Send
	// Edited says that messages of Sends may have been edited while the answer was written, so that the platform shows
	// another text than the stored one. Those that were sent become ToEdit, but for files.
	Edited bool
	At     time.Time
}

// Queues are the lengths of a bot's queues.
type Queues struct {
	Events int       // messages and commands that are not answered yet
	Sends  int       // messages that are not sent yet
	LastAt time.Time // when the newest event came; zero for none
}

// EventFilter selects events.
type EventFilter struct {
	Platform Platform // "" for all
	State    EventState
	// Run selects the events of a turn; "" for all.
	Run   string
	Limit int
}

// Due names a chat with something to do.
type Due struct {
	Owner owner.Owner
	Place Place
}

// Chat is a chat, or a thread of one, with its session.
type Chat struct {
	Place Place
	// Former is the id that the chat had before it got this one; "" if it has had no other.
	Former string
	Type   ChatType
	Title  string
	// Key is pinned at first contact.
	Key session.Key
	// Session is the id of the active session, or of its lineage; "" before the first turn.
	Session session.ID
	// User is the person of a DM; "" otherwise.
	User string
	Zone string // of the person; "" if unknown
	// Notice is what the next answer says first, because of a reset; "" for nothing.
	Notice    string
	Home      bool      // jobs that name no chat of the platform deliver here
	Active    time.Time // the newest message, command or answer
	CreatedAt time.Time
}

// SendState is how far a message has come.
type SendState string

// The states of a message.
const (
	// ToSend waits for its turn, or for another try.
	ToSend SendState = "waiting"
	// Sending was handed to the platform, without an answer so far.
	Sending SendState = "sending"
	// Doubtful was perhaps taken by the platform.
	Doubtful SendState = "unknown"
	// ToEdit was sent, and its content has changed since.
	ToEdit SendState = "changed"
	// Sent is over.
	Sent SendState = "sent"
	// Parked waits until the person writes. WakeAt is when the gateway began to ask the person to,
	// and SentAt when the request to ask was over; zero before that.
	Parked SendState = "parked"
	// GaveUp is over: the message cannot be sent.
	GaveUp SendState = "failed"
)

// Send is a message to be sent.
type Send struct {
	ID     string
	Place  Place
	Type   ChatType
	Origin string // the turn, the command or the delivery that it belongs to
	Part   int    // from 0
	// Text is Markdown.
	Text    string
	Buttons []Button
	File    *File
	// ReplyTo is what Out.ReplyTo is, and in a DM what Out.Under is.
	ReplyTo MessageID
	// Interaction is the one that the first part of an answer carries; "" for none.
	Interaction string
	// Plain says that the platform could not read the text in its dialect.
	Plain     bool
	State     SendState
	Message   MessageID // the platform's id, once it was sent
	Attempts  int
	WakeAt    time.Time // not before this time
	Error     string    // of the last try; safe to show
	CreatedAt time.Time
	SentAt    time.Time
}

// PersonState says whether somebody may write.
type PersonState string

// The states of a person.
const (
	Asking   PersonState = "pending" // has been sent a pairing code
	Approved PersonState = "approved"
	// Alias is another id of a person, or of a group, that the settings list.
	Alias PersonState = "alias"
)

// Person is a sender who wrote to a bot and is in no configured list, or not by this id.
type Person struct {
	Platform Platform
	Account  string
	User     string
	Name     string
	Chat     string // where the person asked; "" for an Alias
	State    PersonState
	// Listed is another id of the person, under which the settings list the person; "" if none is known.
	Listed string
	// Owner is whose data the person's DMs are, if it is not the platform's owner.
	Owner string
	// CodeHash is the hash of the pairing code; nil without one.
	CodeHash  []byte
	AskedAt   time.Time
	ExpiresAt time.Time
	// ApprovedAt is zero before the approval.
	ApprovedAt time.Time
}
