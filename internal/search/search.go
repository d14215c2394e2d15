// Package search finds what was said in past conversations. It owns the query
// language, what a search is asked for and what it gives, the ranking of what a
// store has found, and the session_search tool that is made of them.
//
// It knows no index. A store finds messages for a parsed [Query]; how it does
// that is its own affair, and the same query means the same everywhere. Nothing
// a turn needs depends on this package: memory works without it.
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

// Request is what to look for, and where.
type Request struct {
	Query Query
	Scope Scope
	// Source and Role select by the session's origin and by the speaker; "" does not
	// restrict.
	Source session.Source
	Role   session.Role
	// From and To bound when it was said: not before From, before To. Zero times
	// do not restrict.
	From, To time.Time
	// Limit is how many lineages at most; 0 means DefaultLimit.
	Limit int
	// Matches is how many messages are shown of each lineage; 0 means
	// DefaultMatches.
	Matches int
}

// What a search returns unless told otherwise.
const (
	DefaultLimit   = 20
	DefaultMatches = 3
	MaxLimit       = 100
	MaxMatches     = 20
)

// Scope is where to look. Exactly one field is set; the zero Scope is nowhere,
// so that forgetting it shows nothing.
type Scope struct {
	// Key is a range of long-term memory: what was said under that session key.
	Key session.Key
	// Root is one lineage, named by its root.
	Root session.ID
	// All is everything the owner has.
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

// Found is what a search gives.
type Found struct {
	Hits []Hit
	// Partial says that some matches were not considered: there were so many that only
	// the newest were ranked, or the index had not reached them yet. Counts are then
	// lower bounds.
	Partial bool
}

// Hit is a lineage with matching messages: sessions linked by compression are
// one conversation, shown as its tip.
type Hit struct {
	Session session.Session
	// Score compares hits of one search; higher is better.
	Score float64
	// Matches are the best matching messages, best first.
	Matches []Match
	// MatchCount is how many messages of the lineage match.
	MatchCount int
}

// Match is a message that matches.
type Match struct {
	MessageID int64
	SessionID session.ID // the session it was said in, which need not be the tip
	Root      session.ID
	Seq       int64
	Role      session.Role
	SaidAt    time.Time
	Score     float64
	Snippet   Snippet
}
