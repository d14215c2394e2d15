package owner

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/trail"
)

// Key is a stored API key, without its secret.
type Key struct {
	ID      string
	Name    string
	OwnerID string
	Hash    []byte // SHA-256 of the secret
	Scopes  []Scope
	Limits  KeyLimits
	// Memory is the session key of requests that name none; "" for none.
	Memory    string
	CreatedAt time.Time
	RevokedAt time.Time // zero while the key is valid
	// Sole says of a key that is inserted that no other key may have its owner. It is not stored.
	Sole bool
}

// KeyStore keeps keys. Keys are looked up before the owner is known, so these methods
// take no owner. Only a [Keyring] calls them.
type KeyStore interface {
	// InsertKey stores a new key. It fails with Conflict [ErrExists] for a Sole key whose owner has one.
	InsertKey(ctx context.Context, k Key) error
	// KeyByID returns a key, revoked or not. NotFound if there is none.
	KeyByID(ctx context.Context, id string) (Key, error)
	// Keys lists all keys, oldest first.
	Keys(ctx context.Context) ([]Key, error)
	// RevokeKey makes a key invalid from now on. NotFound if there is none.
	RevokeKey(ctx context.Context, id string, at time.Time) (Key, error)
	// LimitKey replaces the limits of a key. NotFound if there is none.
	LimitKey(ctx context.Context, id string, l KeyLimits) (Key, error)
}

// DevelopmentKey is accepted on a loopback address until the first key is made, so
// that the first five minutes need no set-up. A revoked key counts as made: revoking
// the last key locks every client out and never re-enables this one.
const DevelopmentKey = "hermes"

// MinKeyLength is the shortest configured key that is accepted.
const MinKeyLength = 16

// Keyring authenticates callers.
type Keyring struct {
	store       KeyStore
	configured  [][32]byte // hashes of the keys in the configuration
	development bool       // accept [DevelopmentKey] until the first key is made
	now         func() time.Time
	// noKeys is when the store was last seen without a key, in nanoseconds. A new user
	// sends the development key with every request, which must not cost a query each
	// time.
	noKeys atomic.Int64
	limits Limits // of keys that have none of their own
	// processes counts those that share the limits; nil for one.
	processes func() int
	watch     watch
	passes    PassStore // nil accepts none
}

// noKeysFresh is how long noKeys is valid. Making a key invalidates it at once.
const noKeysFresh = time.Second

// NewKeyring returns a keyring over the configured keys and the store's.
// development allows [DevelopmentKey] until the first key is made.
func NewKeyring(store KeyStore, configured []string, development bool, now func() time.Time) *Keyring {
	k := &Keyring{store: store, development: development, now: now}
	for _, secret := range configured {
		k.configured = append(k.configured, sha256.Sum256([]byte(secret)))
	}
	return k
}

// CheckConfigured refuses keys that are too short or obvious placeholders.
func CheckConfigured(secret string) error {
	if utf8.RuneCountInString(secret) < MinKeyLength {
		return fault.New(fault.Invalid, "weak_key", fmt.Sprintf(
			"A configured API key must have at least %d characters. Set a longer one in server.keys or API_SERVER_KEY.", MinKeyLength))
	}
	low := strings.ToLower(secret)
	for _, p := range []string{"changeme", "change-me", "your-api-key", "your_api_key", "placeholder", "example", "xxxxxxxx"} {
		if strings.Contains(low, p) {
			return fault.New(fault.Invalid, "placeholder_key", "The configured API key looks like a placeholder. Set a real one, for example from: openssl rand -hex 32")
		}
	}
	return nil
}

