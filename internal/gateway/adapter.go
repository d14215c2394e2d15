package gateway

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/internal/markdown"
)

// Adapter speaks the protocol of one platform, for one bot. It is safe for concurrent use.
type Adapter interface {
	// Platform is the name of the platform.
	Platform() Platform
	// Run receives events until ctx ends, and reconnects by itself. It hands each event to
	// the intake, and acknowledges it only after Commit has returned without an error.
	// Messages of the bot itself and of other bots are left out. Run returns an error only
	// if another try is useless, such as a token that the platform refuses.
	Run(ctx context.Context, in Intake) error
	// Send sends one message, once: it never repeats a request by itself. It fails with a
	// [*SendError].
	Send(ctx context.Context, o *Out) (MessageID, error)
	// Edit replaces the text and the buttons of a message that was sent. It fails as Send
	// does, and with Missing. A message that is as it should be already is no error.
	Edit(ctx context.Context, m MessageID, o *Out) error
	// Signal shows what becomes of a message. It is best effort: its error is for the log.
	Signal(ctx context.Context, at Place, m MessageID, mark Mark) error
	// Fetch opens a file. It reads only from the platform's own hosts, over https.
	Fetch(ctx context.Context, f FileRef) (io.ReadCloser, error)
	// Limits are what the platform bounds.
	Limits() Limits
}

// Intake takes the events of an adapter.
type Intake interface {
	// Position returns the position stored last; "" if there is none.
	Position(ctx context.Context) (Position, error)
	// Commit stores events, and the position after them. They are durable when it returns
	// without an error. An event that is stored already is skipped, so an adapter may
	// commit an event again. An empty position leaves the stored one.
	Commit(ctx context.Context, events []Event, after Position) error
}

// CatchUp is an adapter that can read what was said while it was not connected.
type CatchUp interface {
	// CatchUp returns the messages of a place after one, oldest first, at most 100. After ""
	// it returns the newest ones. It fails as Send does.
	CatchUp(ctx context.Context, at Place, after MessageID) ([]Event, error)
}

// Finder is an adapter that can find out what became of a message whose sending broke off. An adapter
// whose platform tells later what became of a message, by Failed and Arrived, is one.
type Finder interface {
	// Find reports whether a message was sent, and its id. It never finds Out.Replaces. It fails
	// as Send does.
	Find(ctx context.Context, o *Out) (MessageID, bool, error)
}

// Opener is an adapter of a platform that takes messages to a person only for a time after
// the person has written. SendError.Reason is Closed behind it.
type Opener interface {
	// Open asks the people of a place to write, in a form that the platform takes at any
	// time. It fails as Send does; with Refused if nothing can be sent.
	Open(ctx context.Context, at Place) error
}

// Commander is an adapter that can show the commands to people.
type Commander interface {
	// Commands registers the commands at the platform, if they differ from those registered.
	Commands(ctx context.Context, list []CommandInfo) error
}

// Namer is an adapter of a platform on which people cannot give every command as "/name" everywhere.
type Namer interface {
	// CommandName is what people write in a place to give a command, such as "/hermes-help" for "help".
	CommandName(name string, at Place, t ChatType) string
}

// Addressee is an adapter of a platform on which a command can name the bot that it is for, as "/new@name".
type Addressee interface {
	// IsName reports whether a name is the bot's. While the name is not known, every name is.
	IsName(name string) bool
}

// Drafter is an adapter that can show a text that is still being written, without sending it.
type Drafter interface {
	// Draft shows a text in a place. Drafts of one message have one id. It fails as Send does.
	Draft(ctx context.Context, id int64, o *Out) error
}

// Checker is an adapter that can say whether it is set up well.
type Checker interface {
	// Check asks the platform who the bot is, and names what is missing: scopes, intents, a
	// privacy mode.
	Check(ctx context.Context) (Checked, error)
}

// Reporter is an adapter with a connection whose state can be shown.
type Reporter interface {
	// Health is the state of the connection.
	Health() Health
}

// Hooked is an adapter that a platform sends events to by HTTP requests.
type Hooked interface {
	// Webhooks are the handlers of the requests, by path. They check the signatures, and
	// answer 200 only after the commit.
	Webhooks() map[string]http.Handler
}

// Checked is what a platform says of the bot.
type Checked struct {
	Account string // the bot's id
	Name    string // the bot's name
	// Missing are the things that are not set up, each with what to do.
	Missing []string
}

// Health is the state of a connection.
type Health struct {
	// State is "connecting", "connected", "webhook" or "stopped".
	State string
	// Reason says why the bot is not connected, or cannot send, in words for a person; "" if it can do both.
	Reason string
	Since  time.Time
}

