package owner

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/trail"
)

// Pass is what the page shows instead of a key: a token, or a code that is changed for a
// token once. It acts as the key it was made with, and ends with that key.
type Pass struct {
	ID   string
	Code bool   // a code, and no token
	Hash []byte // SHA-256 of the secret
	// Via names the key that the pass was made with.
	Via string
	// Stay keeps a token that is not used.
	Stay      bool
	CreatedAt time.Time
	UsedAt    time.Time // to the minute
	ExpiresAt time.Time
}

// PassStore keeps passes. A pass is looked up before its owner is known, so these methods
// take no owner. Only a [Keyring] calls them.
type PassStore interface {
	// InsertPass stores a new pass, and deletes those that have expired before its time.
	InsertPass(ctx context.Context, p Pass) error
	// PassByID returns a pass, expired or not. NotFound if there is none.
	PassByID(ctx context.Context, id string) (Pass, error)
	// PassesVia lists the passes that were made with a key, newest first.
	PassesVia(ctx context.Context, via string) ([]Pass, error)
	// UsePass sets the time when a pass was last used. It is no error if there is none.
	UsePass(ctx context.Context, id string, at time.Time) error
	// DeletePass deletes a pass. NotFound if there is none: of several calls, one deletes it.
	DeletePass(ctx context.Context, id string) error
}

// The times of passes.
const (
	// TokenLife is how long a token is valid at most.
	TokenLife = 30 * 24 * time.Hour
	// TokenIdle is how long a token stays valid without being used, unless it is to stay.
	TokenIdle = 12 * time.Hour
	// CodeLife is how long a code is valid.
	CodeLife = time.Minute
	// useEvery is the precision of the time of the last use.
	useEvery = time.Minute
)

// The beginnings of the secrets of passes.
const (
	tokenPrefix = "hp_"
	codePrefix  = "hc_"
)

// KeepPasses lets the keyring make and accept passes. It is called before the first
// authentication.
func (k *Keyring) KeepPasses(store PassStore) { k.passes = store }

// SignIn makes a token that acts as the caller's key, and returns its secret, which is
// shown once and not stored. A token cannot make another one, so that it cannot outlive
// its time.
func (k *Keyring) SignIn(ctx context.Context, o Owner, stay bool) (Pass, string, error) {
	via, err := k.via(o)
	if err != nil {
		return Pass{}, "", err
	}
	return k.token(ctx, via, stay)
}

// PageCode makes a code that is changed for a token of the caller's key, once.
func (k *Keyring) PageCode(ctx context.Context, o Owner) (Pass, string, error) {
	via, err := k.via(o)
	if err != nil {
		return Pass{}, "", err
	}
	return k.newPass(ctx, Pass{Code: true, Via: via}, CodeLife, 16)
}

// Redeem changes a code for a token. It fails with Unauthenticated "invalid_code" for a
// code that is wrong, used or too old, without saying which.
func (k *Keyring) Redeem(ctx context.Context, code string, stay bool) (Pass, string, Owner, error) {
	p, err := k.pass(ctx, codePrefix, code)
	if err == nil {
		err = k.passes.DeletePass(ctx, p.ID) // of several at once, one is the first
	}
	var o Owner
	if err == nil {
		o, err = k.behind(ctx, p.Via)
	}
	if kind := fault.KindOf(err); kind == fault.NotFound || kind == fault.Unauthenticated {
		return Pass{}, "", Owner{}, fault.New(fault.Unauthenticated, "invalid_code",
			"This link was used already, or is older than a minute. Make another one: hermes page")
	}
	if err != nil {
		return Pass{}, "", Owner{}, err
	}
	token, secret, err := k.token(ctx, p.Via, stay)
	return token, secret, o, err
}

// Tokens lists the valid tokens of the caller's key, newest first.
func (k *Keyring) Tokens(ctx context.Context, o Owner) ([]Pass, error) {
	via := k.keyOf(o)
	if via == "" {
		return nil, nil
	}
	all, err := k.passes.PassesVia(ctx, via)
	if err != nil {
		return nil, fmt.Errorf("list page tokens: %w", err)
	}
	var valid []Pass
	for i := range all {
		if !all[i].Code && all[i].holds(k.now()) {
			valid = append(valid, all[i])
		}
	}
	return valid, nil
}

// SignOut ends a token of the caller's key, and the requests under way with it. NotFound
// if the key has no such token.
func (k *Keyring) SignOut(ctx context.Context, o Owner, id string) error {
	tokens, err := k.Tokens(ctx, o)
	if err != nil {
		return err
	}
	for i := range tokens {
		if tokens[i].ID != id {
			continue
		}
		if err := k.passes.DeletePass(ctx, id); err != nil {
			return err
		}
		k.watch.end(TokenName(id))
		return nil
	}
	return errNoToken()
}

func errNoToken() error {
	return fault.New(fault.NotFound, "page_token_not_found", "Your key has no page token with this id. GET /api/page/token lists them.").At("id")
}

