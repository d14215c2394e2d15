// Package owner determines whose data a request may access.
//
// Only this package makes an [Owner]: by authentication ([Keyring.Authenticate]), for
// the local user ([Local]), or from a row that an authenticated caller caused
// ([Stored]). Every store method takes an Owner, so no data can be read or written
// without one.
package owner

import "slices"

// Owner is the owner of data, with the rights of the caller. The zero Owner owns
// nothing; store methods refuse it.
type Owner struct {
	id     string
	scopes []Scope
	by     string
	key    string // the id of the caller's
	stored bool   // says that the key is one of the store's
	memory string
	limits Limits
	token  Pass // by which the caller was admitted; zero for a key
}

// LocalID is the owner of the configured key, the development key and the
// command line on the host.
const LocalID = "local"

// Local is the local owner with all rights.
func Local() Owner { return Owner{id: LocalID, scopes: AllScopes()} }

// Here is [Local] with the actor by which the caller was admitted; see package trail.
func Here(by string) Owner {
	o := Local()
	o.by = by
	return o
}

// Stored is the owner of a row that an authenticated caller caused, such as a message
// to be indexed. It has the scopes that the row stores, usually none.
func Stored(id string, scopes ...Scope) Owner { return Owner{id: id, scopes: scopes} }

// Through is the owner with the key of the row, and the key's limit of turns; 0 means
// no limit.
func (o Owner) Through(key string, turns int) Owner {
	o.key, o.limits.ConcurrentTurns = key, turns
	return o
}

// Scopes are the caller's scopes, for storing them in a row.
func (o Owner) Scopes() []Scope { return slices.Clone(o.scopes) }

// ID is the stable name of the owner, the first column of every table.
func (o Owner) ID() string { return o.id }

// By names the caller for logs and the audit log: "key:" and the key's name, or one
// of the other actors of package trail. "" if no caller was authenticated.
func (o Owner) By() string { return o.by }

// Key is the id of the caller's key; "" if there is none, as for the local user or a
// stored row.
func (o Owner) Key() string { return o.key }

// Token is the page token by which the caller was admitted; the zero Pass for a key.
func (o Owner) Token() Pass { return o.token }

// Memory is the session key of the caller's requests that name none; "" for none.
func (o Owner) Memory() string { return o.memory }

// Limits are the caller's limits.
func (o Owner) Limits() Limits { return o.limits }

// Can reports whether the caller holds the scope.
func (o Owner) Can(s Scope) bool { return slices.Contains(o.scopes, s) }

// Scope is a permission of a key.
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

// DefaultScopes are the scopes of a new key: all operations on its owner's data, but no
// operations on other keys.
func DefaultScopes() []Scope {
	return []Scope{Chat, SessionsRead, SessionsWrite, Memory, Jobs, Export}
}
