// Package trail identifies a request everywhere: its id and its actor. It travels in
// the context, so that the log, the upstream, the audit log and the spans of one
// request can be found under one name. It holds no content, and no decision depends on
// it.
package trail

import (
	"context"
	"crypto/rand"
	"encoding/hex"
)

// Header carries a request's id, from clients and to upstreams.
const Header = "X-Request-Id"

// MaxID is the longest id a client may give, in bytes.
const MaxID = 128

// Trail identifies a request and its actor.
type Trail struct {
	// RequestID is the id of the request: the client's own id if it is valid.
	RequestID string
	// Actor is the actor: [Key] followed by the name of an API key, or one of the
	// constants; "" if unknown.
	Actor string
}

// Key is the prefix of actors that are generated API keys, so that no key's name can
// look like another actor.
const Key = "key:"

// Actors other than generated API keys.
const (
	Terminal    = "terminal"    // the command line on this machine
	Configured  = "configured"  // a key of the configuration
	Development = "development" // the development key
	Anybody     = "anybody"     // a server without authentication
	Job         = "job"         // a fire of the scheduler
	Model       = "model"       // a call of a tool
	Server      = "server"      // the program itself
)

type contextKey struct{}

// With returns a context that carries the trail.
func With(ctx context.Context, t Trail) context.Context {
	return context.WithValue(ctx, contextKey{}, t)
}

// As returns a context with another actor in the same request.
func As(ctx context.Context, actor string) context.Context {
	t := From(ctx)
	t.Actor = actor
	return With(ctx, t)
}

// From returns the trail of a context; the zero Trail if it has none.
func From(ctx context.Context) Trail {
	t, _ := ctx.Value(contextKey{}).(Trail)
	return t
}

// NewID makes an id for a request without one.
func NewID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return "req_" + hex.EncodeToString(b[:])
}

// Clean reports whether an external id may be passed on: 1 to [MaxID] visible ASCII
// characters.
func Clean(id string) bool {
	if id == "" || len(id) > MaxID {
		return false
	}
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' {
			return false
		}
	}
	return true
}
