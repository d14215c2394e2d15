package session

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
)

// Store keeps sessions and messages. Each method is one transaction, sees only the rows
// of its owner, and returns the same NotFound fault for an absent id and for another
// owner's. The turn itself writes through run.Store, because an answer and the facts
// learnt from it must be stored together.
type Store interface {
	// Tip returns the newest session of the lineage that id belongs to.
	// NotFound if id never named a session of this owner.
	Tip(ctx context.Context, o owner.Owner, id ID) (Session, error)
	// Session returns exactly the session named id, which need not be a tip.
	Session(ctx context.Context, o owner.Owner, id ID) (Session, error)
	// Sessions lists tips, newest activity first, one per lineage.
	Sessions(ctx context.Context, o owner.Owner, f Filter) ([]Session, error)
	// Messages returns messages of a lineage in order of Seq.
	Messages(ctx context.Context, o owner.Owner, root ID, r Range) ([]Message, error)
	// CreateSession opens a lineage without a turn. It fails with Conflict if the id or
	// the title is taken.
	CreateSession(ctx context.Context, o owner.Owner, s Session) error
	// UpdateSession changes the session named id. It fails with Conflict "title_taken"
	// if another session has the title.
	UpdateSession(ctx context.Context, o owner.Owner, id ID, p Patch) (Session, error)
	// DeleteLineage erases a lineage: sessions, messages, facts, index entries.
	DeleteLineage(ctx context.Context, o owner.Owner, root ID) error
}

// Catalog answers the queries of lists and titles. The rules of [Store] apply.
type Catalog interface {
	// Stats counts an owner's data.
	Stats(ctx context.Context, o owner.Owner) (Stats, error)
	// Previews returns the beginnings of the lineages with the given roots: the first
	// standing text of the user, cut to OpeningLength characters. Lineages without such
	// a text are left out.
	Previews(ctx context.Context, o owner.Owner, roots []ID) (map[ID]string, error)
	// SpokenCounts returns how many standing messages that [Spoken] keeps each of the
	// lineages with the given roots has. Roots that do not exist are left out.
	SpokenCounts(ctx context.Context, o owner.Owner, roots []ID) (map[ID]int, error)
	// UndoneCounts returns how many undone messages each of the lineages with the given roots
	// has. Roots that do not exist are left out.
	UndoneCounts(ctx context.Context, o owner.Owner, roots []ID) (map[ID]int, error)
	// RootsOfKey returns the roots of the lineages that have a message under a session key, also
	// if it was undone, in their order.
	RootsOfKey(ctx context.Context, o owner.Owner, key Key) ([]ID, error)
	// FreeTitle returns the title if no session of the owner has it, else the next free
	// numbered form: "title #2", "title #3"….
	FreeTitle(ctx context.Context, o owner.Owner, title string) (string, error)
	// Memories lists the scopes of memory that have messages, newest message first.
	Memories(ctx context.Context, o owner.Owner, f MemoryFilter) ([]MemoryRow, error)
}

// MemoryFilter selects scopes of memory. Zero fields do not restrict.
type MemoryFilter struct {
	// Query selects scopes whose session key, root id or title contains this text; ASCII
	// letters match in both cases.
	Query string
	// Before is the Newest of the last row of the page before.
	Before int64
	Limit  int
}

// MemoryRow is a scope of memory in a list: a session key, or a lineage without one.
type MemoryRow struct {
	Key   Key
	Root  ID     // "" for a session key
	Title string // of the lineage
	// Facts and Sessions count what the scope has. Sessions are lineages.
	Facts, Sessions int
	// Newest is the id of the newest message that the scope ever had, and SaidAt its time;
	// zero if the message is gone.
	Newest int64
	SaidAt time.Time
}

// OpeningLength is the longest beginning that Previews returns, in characters.
const OpeningLength = 400

// Stats counts an owner's lineages and messages.
type Stats struct {
	Sessions int64 // lineages
	Messages int64
	Undone   int64         // of the messages
	Sources  []SourceCount // most sessions first
	// Bytes is the size of the whole database, all owners together.
	Bytes int64
}

// SourceCount is the number of lineages from a source.
type SourceCount struct {
	Source   Source
	Sessions int64
}

// State selects sessions by whether they have ended.
type State string

// The states; the zero value means both.
const (
	Active State = "active"
	Ended  State = "ended"
)

// Filter selects sessions. Zero fields do not restrict.
type Filter struct {
	Source Source
	// Prefix selects lineages in which the id of any session starts with it. The tip is
	// returned.
	Prefix string
	// Title selects lineages in which a session has exactly this title.
	Title string
	// Query selects lineages whose title, id or preview contains this text; ASCII
	// letters match in both cases.
	Query string
	// State selects by whether the tip has ended.
	State State
	// Key selects lineages whose tip has this session key.
	Key Key
	// Lineage selects all sessions of one lineage, tips or not, oldest first; the
	// other fields are ignored.
	Lineage ID
	// Before is where the last page ended.
	Before Cursor
	// Limit is the page's size; 0 means 50.
	Limit int
}

// Cursor is a position in a list sorted by activity. A row that moves between two pages
// is never shown twice in the unread part.
type Cursor struct {
	LastActive time.Time
	ID         ID // the root id of the last row shown
}

// Range is a window of a lineage's messages.
type Range struct {
	From int64 // the first Seq wanted
	To   int64 // the first Seq not wanted; 0 means no end
	// Limit is the maximum number of messages; 0 means no limit.
	Limit int
	// Bytes ends the window after the message with which the texts reach that many
	// bytes; 0 means no limit.
	Bytes int
	// Until leaves out messages recorded later; zero leaves out none.
	Until time.Time
	// MessageID takes only the message with this id; 0 takes all.
	MessageID int64
	// Standing leaves out undone messages.
	Standing bool
	// Receipts also reads the receipts of answers.
	Receipts bool
	// Newest takes the last Limit messages of the window instead of the first.
	Newest bool
}

// Patch is a change to a session. Nil fields stay as they are.
type Patch struct {
	Title        *string // its source is a person from then on
	SystemPrompt *string
	Metadata     *string // "" removes it
	// EndReason ends the session now, with that reason.
	EndReason *EndReason
	// At is when the change happens.
	At time.Time
}
