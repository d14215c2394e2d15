package storetest

import (
	"crypto/sha256"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

func keyTests() []test {
	return []test{
		{"a key is read back as it was created", testKeyFields},
		{"an id is unique", testKeyTaken},
		{"a revoked key stays revoked", testKeyRevoked},
		{"a key's limits are changed", testKeyLimits},
		{"a sole key is the only one of its owner", testKeySole},
	}
}

// apiKey is a key created n minutes after the epoch.
func apiKey(id, ownerID string, minute int) owner.Key {
	sum := sha256.Sum256([]byte(id))
	return owner.Key{
		ID: id, Name: "key " + id, OwnerID: ownerID, Hash: sum[:], Scopes: []owner.Scope{owner.Memory, owner.Chat},
		CreatedAt: epoch().Add(time.Duration(minute) * time.Minute),
	}
}

func testKeyFields(t *testing.T, st Store) {
	none, err := st.Keys(t.Context())
	kind(t, "no keys", err, "")
	same(t, "no keys", none, []owner.Key(nil))
	late, early, odd := apiKey("bbbbbbbbbbbb", "alice", 9), apiKey("cccccccccccc", "alice", 1), apiKey("aaaaaaaaaaaa", "bob's; --", 5)
	odd.Name = "名前:ü \"quoted\""
	late.Limits = owner.KeyLimits{RequestsPerMinute: new(60), ConcurrentTurns: new(0)}
	for _, k := range []owner.Key{late, early, odd} {
		kind(t, "insert", st.InsertKey(t.Context(), k), "")
		got, err := st.KeyByID(t.Context(), k.ID)
		kind(t, "key", err, "")
		same(t, "key", got, k)
	}
	all, err := st.Keys(t.Context())
	kind(t, "keys", err, "")
	same(t, "keys, oldest first", all, []owner.Key{early, odd, late})
	for _, id := range []string{"", "dddddddddddd", "%", "' OR 1=1 --"} {
		_, err = st.KeyByID(t.Context(), id)
		kind(t, "absent key", err, fault.NotFound)
	}
}

func testKeyTaken(t *testing.T, st Store) {
	k := apiKey("aaaaaaaaaaaa", "alice", 1)
	kind(t, "insert", st.InsertKey(t.Context(), k), "")
	usurper := apiKey("aaaaaaaaaaaa", "bob", 2)
	if err := st.InsertKey(t.Context(), usurper); err == nil {
		t.Error("insert a key whose id is taken by another owner: got no error")
	}
	all, err := st.Keys(t.Context())
	kind(t, "keys", err, "")
	same(t, "keys", all, []owner.Key{k})
}

func testKeyRevoked(t *testing.T, st Store) {
	k, other := apiKey("aaaaaaaaaaaa", "alice", 1), apiKey("bbbbbbbbbbbb", "alice", 2)
	kind(t, "insert", st.InsertKey(t.Context(), k), "")
	kind(t, "insert", st.InsertKey(t.Context(), other), "")
	at := epoch().Add(time.Hour)
	for _, when := range []time.Time{at, at.Add(time.Hour)} { // the first time counts
		got, err := st.RevokeKey(t.Context(), k.ID, when)
		kind(t, "revoke", err, "")
		k.RevokedAt = at
		same(t, "revoked key", got, k)
	}
	got, err := st.KeyByID(t.Context(), k.ID)
	kind(t, "revoked key", err, "")
	same(t, "revoked key", got, k)
	all, err := st.Keys(t.Context())
	kind(t, "keys", err, "")
	same(t, "keys", all, []owner.Key{k, other})
	_, err = st.RevokeKey(t.Context(), "cccccccccccc", at)
	kind(t, "revoke an absent key", err, fault.NotFound)
}

func testKeyLimits(t *testing.T, st Store) {
	k, other := apiKey("aaaaaaaaaaaa", "alice", 1), apiKey("bbbbbbbbbbbb", "alice", 2)
	kind(t, "insert", st.InsertKey(t.Context(), k), "")
	kind(t, "insert", st.InsertKey(t.Context(), other), "")
	for _, l := range []owner.KeyLimits{
		{RequestsPerMinute: new(5)}, {ConcurrentTurns: new(3)}, {RequestsPerMinute: new(0), ConcurrentTurns: new(0)}, {},
	} {
		got, err := st.LimitKey(t.Context(), k.ID, l)
		kind(t, "limit", err, "")
		k.Limits = l
		same(t, "limited key", got, k)
		got, err = st.KeyByID(t.Context(), k.ID)
		kind(t, "key", err, "")
		same(t, "limited key, read again", got, k)
	}
	all, err := st.Keys(t.Context())
	kind(t, "keys", err, "")
	same(t, "keys", all, []owner.Key{k, other})
	_, err = st.LimitKey(t.Context(), "cccccccccccc", owner.KeyLimits{})
	kind(t, "limit an absent key", err, fault.NotFound)
}

func testKeySole(t *testing.T, st Store) {
	sole := func(id, ownerID string) owner.Key {
		k := apiKey(id, ownerID, 1)
		k.Sole = true
		return k
	}
	kind(t, "the first one", st.InsertKey(t.Context(), sole("aaaaaaaaaaaa", "alice")), "")
	kind(t, "a second one", st.InsertKey(t.Context(), sole("bbbbbbbbbbbb", "alice")), fault.Conflict)
	kind(t, "another owner's", st.InsertKey(t.Context(), sole("cccccccccccc", "bob")), "")
	kind(t, "one that need not be alone", st.InsertKey(t.Context(), apiKey("dddddddddddd", "alice", 2)), "")
	all, err := st.Keys(t.Context())
	kind(t, "keys", err, "")
	same(t, "number of keys", len(all), 3)
}

// testSoleTogether: of sole keys for one owner that are inserted at once, one is stored.
func testSoleTogether(t *testing.T, nodes [2]Store) {
	const tries = 24
	var made atomic.Int64
	both(nodes, tries, func(st Store, n int) {
		k := apiKey(fmt.Sprintf("%012d", n), "alice", n)
		k.Sole = true
		if err := st.InsertKey(t.Context(), k); err == nil {
			made.Add(1)
		} else {
			kind(t, "a second key", err, fault.Conflict)
		}
	})
	same(t, "number of keys", made.Load(), int64(1))
}
