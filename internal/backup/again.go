package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Pending is what a store from a backup must still learn: what was forgotten, which keys were
// revoked, and who was shut out, since the backup; and whether there ever were keys.
type Pending struct {
	things []thing
	hashes map[string]time.Time // of lineages, sentences, keys and people: when they were forgotten last
	keys   map[string][]byte
	// sentences says that sentences of messages are among the hashes.
	sentences bool
	// Unfound counts the forgotten things that no text can be searched for: their hash has
	// no words, as of "C#".
	Unfound int
	// Foreign counts the entries under keys that are not known here.
	Foreign int
}

// thing is a forgotten thing of an owner.
type thing struct {
	owner   string
	erasure memory.Erasure
}

// PendingOf selects of a ledger what is newer than a backup, and what was interrupted. keys
// are the keys of hashes that are known.
func PendingOf(entries []Entry, since time.Time, keys ...[]byte) *Pending {
	p := &Pending{hashes: make(map[string]time.Time), keys: make(map[string][]byte)}
	for _, key := range keys {
		p.keys[StoreOf(key)] = key
	}
	seen := make(map[string]bool)
	for _, e := range newer(entries, since.Truncate(time.Millisecond)) {
		name := e.name()
		switch {
		case seen[name]:
			if at, known := p.hashes[name]; known && e.At.After(at) {
				p.hashes[name] = e.At
			}
			continue
		case p.keys[e.Store] == nil:
			p.Foreign++
		case e.Kind != kindThing:
			p.hashes[name] = e.At
			p.sentences = p.sentences || e.Kind == kindSentence
		case e.Words == 0:
			p.Unfound++
		default:
			p.things = append(p.things, thing{e.Owner, e.erasure(p.keys[e.Store])})
		}
		seen[name] = true
	}
	return p
}

// newer are the entries that were made since a time, and those of erasures that were begun
// before and not completed. Revoked keys stay revoked, and keys that were made stay made.
func newer(entries []Entry, since time.Time) []Entry {
	open := make(map[string]int) // the newest entry of an erasure that was not completed
	var out []Entry
	for i, e := range entries {
		name := e.name()
		switch {
		case e.Kind == kindKey, e.Kind == kindMade, !e.At.Before(since):
			out = append(out, e)
		case e.Done:
			delete(open, name)
		default:
			open[name] = i
		}
	}
	for _, i := range open {
		out = append(out, entries[i])
	}
	return out
}

// name tells what an entry is of. To forget a thing as a whole word is less than to forget it.
func (e *Entry) name() string {
	if e.Whole {
		return e.Kind + " whole " + e.Hash
	}
	return e.Kind + e.Hash
}

// erasure is the entry of a thing as memory knows it.
func (e *Entry) erasure(key []byte) memory.Erasure {
	hash, _ := hex.DecodeString(e.Hash) // checked when it was read
	return memory.Erasure{Hash: [sha256.Size]byte(hash), Key: key, Words: e.Words, Plain: e.Plain, Whole: e.Whole, At: e.At}
}

// Again is what an owner's data must forget again.
func (p *Pending) Again(o owner.Owner) *curate.Again {
	a := &curate.Again{
		Lineage: func(o owner.Owner, root session.ID) (time.Time, bool) {
			return p.newest(kindLineage, func(key []byte) string { return lineageHash(key, o, root) })
		},
	}
	if p.sentences {
		a.Sentence = func(o owner.Owner, at memory.Place, sentence string) bool {
			return p.has(kindSentence, func(key []byte) string { return sentenceHash(key, o, at, sentence) })
		}
	}
	for i := range p.things {
		if p.things[i].owner == o.ID() {
			a.Things = append(a.Things, p.things[i].erasure)
		}
	}
	return a
}

// Revoked reports whether an API key was revoked.
func (p *Pending) Revoked(id string) bool {
	return p.has(kindKey, func(key []byte) string { return keyed(key, kindKey, id) })
}

// KeysMade reports whether the store ever had an API key.
func (p *Pending) KeysMade() bool { return p.has(kindMade, madeHash) }

// ShutOut reports whether a person was shut out since the backup.
func (p *Pending) ShutOut(host owner.Owner, who Person) bool {
	return p.has(kindPerson, func(key []byte) string { return personHash(key, host, who) })
}

// has reports whether an entry has a hash under one of the keys.
func (p *Pending) has(kind string, hash func(key []byte) string) bool {
	_, found := p.newest(kind, hash)
	return found
}

// newest is the time of the newest entry with a hash under one of the keys; false if there is none.
func (p *Pending) newest(kind string, hash func(key []byte) string) (at time.Time, found bool) {
	if len(p.hashes) == 0 {
		return at, false
	}
	for _, key := range p.keys {
		if at, found = p.hashes[kind+hash(key)]; found {
			return at, true
		}
	}
	return at, false
}
