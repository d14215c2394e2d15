// Package transcript keeps the transcripts as files that people and scripts can read: one
// file of JSON lines for each session, and for each owner one file that leads from session
// keys to sessions.
//
// The files are a mirror: the store is the truth, and the program never takes a message
// from a file. The store lists each session that has changed, in the transaction of the
// change. [Mirror] brings the files up to date behind the commits, and takes the sessions
// off the list once their files are durable. A crash therefore loses nothing: what is still
// on the list is compared with the store at the next start.
package transcript

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Store is what the files are written from. The list of changes spans all owners.
type Store interface {
	// TranscriptChanges returns entries of the list, at most limit, in any order.
	TranscriptChanges(ctx context.Context, limit int) ([]Change, error)
	// SettleTranscripts takes entries off the list whose Number is still the same. It
	// returns the new position, which is one higher.
	SettleTranscripts(ctx context.Context, list []Change) (position int64, err error)
	// TranscriptPosition returns the position; 0 before the first one.
	TranscriptPosition(ctx context.Context) (int64, error)
	// ListTranscripts puts every session on the list, raises the position by one, and
	// returns the owners.
	ListTranscripts(ctx context.Context) ([]owner.Owner, error)
	// EachRoute calls each for the routes of an owner: those of chats first. It stops at
	// the first error, and returns that error. A name may come twice; the first counts.
	EachRoute(ctx context.Context, o owner.Owner, each func(*Route) error) error
	// Session returns a session. NotFound if the owner has none of this id.
	Session(ctx context.Context, o owner.Owner, id session.ID) (session.Session, error)
	// Messages returns messages of a lineage in order of Seq.
	Messages(ctx context.Context, o owner.Owner, root session.ID, r session.Range) ([]session.Message, error)
}

// Change is an entry of the list of changes: a session that was changed or deleted since
// its file was written.
type Change struct {
	Owner owner.Owner
	// ID is the session's id; "" if only chats of the owner have changed.
	ID session.ID
	// Number is the number of the entry's newest change. Later changes have higher numbers.
	Number int64
	// Rewritten is the number of the newest change to messages that were there before it:
	// an undo, or an erasure. It is 0 if messages were only added since the entry was made.
	Rewritten int64
	// Led says that the owner has chats, which may lead to the session.
	Led bool
}

// Route leads from a name to a session.
type Route struct {
	// Name is the session key; for a thread of a chat, the key and the thread's id.
	Name    string
	Key     session.Key
	Session session.ID
	// Started and Active are when the session began and was last used.
	Started, Active time.Time
	Platform        string // of a chat, or where the session came from
	// Display is the name of the chat, or the session's title; "" if it has none.
	Display string
	// Type is the type of the chat; "" for what is no chat of a platform.
	Type   string
	Origin Origin
}

// Origin is where the messages of a route come from. Fields that do not apply are "".
type Origin struct {
	Platform string `json:"platform"`
	Account  string `json:"account,omitempty"`
	Chat     string `json:"chat_id,omitempty"`
	ChatName string `json:"chat_name,omitempty"`
	ChatType string `json:"chat_type,omitempty"`
	Thread   string `json:"thread_id,omitempty"`
	User     string `json:"user_id,omitempty"`
}
