package storetest

import (
	"crypto/sha256"
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