// Authenticate turns a bearer token into an owner. It fails with
// Unauthenticated for anything that is not a valid key, without saying why.
func (k *Keyring) Authenticate(ctx context.Context, token string) (Owner, error) {
	hash := sha256.Sum256([]byte(token))
	found := 0 // or which, from 1
	for i := range k.configured {
		found |= (i + 1) * subtle.ConstantTimeCompare(hash[:], k.configured[i][:])
	}
	if found > 0 {
		return k.ofConfigured(found - 1), nil
	}
	if id, ok := secretID(keyPrefix, token); ok {
		return k.stored(ctx, id, hash)
	}
	if strings.HasPrefix(token, tokenPrefix) {
		return k.byToken(ctx, token)
	}
	dev := sha256.Sum256([]byte(DevelopmentKey))
	if subtle.ConstantTimeCompare(hash[:], dev[:]) == 1 {
		ok, err := k.Development(ctx)
		if err != nil {
			return Owner{}, err
		}
		if ok {
			return Here(trail.Development), nil
		}
		return Owner{}, fault.New(fault.Unauthenticated, "invalid_api_key",
			"The development key is not accepted: this server has or had other keys, or listens beyond this machine. "+
				"Make a key on the server's machine: hermes keys create --name NAME --owner local")
	}
	return Owner{}, refused()
}

func (k *Keyring) stored(ctx context.Context, id string, hash [32]byte) (Owner, error) {
	key, err := k.store.KeyByID(ctx, id)
	if fault.KindOf(err) == fault.NotFound {
		return Owner{}, refused()
	}
	if err != nil {
		return Owner{}, fmt.Errorf("look up key: %w", err)
	}
	if subtle.ConstantTimeCompare(hash[:], key.Hash) != 1 || !key.RevokedAt.IsZero() {
		return Owner{}, refused()
	}
	return k.ofKey(&key), nil
}

// byID is the owner of a valid key with an id, which its secret has proved before.
func (k *Keyring) byID(ctx context.Context, id string) (Owner, error) {
	key, err := k.store.KeyByID(ctx, id)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return Owner{}, refused()
	case err != nil:
		return Owner{}, fmt.Errorf("look up key: %w", err)
	case !key.RevokedAt.IsZero():
		return Owner{}, refused()
	}
	return k.ofKey(&key), nil
}

// ofKey is the owner that a stored key admits.
func (k *Keyring) ofKey(key *Key) Owner {
	return Owner{
		id: key.OwnerID, scopes: key.Scopes, by: trail.Key + key.Name, key: key.ID, stored: true, memory: key.Memory,
		limits: k.share(k.Limits(key.Limits)),
	}
}

// ofConfigured is the owner that a key of the configuration admits.
func (k *Keyring) ofConfigured(i int) Owner {
	o := Here(trail.Configured)
	o.key, o.limits = trail.Configured+strconv.Itoa(i+1), k.share(k.limits)
	return o
}

func refused() error {
	return fault.New(fault.Unauthenticated, "invalid_api_key", "Invalid API key. Send it as: Authorization: Bearer <key>")
}

// Development reports whether the development key is accepted now.
func (k *Keyring) Development(ctx context.Context) (bool, error) {
	if !k.development || len(k.configured) > 0 {
		return false, nil
	}
	now := k.now().UnixNano()
	if seen := k.noKeys.Load(); seen != 0 && now-seen < int64(noKeysFresh) && now >= seen {
		return true, nil
	}
	keys, err := k.store.Keys(ctx)
	if err != nil {
		return false, fmt.Errorf("list keys: %w", err)
	}
	if len(keys) > 0 {
		return false, nil
	}
	k.noKeys.Store(now)
	return true, nil
}

// NewKey is a request for a key.
type NewKey struct {
	Name    string
	OwnerID string  // "" makes an owner of its own, named after the key
	Scopes  []Scope // nil: [DefaultScopes]; an empty list is refused
	Limits  KeyLimits
	Memory  string // the session key of requests that name none; "" for none
}

