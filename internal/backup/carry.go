package backup

import (
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
)

// Erasures are all erasures of an owner in some entries, so that imports into a restored store
// leave out what was forgotten in the replaced one.
func Erasures(entries []Entry, o owner.Owner, keys ...[]byte) []memory.Erasure {
	known := make(map[string][]byte)
	for _, key := range keys {
		known[StoreOf(key)] = key
	}
	var out []memory.Erasure
	for i := range entries {
		e := &entries[i]
		if e.Kind == kindThing && e.Owner == o.ID() && known[e.Store] != nil {
			out = append(out, e.erasure(known[e.Store]))
		}
	}
	return out
}