// Connected reports whether events are received now.
func (h *Health) Connected() bool { return h.State == "connected" || h.State == "webhook" }

// CommandInfo describes a command to people.
type CommandInfo struct {
	Name  string // without the slash
	Usage string // what it does, in a few words
	// Args names its arguments, such as "n or title"; "" for none.
	Args string
}

// Mark is what people are shown of the work on a message.
type Mark int

// The marks.
const (
	// Typing shows that an answer is being written. It ends by itself.
	Typing Mark = iota
	// Waits shows that the message waits for another turn.
	Waits
	// Works shows that the message is being answered.
	Works
	// Broke shows that there is no answer.
	Broke
	// Clear takes the marks away.
	Clear
)

// Out is one message to be sent.
type Out struct {
	// ID is the same however often sending is tried. It has 32 hexadecimal digits.
	ID    string
	Place Place
	// Type is the type of the chat.
	Type ChatType
	// ReplyTo is the message that is answered; "" for none.
	ReplyTo MessageID
	// Under is the Event.Under of the event that is answered: the message stands in that thread. "" for none.
	Under MessageID
	// Text is in the platform's dialect, or plain if Plain is set. It fits [Limits.Length].
	Text  string
	Plain bool
	// Buttons stand under the text, at most [Limits.Buttons].
	Buttons []Button
	// File is sent along; nil for none.
	File *File
	// Interaction is the one of the event that is answered; "" for none.
	Interaction string
	// Replaces is the message that was sent for this one before, and is gone or cannot be edited;
	// "" for none. The platform must not take the two for one message.
	Replaces MessageID
}

// Button can be pressed once.
type Button struct {
	ID    string // at most 64 bytes
	Label string // at most 20 characters
}

// File is a file to be sent.
type File struct {
	Name string
	Data []byte
}

// Limits are what a platform bounds.
type Limits struct {
	// Length is the longest text of a message, as Count counts a rendered text.
	Length int
	Count  func(rendered string) int
	// Dialect is how texts are written.
	Dialect markdown.Dialect
	// Space is the least time between two messages in a chat, GroupSpace in a group or
	// channel, AllSpace on the platform.
	Space, GroupSpace, AllSpace time.Duration
	// Burst is how many messages may follow each other in a chat with Space between them. The
	// ones behind have BurstSpace between them. 0: all have Space.
	Burst      int
	BurstSpace time.Duration
	// Edit is the least time between two edits in a chat, GroupEdit in a group or channel; 0
	// says that messages cannot be edited while they are written.
	Edit, GroupEdit time.Duration
	// EditsApart says that the platform counts edits apart from messages, so that a message and
	// an edit need no space between them.
	EditsApart bool
	// Typing is how long the mark of that name lasts.
	Typing time.Duration
	// Buttons is how many buttons a message can have.
	Buttons int
	// FileSize is the size of the largest file that can be fetched or sent, in bytes.
	FileSize int64
}

// SendReason is why a message was not sent.
type SendReason int

// The reasons.
const (
	// Temporary: the platform has surely not taken the message; another try may help.
	Temporary SendReason = iota
	// Limited: the platform asks to wait. The message was not taken.
	Limited
	// Malformed: the platform cannot read the text in its dialect.
	Malformed
	// Gone: the chat does not exist, or the bot was removed from it.
	Gone
	// Refused: the platform will never take this message.
	Refused
	// Unknown: the connection broke, so the platform has perhaps taken the message.
	Unknown
	// Closed: the platform takes only an answer now, so that the message must wait until the
	// person writes.
	Closed
	// Elsewhere: the chat has another id now, SendError.MovedTo.
	Elsewhere
	// Missing: the message that is to be edited is not there any more, or can no longer be
	// edited. A new message may be sent in its place.
	Missing
	// NoThread: the thread does not exist any more. Its chat may still be there.
	NoThread
)

// SendError is the error of sending.
type SendError struct {
	Reason SendReason
	// After is how long to wait, if the reason is Limited.
	After time.Duration
	// All says that the whole platform has to wait, not this chat alone.
	All     bool
	MovedTo string
	// Text is safe to show: it holds no token and no text of a message.
	Text string
	// Err is the cause, for the log.
	Err error
}

// Error returns the text with its cause.
func (e *SendError) Error() string {
	if e.Err == nil {
		return e.Text
	}
	return fmt.Sprintf("%s: %v", e.Text, e.Err)
}

// Unwrap returns the cause.
func (e *SendError) Unwrap() error { return e.Err }