func (k *Keyring) token(ctx context.Context, via string, stay bool) (Pass, string, error) {
	return k.newPass(ctx, Pass{Via: via, Stay: stay}, TokenLife, 32)
}

// newPass stores a pass and returns it with its secret of that many random bytes.
func (k *Keyring) newPass(ctx context.Context, p Pass, life time.Duration, size int) (Pass, string, error) {
	var id [6]byte
	random := make([]byte, size)
	_, _ = rand.Read(id[:]) // never fails since Go 1.24
	_, _ = rand.Read(random)
	prefix := tokenPrefix
	if p.Code {
		prefix = codePrefix
	}
	p.ID = hex.EncodeToString(id[:])
	secret := prefix + p.ID + "_" + base64.RawURLEncoding.EncodeToString(random)
	hash := sha256.Sum256([]byte(secret))
	p.Hash, p.CreatedAt = hash[:], k.now().UTC()
	p.UsedAt, p.ExpiresAt = p.CreatedAt, p.CreatedAt.Add(life)
	if err := k.passes.InsertPass(ctx, p); err != nil {
		return Pass{}, "", fmt.Errorf("store page token: %w", err)
	}
	return p, secret, nil
}

// holds reports whether a pass is valid at a time.
func (p *Pass) holds(now time.Time) bool {
	if p.Code || p.Stay {
		return now.Before(p.ExpiresAt)
	}
	return now.Before(p.ExpiresAt) && now.Sub(p.UsedAt) < TokenIdle
}

// pass returns the valid pass of a secret.
func (k *Keyring) pass(ctx context.Context, prefix, secret string) (Pass, error) {
	id, ok := secretID(prefix, secret)
	if !ok || k.passes == nil {
		return Pass{}, refused()
	}
	p, err := k.passes.PassByID(ctx, id)
	if fault.KindOf(err) == fault.NotFound {
		return Pass{}, refused()
	}
	if err != nil {
		return Pass{}, fmt.Errorf("look up page token: %w", err)
	}
	hash := sha256.Sum256([]byte(secret))
	if subtle.ConstantTimeCompare(hash[:], p.Hash) != 1 || p.Code != (prefix == codePrefix) || !p.holds(k.now()) {
		return Pass{}, refused()
	}
	return p, nil
}

// byToken turns a page token into the owner of its key.
func (k *Keyring) byToken(ctx context.Context, token string) (Owner, error) {
	p, err := k.pass(ctx, tokenPrefix, token)
	if err != nil {
		return Owner{}, err
	}
	o, err := k.behind(ctx, p.Via)
	if err != nil {
		return Owner{}, err
	}
	if now := k.now().UTC(); now.Sub(p.UsedAt) >= useEvery {
		// A full disk must not keep anybody from reading.
		_ = k.passes.UsePass(context.WithoutCancel(ctx), p.ID, now)
	}
	o.token = p
	return o, nil
}

// The keys that a pass can be made with.
const (
	viaTerminal   = "terminal"
	viaStored     = "key:"
	viaConfigured = "configured:"
)

// via names the key of a caller who makes a pass.
func (k *Keyring) via(o Owner) (string, error) {
	switch {
	case o.token.ID != "":
		return "", fault.New(fault.Forbidden, "page_token_only", "A page token cannot make another one. Use the key that it was made with.")
	case o.by == trail.Development, o.by == trail.Anybody, k.passes == nil:
		return "", fault.New(fault.Invalid, "page_token_not_needed", "This server lets the page in without a page token.")
	}
	return k.viaOf(o), nil
}

// viaOf names the key of a caller; "" for one who has none.
func (k *Keyring) viaOf(o Owner) string {
	n, err := strconv.Atoi(strings.TrimPrefix(o.key, trail.Configured))
	switch {
	case o.stored:
		return viaStored + o.key
	case o.by == trail.Terminal:
		return viaTerminal
	case o.by != trail.Configured || err != nil:
		return ""
	}
	return viaConfigured + k.fingerprint(n-1)
}

// keyOf names the key of a caller, or of the token of the caller; "" for none.
func (k *Keyring) keyOf(o Owner) string {
	switch {
	case o.token.ID != "":
		return o.token.Via
	case k.passes == nil:
		return ""
	}
	return k.viaOf(o)
}

// fingerprint is a hash of the hash of a configured key, so that the store does not have
// what a guess could be compared with at once.
func (k *Keyring) fingerprint(i int) string {
	sum := sha256.Sum256(k.configured[i][:])
	return hex.EncodeToString(sum[:])
}

// behind is the owner of a key by its name in a pass. It fails with Unauthenticated once
// the key is no longer valid.
func (k *Keyring) behind(ctx context.Context, via string) (Owner, error) {
	if via == viaTerminal {
		return Here(trail.Terminal), nil
	}
	if id, ok := strings.CutPrefix(via, viaStored); ok {
		return k.byID(ctx, id)
	}
	for i := range k.configured {
		if via == viaConfigured+k.fingerprint(i) {
			return k.ofConfigured(i), nil
		}
	}
	return Owner{}, refused()
}
