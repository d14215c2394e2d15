// Package session owns transcripts: sessions, their messages, and lineages.
//
// A lineage is a conversation from the client's point of view. It starts with a root
// session. Each compression ends the newest session and opens a child. Messages are
// numbered through the lineage, so the tail may include messages of earlier sessions
// without copying them. Every id that ever named a session of a lineage leads to its
// tip.
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
	// SystemPrompt is the stored prompt, sent with every turn of the session.
	SystemPrompt string
	// Metadata is a JSON object of strings that a client attached; "" for none.
	Metadata    string
	Title       string
	TitleSource TitleSource // "" without a title, or if it is unknown

	StartedAt  time.Time
	EndedAt    time.Time // zero while the session is open
	EndReason  EndReason
	LastActive time.Time

	MessageCount  int // of this session alone
	ToolCallCount int
	InputTokens   int64 // as reported by upstreams, or estimated
	OutputTokens  int64

	// NextSeq is the Seq of the lineage's next message. For a tip it equals the number
	// of messages in the lineage.
	NextSeq int64
	// TailFrom is the Seq of the first message that is sent verbatim. Older messages
	// are represented by memory only.
	TailFrom int64
	// Summary quotes the beginnings of the folded turns, one per line.
	Summary string
	// LineageTokens is the size of the transcript up to this session's newest message:
	// the cost of sending the whole history.
	LineageTokens int64
}

// Ended reports whether the session has been closed.
func (s Session) Ended() bool { return !s.EndedAt.IsZero() }

// Source is where a session came from.
type Source string

// The known sources. Chat platforms add their own names.
const (
	SourceAPI    Source = "api_server"
	SourceCLI    Source = "cli"
	SourceCron   Source = "cron"
	SourceImport Source = "import"
)

// EndReason says why a session was closed. Clients may set any short text.
type EndReason string

// The reasons that this program sets.
const (
	EndCompression EndReason = "compression"
	EndReset       EndReason = "reset"
	// EndIncomplete marks a copy or an import that is under way or was interrupted.
	EndIncomplete EndReason = "incomplete"
)

// TitleSource says who gave a session its title.
type TitleSource string

// The sources of titles. This program never changes a person's title.
const (
	TitleDerived TitleSource = "derived" // a few words of the first exchange
	TitleModel   TitleSource = "model"   // drawn from the first exchange by a model
	TitlePerson  TitleSource = "person"
)

// Role is the role of a message's speaker.
type Role string

// The roles of a transcript. System messages belong to requests, not to transcripts.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
	System    Role = "system"
)

// Message is an entry of a transcript. Messages are append-only.
type Message struct {
	ID        int64 // given by the store; unique in it
	SessionID ID
	RootID    ID
	Seq       int64 // position in the lineage, from 0, without gaps
	Key       Key   // the session key sent with the turn
	Role      Role
	Name      string // the speaker, if the client names one
	// Content is the text of the message. If the content is a list of parts, it holds
	// only their texts.
	Content string
	// Wire is the JSON that the client or the upstream sent. It is kept only if the
	// other fields do not hold all of its content (images, reasoning…).
	Wire       []byte
	ToolCalls  []byte // JSON array as received; nil without calls
	ToolCallID string
	ToolName   string
	// ReplyTo is, of an answer, the id of the last message of the input that it answers.
	// It is 0 where the answer directly follows its input, or what the same turn stored
	// before it. Another turn comes between them where the server ended before the answer:
	// the retry of the request is answered later, and its input stays in its place.
	ReplyTo int64

	// Files are the files that somebody sent with the message. They are only written: the
	// store keeps with each file which message it came with.
	Files []FileID

	// Note says that a person put the message into memory by hand, and how: the kind of
	// fact it is, and the id of a fact it replaces. It is "" for messages of a
	// conversation. [EchoNote] marks a result that repeats memory.
	Note string

	SaidAt     time.Time // when it was said; an import keeps the original time
	RecordedAt time.Time // when this store received it
	Tokens     int       // counted with the model's tokenizer, or estimated

	FinishReason string // of answers: stop, length, tool_calls, cancelled, error; of tools run here: done, failed
	Model        string // of answers: the model that gave it
	Hash         []byte // running SHA-256 over the lineage; detects lost messages
	// History is, of messages of clients that name no session, the hash of the history up
	// to and with the message, as [Histories] makes it. It is only written, and a store keeps
	// it under a key: a forgotten text cannot be guessed from it.
	History []byte
	// Exchange is, of answers to such clients, the hash of the exchange that the answer
	// ends, as [Exchange] makes it; nil if other conversations may well have the same one.
	// It is only written.
	Exchange []byte

	// UndoneAt is when the message was undone: the archive keeps it, but memory and
	// models no longer see it. Zero while it stands.
	UndoneAt time.Time
	// ReceiptID and Receipt record, in JSON, the context that an answer was given. They
	// are read only if [Range.Receipts] is set.
	ReceiptID string
	Receipt   []byte
}

// EchoNote marks a message that only repeats stored content, such as the result of a
// search. Memory learns nothing from it, and neither recall nor search returns it:
// otherwise every search of the past would return earlier searches.
const EchoNote = "echo"

// FoundNote marks an echo with more than the user's own words: the results of a search.
// Their author may have written them to manipulate a model.
const FoundNote = "found"

// AsideNote marks what was said in a turn that this server took for itself, such as the
// turn in which a model saves memories before a reset. It is an echo that no later prompt
// has. See [Spoken].
const AsideNote = "aside"

// Echoes reports whether a message only repeats stored content.
func (m *Message) Echoes() bool { return Echo(m.Note) }

// Echo reports whether a note is [EchoNote], [FoundNote] or [AsideNote].
func Echo(note string) bool { return note == EchoNote || note == FoundNote || note == AsideNote }

// Outside reports whether a message is the text of another program, or repeats such
// text.
func (m *Message) Outside() bool {
	return m.Role == Tool && (m.Note == "" || m.Note == FoundNote)
}

// Size is the size of a message's texts, in bytes.
func (m *Message) Size() int { return len(m.Content) + len(m.Wire) + len(m.ToolCalls) }

// Stands reports whether a message has not been undone.
func (m Message) Stands() bool { return m.UndoneAt.IsZero() }

// Partial reports whether an answer was cut off.
func (m Message) Partial() bool {
	return m.FinishReason == FinishCancelled || m.FinishReason == FinishError
}

// Finish reasons of answers that the model did not end itself.
const (
	FinishCancelled = "cancelled" // the client disconnected
	FinishError     = "error"     // the upstream broke off
)

// Finish reasons of tools that this server ran. Results from a client have none.
const (
	ToolDone   = "done"
	ToolFailed = "failed"
)

// RunHere reports whether a message is the result of a tool that this server ran. The
// client has never seen it.
func (m *Message) RunHere() bool {
	return m.Role == Tool && (m.FinishReason == ToolDone || m.FinishReason == ToolFailed)
}

// Any reports whether a condition holds for one of some messages. Unlike
// [slices.ContainsFunc] it copies none of them: a message is long, and a turn looks through
// its tail several times.
func Any(ms []Message, holds func(*Message) bool) bool {
	for i := range ms {
		if holds(&ms[i]) {
			return true
		}
	}
	return false
}
