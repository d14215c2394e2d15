package run

import (
	"context"
	"errors"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Provider is an external memory: another program that is told what was said, and may add
// a few lines to a prompt. Each method is one exchange with it, bounded by its context. An
// implementation keeps no data of its own and is safe for concurrent use.
type Provider interface {
	// Recall returns what the provider knows of a place that bears on a question, in about
	// as many tokens; "" for nothing, also if the provider does not know the place.
	Recall(ctx context.Context, p Place, question string, tokens int) (string, error)
	// Told tells the provider what was said in a place, in order. It is idempotent by
	// [Said.ID]: what the provider has already is not told twice, also if the outcome of an
	// earlier call is unknown.
	Told(ctx context.Context, p Place, said []Said) error
	// Forget erases messages of a place, or the whole place if ids is nil. It may be
	// repeated. A provider that cannot erase single messages fails with [ErrWholePlace]
	// and erases nothing.
	Forget(ctx context.Context, p Place, ids []int64) (Passed, error)
}

// Place is where a provider keeps what it is told: all of a session key, or of a lineage
// without one. The names are legal for every provider, and no two places share one.
type Place struct {
	Workspace string // of the owner
	Session   string
	User      string // the peer who asks, or of whom is told
	Assistant string
}

// Said is a message that a provider is told.
type Said struct {
	// ID is the id of the message.
	ID   int64
	Role session.Role
	// Speaker is the peer who said it, if it is not the User of the place; "" for that one.
	Speaker string
	Text    string
	At      time.Time
}

// Passed is the outcome of a forgetting at a provider.
type Passed struct {
	// Confirmed is how many things the provider no longer has, as a search after the
	// erasure showed.
	Confirmed int
	// Left says what is not confirmed yet, for people; "" if everything is gone.
	Left string
}

// ErrWholePlace says that a provider can only erase whole places.
var ErrWholePlace = errors.New("this provider cannot erase single messages")

// External is the external memory that turns ask in addition to our own.
type External interface {
	// Name is what the other program is called.
	Name() string
	// Ask asks for what bears on a question and returns at once. The returned function waits
	// for the answer, for a bounded time from Ask on. Ask returns nil if the program is not
	// asked.
	Ask(ctx context.Context, q *Asking) func() Told
}

// Asking is a question to the external memory.
type Asking struct {
	Owner owner.Owner
	// Key and Root are the session key and the lineage of the turn, and Speaker is who asks,
	// if the client names one.
	Key     session.Key
	Root    session.ID
	Speaker string
	// Question is the user's newest message, and Tokens how much room the answer has.
	Question string
	Tokens   int
}

// Told is an answer of the external memory; empty for none.
type Told struct {
	Text string
	// Late says that the answer is to an earlier question of the same place.
	Late bool
}
