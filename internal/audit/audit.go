// Package audit is the audit log: an append-only list of actions per owner, linked by
// hashes. It has ids and words from fixed sets, never content. A session's id is text
// of its owner, so it is stored as a keyed hash: after the session is forgotten,
// nothing of it is left, and no entry must be rewritten.
package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/trail"
)

// Entry is one action.
type Entry struct {
	Seq int64 // gapless per owner, from 1
	At  time.Time
	// Actor is as in [trail.Trail]; "" if unknown.
	Actor string
	// Action is a word such as "session.delete".
	Action string
	// Kind and Target name the target: the id of a key, job or fact, the name of a
	// tool, or the keyed hash of a session's id. Both are "" if the action has no
	// single target.
	Kind, Target string
	RequestID    string
	// Outcome is "ok", or the code of the failure.
	Outcome string
	// Detail is additional information, such as a count; never content.
	Detail string
	// Hash covers the entry and all earlier ones.
	Hash []byte
}

// Kinds of targets.
const (
	Session  = "session" // Target is hashed by the store
	Key      = "key"
	Fact     = "fact"
	Response = "response"
	Run      = "run"
	Job      = "job"
	Tool     = "tool"
	// PageToken is a token of the page, or a code for one.
	PageToken = "page_token"
)

// OK is the outcome of a successful action.
const OK = "ok"

// Filter selects entries; zero fields do not restrict.
type Filter struct {
	Since, Until time.Time // from Since, before Until
	Action       string    // whole, or its beginning up to a dot
	Actor        string
	Session      string // the id of a session, as its owner names it
	Before       int64  // entries with a smaller Seq
	Limit        int    // newest first; 0 means all
}

// Store keeps entries. No method changes an entry. Entries older than the configured
// age are dropped when a new one is added.
type Store interface {
	// Enter appends an entry. The store sets Seq and Hash, and hashes the ids of
	// sessions. It does not write the [Note] of ctx.
	Enter(ctx context.Context, o owner.Owner, e Entry) error
	// Audit returns an owner's entries, newest first.
	Audit(ctx context.Context, o owner.Owner, f Filter) ([]Entry, error)
}

// Sum is the hash of an entry whose predecessor has the given hash.
func (e *Entry) Sum(before []byte) []byte {
	h := sha256.New()
	h.Write(before)
	var n [8]byte
	for _, v := range []int64{e.Seq, e.At.UnixMilli()} {
		binary.BigEndian.PutUint64(n[:], uint64(v))
		h.Write(n[:])
	}
	for _, part := range []string{e.Actor, e.Action, e.Kind, e.Target, e.RequestID, e.Outcome, e.Detail} {
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		h.Write(n[:])
		h.Write([]byte(part))
	}
	return h.Sum(nil)
}

// Verdict is the result of checking an owner's entries.
type Verdict struct {
	Entries int
	// First and Last are the numbers of the oldest and newest entry. Entries before
	// First were dropped for their age, or removed.
	First, Last int64
	// Hash is the hash of the newest entry. A copy noted elsewhere shows later whether
	// the end was cut off.
	Hash []byte
	// Broken is the first entry that does not follow the one before; 0 for none.
	Broken int64
}

// Verify checks entries, newest first, as a store returns them.
func Verify(list []Entry) Verdict {
	v := Verdict{Entries: len(list)}
	if len(list) == 0 {
		return v
	}
	v.First, v.Last, v.Hash = list[len(list)-1].Seq, list[0].Seq, list[0].Hash
	for i := len(list) - 1; i >= 0; i-- {
		e := &list[i]
		var before []byte
		switch {
		case i < len(list)-1:
			if before = list[i+1].Hash; e.Seq != list[i+1].Seq+1 {
				v.Broken = e.Seq
				return v
			}
		case e.Seq != 1:
			continue // the predecessor is gone, so its hash cannot be checked
		}
		if !bytes.Equal(e.Sum(before), e.Hash) {
			v.Broken = e.Seq
			return v
		}
	}
	return v
}

// Note is an entry that should be written together with its action. It travels in the
// context, and the first transaction with that context writes it.
type Note struct {
	owner owner.Owner
	now   func() time.Time

	mu      sync.Mutex
	entry   Entry
	written bool
	skipped bool
}

type noteKey struct{}

// With returns a context with a note of an action. The actor is that of the context's
// trail.
func With(ctx context.Context, o owner.Owner, now func() time.Time, action, kind, target string) (context.Context, *Note) {
	t := trail.From(ctx)
	n := &Note{owner: o, now: now, entry: Entry{Actor: t.Actor, Action: action, Kind: kind, Target: target, RequestID: t.RequestID,
		Outcome: OK}}
	return context.WithValue(ctx, noteKey{}, n), n
}

// From returns the note of a context; nil for none. All methods accept nil.
func From(ctx context.Context) *Note {
	n, _ := ctx.Value(noteKey{}).(*Note)
	return n
}

// Names sets the target of the action, once it is known.
func (n *Note) Names(target string) {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.entry.Target = target
}

// Detail adds information.
func (n *Note) Detail(word string) {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.entry.Detail = word
}

// Skip says that the action does not take place.
func (n *Note) Skip() {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.skipped = true
}

// Open returns the entry for a transaction to write; false if there is none, or if
// another transaction has it.
func (n *Note) Open() (owner.Owner, Entry, bool) {
	if n == nil {
		return owner.Owner{}, Entry{}, false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	e := n.entry
	e.At = n.now()
	return n.owner, e, !n.written && !n.skipped
}

// Written says that a transaction with the entry was committed.
func (n *Note) Written() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.written = true
}

// Close writes the entry if no transaction did. If the action failed after the
// transaction, it writes a second entry. outcome is "" for success, otherwise a code.
func (n *Note) Close(ctx context.Context, s Store, outcome string) error {
	n.mu.Lock()
	e, written := n.entry, n.written
	done := n.skipped || written && outcome == ""
	n.skipped = true
	n.mu.Unlock()
	if done {
		return nil
	}
	if e.At = n.now(); outcome != "" {
		e.Outcome = outcome
	}
	return s.Enter(ctx, n.owner, e)
}
