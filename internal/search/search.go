// Package search searches past conversations. It owns the query language, the types of
// requests and results, the ranking of a store's candidates, and the session_search
// tool.
//
// It knows no index. A store finds messages for a parsed [Query] in any way it likes; a
// query means the same for every store. Turns do not depend on this package: memory
// works without it.
package search

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Store finds messages.
type Store interface {
	// Search returns the lineages that have matching messages of the owner in the
	// scope, best first. It skips undone messages and those that only repeat stored
	// content ([session.Echo]). It waits briefly for the text index to catch up with
	// the commits before the call, and it ends within a bounded time for any query.
	//
	// It fails with Invalid "invalid_query" if the query matches too much to be
	// answered in that time, and with Unavailable while the index is being rebuilt.
	Search(ctx context.Context, o owner.Owner, r Request) (Found, error)
	// Reindex drops the text index, rebuilds it from the messages, and returns when it
	// has everything that was committed before the call. Searches find less meanwhile.
	Reindex(ctx context.Context) error
}

// Request is a search: the query, the scope and the filters.
type Request struct {
	Query Query
	Scope Scope
	// Source and Role select by the session's origin and by the speaker; "" does not
	// restrict.
	Source session.Source
	Role   session.Role
	// From and To bound the time of messages: from From on, before To. Zero times do
	// not restrict.
	From, To time.Time
	// Limit is the maximum number of lineages; 0 means DefaultLimit.
	Limit int
	// Matches is the number of messages to show per lineage; 0 means DefaultMatches.
	Matches int
}

// The defaults of a search.
const (
	DefaultLimit   = 20
	DefaultMatches = 3
	MaxLimit       = 100
	MaxMatches     = 20
)

// Scope is the range of a search. Exactly one field is set; the zero Scope matches
// nothing, so that a forgotten scope reveals nothing.
type Scope struct {
	// Key selects messages with that session key.
	Key session.Key
	// Root is one lineage, named by its root.
	Root session.ID
	// All selects all data of the owner.
	All bool
}

// Valid reports whether exactly one field is set.
func (s Scope) Valid() bool {
	n := 0
	for _, set := range []bool{s.Key != "", s.Root != "", s.All} {
		if set {
			n++
		}
	}
	return n == 1
}

// Found is the result of a search.
type Found struct {
	Hits []Hit
	// Partial says that some matches were not considered: there were so many that only
	// the newest were ranked, or the index had not reached them yet. Counts are then
	// lower bounds.
	Partial bool
}

// Hit is a lineage with matching messages. Sessions linked by compression are one
// conversation, represented by its tip.
type Hit struct {
	Session session.Session
	// Score compares the hits of one search; higher is better.
	Score float64
	// Matches are the best matching messages, best first.
	Matches []Match
	// MatchCount is the number of matching messages in the lineage.
	MatchCount int
}

// Match is a matching message.
type Match struct {
	MessageID int64
	SessionID session.ID // the session of the message, which need not be the tip
	Root      session.ID
	Seq       int64
	Role      session.Role
	SaidAt    time.Time
	Score     float64
	Snippet   Snippet
}
