// Package owner says whose data a request may touch.
//
// An [Owner] is made here only: by authentication ([Keyring.Authenticate]), for
// the person at this machine ([Local]), or out of a row that authentication
// wrote earlier ([Stored]). Every store method takes one, so nothing can be
// read or written without saying for whom.
package owner

import "slices"

// Owner is whose data it is, and what the caller may do with it.
// The zero Owner owns nothing; store methods refuse it.
type Owner struct {
	id     string
	scopes []Scope
	by     string
	key    string // the id of the caller's
	stored bool   // says that the key is one of the store's
	limits Limits
}

// LocalID is the owner of the configured key, the development key and the
// command line on the host.
const LocalID = "local"

// Local is the person at this machine: everything of the local owner.
func Local() Owner { return Owner{id: LocalID, scopes: AllScopes()} }

// Here is [Local] with the way in which the caller was let in: an actor of
// package trail.
func Here(by string) Owner {
	o := Local()
	o.by = by
	return o
}

// Stored is the owner named by a row this program wrote for an authenticated
// caller, such as a message waiting to be indexed. It can work for the owner, with
// the scopes that the row has kept of the caller, and as a rule without any.
func Stored(id string, scopes ...Scope) Owner { return Owner{id: id, scopes: scopes} }

// Through is the owner with the key that the row was written for, which may have
// so many turns at once; 0 sets no bound.
func (o Owner) Through(key string, turns int) Owner {
	o.key, o.limits.ConcurrentTurns = key, turns
	return o
}

// Scopes are what the caller may do, for a row to keep.
func (o Owner) Scopes() []Scope { return slices.Clone(o.scopes) }

// ID is the stable name of the owner, the first column of every table.
func (o Owner) ID() string { return o.id }

// By names the caller for logs and the audit log: "key:" and the key's name, or one
// of the other actors of package trail. "" if no caller was authenticated.
func (o Owner) By() string { return o.by }

// Key is the id of the caller's key, to tell keys of an owner apart. "" if the
// caller has none: a person at this machine, or a stored row.
func (o Owner) Key() string { return o.key }

// Limits are what the caller may ask for.
func (o Owner) Limits() Limits { return o.limits }

// Can reports whether the caller holds the scope.
func (o Owner) Can(s Scope) bool { return slices.Contains(o.scopes, s) }

// Scope is one thing a key may be used for.
type Scope string

// The scopes, from narrow to wide.
const (
	Chat          Scope = "chat"
	SessionsRead  Scope = "sessions:read"
	SessionsWrite Scope = "sessions:write"
	Memory        Scope = "memory"
	Jobs          Scope = "jobs"
	Export        Scope = "export"
	Metrics       Scope = "metrics" // of the whole server, without owners
	Admin         Scope = "admin"
)

// AllScopes lists every scope.
func AllScopes() []Scope {
	return []Scope{Chat, SessionsRead, SessionsWrite, Memory, Jobs, Export, Metrics, Admin}
}

// DefaultScopes is what a new key may do unless told otherwise: everything
// with its own data, nothing with other people's keys.
func DefaultScopes() []Scope {
	return []Scope{Chat, SessionsRead, SessionsWrite, Memory, Jobs, Export}
}
