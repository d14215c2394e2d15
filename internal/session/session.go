// Package session owns transcripts: sessions, their messages, and the lineage
// that compression links them into.
//
// A lineage is what a client means by "the conversation". It starts with a root
// session; each compression ends the newest session and opens a child. Messages
// are numbered through the lineage, so the window a model is shown may reach
// back over a compression without copying anything. Every id that ever named a
// session of a lineage leads to its tip.
package session

import "time"

// Session is one transcript. Times are UTC.
type Session struct {
	ID       ID
	RootID   ID // the first session of the lineage; ID itself for a root
	ParentID ID // the session this one continues, or was forked from; "" for none
	// Generation counts compressions: 0 for a root, parent's + 1 for a child.
	Generation int
	Key        Key // the session key of the turn that opened it; inherited by children
	Source     Source
	UserID     string // the body's "user" field, or the sender on a chat platform
	Model      string // the newest model that answered
	// SystemPrompt is the stored prompt, in force for every turn of the session.
	SystemPrompt string
	Title        string
	TitleSource  TitleSource // "" without a title, or if it is unknown

	StartedAt  time.Time
	EndedAt    time.Time // zero while the session lives
	EndReason  EndReason
	LastActive time.Time

	MessageCount  int // of this session alone
	ToolCallCount int
	InputTokens   int64 // as reported by upstreams, or estimated
	OutputTokens  int64

	// NextSeq is the number the lineage's next message will get; for a tip it
	// equals the number of messages in the whole lineage.
	NextSeq int64
	// TailFrom is the first message that is sent verbatim; older messages are
	// represented by memory alone.
	TailFrom int64
	// Summary quotes the beginnings of the turns folded away, one a line.
	Summary string
	// LineageTokens is the size of the whole transcript up to this session's
	// newest message: what a client without memory would have to send.
	LineageTokens int64
}

// Ended reports whether the session has been closed.
func (s Session) Ended() bool { return !s.EndedAt.IsZero() }

// Source is where a session came from.
type Source string

// The sources known today; chat platforms add their own names.
const (
	SourceAPI    Source = "api_server"
	SourceCLI    Source = "cli"
	SourceCron   Source = "cron"
	SourceImport Source = "import"
)

// EndReason says why a session was closed. Clients may set any short text.
type EndReason string

// The reasons this program gives.
const (
	EndCompression EndReason = "compression"
	EndReset       EndReason = "reset"
	// EndIncomplete marks a copy or an import that is under way, or was broken off.
	EndIncomplete EndReason = "incomplete"
)

// TitleSource says who gave a session its title.
type TitleSource string

// The sources of titles. A person's is never changed by this program.
const (
	TitleDerived TitleSource = "derived" // a few words of the first exchange
	TitleModel   TitleSource = "model"   // drawn from the first exchange by a model
	TitlePerson  TitleSource = "person"
)

// Role is the role of a message's speaker.
type Role string

// The roles of a transcript. System messages belong to requests, not to it.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
	System    Role = "system"
)

// Message is one entry of a transcript. Messages are only ever appended.
type Message struct {
	ID        int64 // given by the store; unique in it
	SessionID ID
	RootID    ID
	Seq       int64 // place in the lineage, from 0, without gaps
	Key       Key   // the session key sent with the turn
	Role      Role
	Name      string // the speaker, when the client names one
	// Content is the text of the message; of content parts, the text parts only.
	Content string
	// Wire is the message as the client or the upstream sent it, in JSON, kept
	// only when the other fields do not say all of it (images, reasoning…).
	Wire       []byte
	ToolCalls  []byte // JSON array as received; nil when there are none
	ToolCallID string
	ToolName   string
	// ReplyTo is, of an answer, the id of the last message of the input that it answers.
	// It is 0 where the answer directly follows its input, or what the same turn stored
	// before it. Another turn comes between them where the server ended before the answer:
	// the retry of the request is answered later, and its input stays in its place.
	ReplyTo int64

	// Note says that a person put the message into memory by hand, and how: the kind of
	// fact it is, and the id of a fact it replaces. It is "" for messages of a
	// conversation. [EchoNote] marks a result that repeats memory.
	Note string

	SaidAt     time.Time // when it was said; an import keeps the original time
	RecordedAt time.Time // when this store learnt of it
	Tokens     int       // counted with the model's tokenizer, or estimated

	FinishReason string // of answers: stop, length, tool_calls, cancelled, error; of tools run here: done, failed
	Model        string // of answers: the model that gave it
	Hash         []byte // running SHA-256 over the lineage: silent loss shows

	// UndoneAt is when the message was taken back: the archive keeps it, memory
	// and models see it no more. Zero while it stands.
	UndoneAt time.Time
	// ReceiptID and Receipt say, in JSON, what an answer was given. They are
	// read only when [Range.Receipts] asks for them.
	ReceiptID string
	Receipt   []byte
}

// EchoNote marks a message that only repeats stored content, such as the result of a
// search. Memory learns nothing from it, and neither recall nor search returns it:
// otherwise every search of the past would return earlier searches.
const EchoNote = "echo"

// FoundNote marks an echo that shows more than the user's own words: what a search
// has found. Their writer may have written them to make a model do things.
const FoundNote = "found"

// Echoes reports whether a message only repeats stored content.
func (m *Message) Echoes() bool { return Echo(m.Note) }

// Echo reports whether a note is [EchoNote] or [FoundNote].
func Echo(note string) bool { return note == EchoNote || note == FoundNote }

// Outside reports whether a message is the text of another program, or shows such
// text.
func (m *Message) Outside() bool {
	return m.Role == Tool && (m.Note == "" || m.Note == FoundNote)
}

// Size is how many bytes the texts of a message take.
func (m *Message) Size() int { return len(m.Content) + len(m.Wire) + len(m.ToolCalls) }

// Stands reports whether a message has not been taken back.
func (m Message) Stands() bool { return m.UndoneAt.IsZero() }

// Partial reports whether an answer was cut off.
func (m Message) Partial() bool {
	return m.FinishReason == FinishCancelled || m.FinishReason == FinishError
}

// Finish reasons of answers that did not end by the model's own will.
const (
	FinishCancelled = "cancelled" // the client went away
	FinishError     = "error"     // the upstream broke off
)

// Finish reasons of tools that this server ran. Results that a client sends
// have none.
const (
	ToolDone   = "done"
	ToolFailed = "failed"
)

// RunHere reports whether a message is the result of a tool that this server
// ran: its client has never seen it.
func (m Message) RunHere() bool {
	return m.Role == Tool && (m.FinishReason == ToolDone || m.FinishReason == ToolFailed)
}
