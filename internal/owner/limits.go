package owner

import (
	"context"
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/fault"
)

// Limits are what a key may ask for; 0 sets no bound.
type Limits struct {
	RequestsPerMinute int
	ConcurrentTurns   int
}

// KeyLimits are the limits that a key has of its own; nil leaves one to the
// keyring's, 0 sets no bound.
type KeyLimits struct {
	RequestsPerMinute *int
	ConcurrentTurns   *int
}

// MaxLimit is the highest limit of a key.
const MaxLimit = 1_000_000

// over are the limits of a key where these are the usual ones.
func (l Limits) over(own KeyLimits) Limits {
	if own.RequestsPerMinute != nil {
		l.RequestsPerMinute = *own.RequestsPerMinute
	}
	if own.ConcurrentTurns != nil {
		l.ConcurrentTurns = *own.ConcurrentTurns
	}
	return l
}

// check refuses limits that mean nothing.
func (l KeyLimits) check() error {
	for _, f := range []struct {
		at   *int
		name string
	}{{l.RequestsPerMinute, "requests_per_minute"}, {l.ConcurrentTurns, "concurrent_turns"}} {
		if f.at != nil && (*f.at < 0 || *f.at > MaxLimit) {
			return fault.New(fault.Invalid, "invalid_limit",
				fmt.Sprintf("A key's limit is between 0, for none, and %d; leave it out for the server's own.", MaxLimit)).At(f.name)
		}
	}
	return nil
}

// Limit sets the limits of keys that have none of their own. The person at this
// machine has none: neither the terminal's token nor the development key. It is
// called before the first caller comes.
func (k *Keyring) Limit(l Limits) { k.limits = l }

// Limits are what a key may ask for, its own and the keyring's.
func (k *Keyring) Limits(own KeyLimits) Limits { return k.limits.over(own) }

// Change gives the valid key with the given id or unique name limits, as change
// makes them of those it has. They count from the next request on.
func (k *Keyring) Change(ctx context.Context, idOrName string, change func(KeyLimits) KeyLimits) (Key, error) {
	key, err := k.find(ctx, idOrName)
	if err != nil {
		return Key{}, err
	}
	l := change(key.Limits)
	if err := l.check(); err != nil {
		return Key{}, err
	}
	return k.store.LimitKey(ctx, key.ID, l)
}

// find returns the valid key with an id or a unique name.
func (k *Keyring) find(ctx context.Context, idOrName string) (Key, error) {
	keys, err := k.store.Keys(ctx)
	if err != nil {
		return Key{}, fmt.Errorf("list keys: %w", err)
	}
	keys = slices.DeleteFunc(keys, func(key Key) bool { return !key.RevokedAt.IsZero() })
	if i := slices.IndexFunc(keys, func(key Key) bool { return key.ID == idOrName }); i >= 0 {
		return keys[i], nil
	}
	keys = slices.DeleteFunc(keys, func(key Key) bool { return key.Name != idOrName })
	switch len(keys) {
	case 0:
		return Key{}, fault.New(fault.NotFound, "key_not_found", "No valid key with this id or name. See `hermes keys list`.")
	case 1:
		return keys[0], nil
	}
	return Key{}, fault.New(fault.Conflict, "ambiguous_key", fmt.Sprintf("%d keys have this name. Name one by its id: see `hermes keys list`.", len(keys)))
}