// Create makes a key and returns its secret, which is shown once and not stored. Requests
// under way with the development key end: from now on it is not accepted.
func (k *Keyring) Create(ctx context.Context, in NewKey) (Key, string, error) {
	name, ownerID, scopes := in.Name, in.OwnerID, in.Scopes
	if ownerID == "" {
		if err := k.unused(ctx, name); err != nil {
			return Key{}, "", err
		}
		ownerID = name
	}
	for _, text := range []string{name, ownerID} {
		if text == "" || !utf8.ValidString(text) || utf8.RuneCountInString(text) > 64 || strings.ContainsFunc(text, unicode.IsControl) {
			return Key{}, "", fault.New(fault.Invalid, "invalid_key_name", "A key's name and owner are 1–64 characters without control characters.").At("name")
		}
	}
	switch {
	case scopes == nil:
		scopes = DefaultScopes()
	case len(scopes) == 0: // a list that someone left empty must not become every scope
		return Key{}, "", fault.New(fault.Invalid, "invalid_scope", fmt.Sprintf("Name a scope. The scopes are: %v.", AllScopes())).At("scopes")
	}
	for _, s := range scopes {
		if !slices.Contains(AllScopes(), s) {
			return Key{}, "", fault.New(fault.Invalid, "invalid_scope",
				fmt.Sprintf("Unknown scope %q. The scopes are: %v.", s, AllScopes())).At("scopes")
		}
	}
	if err := in.Limits.check(); err != nil {
		return Key{}, "", err
	}
	var id [6]byte
	var random [32]byte
	_, _ = rand.Read(id[:]) // never fails since Go 1.24
	_, _ = rand.Read(random[:])
	key := Key{
		ID: hex.EncodeToString(id[:]), Name: name, OwnerID: ownerID, Scopes: scopes, Limits: in.Limits, Memory: in.Memory,
		CreatedAt: k.now().UTC(), Sole: in.OwnerID == "",
	}
	secret := keyPrefix + key.ID + "_" + base64.RawURLEncoding.EncodeToString(random[:])
	hash := sha256.Sum256([]byte(secret))
	key.Hash = hash[:]
	if err := k.store.InsertKey(ctx, key); err != nil {
		return Key{}, "", fmt.Errorf("store key: %w", err)
	}
	key.Sole = false
	k.noKeys.Store(0)
	k.watch.end(DevelopmentName)
	return key, secret, nil
}

// unused refuses a taken name: a key made without an owner must never get another
// owner's data.
func (k *Keyring) unused(ctx context.Context, name string) error {
	keys, err := k.store.Keys(ctx)
	if err != nil {
		return fmt.Errorf("list keys: %w", err)
	}
	if name == LocalID || slices.ContainsFunc(keys, func(key Key) bool { return key.OwnerID == name }) {
		return ErrExists(name)
	}
	return nil
}

// ErrExists is the fault for a key that was to have an owner of its own, whose name is taken.
func ErrExists(name string) error {
	return fault.New(fault.Conflict, "owner_exists", fmt.Sprintf(
		"There is an owner named %q already. To give that owner another key, name it: hermes keys create --name NAME --owner %s", name, name)).At("name")
}

// List returns all keys, oldest first.
func (k *Keyring) List(ctx context.Context) ([]Key, error) { return k.store.Keys(ctx) }

// Revoke makes the key with the given id or unique name invalid, and ends the requests
// under way with it.
func (k *Keyring) Revoke(ctx context.Context, idOrName string) (Key, error) {
	key, err := k.store.RevokeKey(ctx, idOrName, k.now().UTC())
	if fault.KindOf(err) == fault.NotFound {
		if key, err = k.find(ctx, idOrName); err == nil {
			key, err = k.store.RevokeKey(ctx, key.ID, k.now().UTC())
		}
	}
	if err != nil {
		return Key{}, err
	}
	k.watch.end(key.ID)
	return key, nil
}

// keyPrefix begins every generated key: scanners of leaked secrets can find it. The id
// for the lookup follows it.
const keyPrefix = "hk_"

// secretID returns the id in a generated secret with a prefix.
func secretID(prefix, secret string) (string, bool) {
	rest, ok := strings.CutPrefix(secret, prefix)
	if !ok {
		return "", false
	}
	id, _, ok := strings.Cut(rest, "_")
	return id, ok && len(id) == 12
}
