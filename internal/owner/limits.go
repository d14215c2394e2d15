package owner

import (
	"context"
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/fault"
)

// Limits are the limits of a caller; 0 means no limit.
type Limits struct {
	RequestsPerMinute int
	ConcurrentTurns   int
}

// KeyLimits are the limits set for one key; nil means the keyring's default, 0 means no
// limit.
type KeyLimits struct {
	RequestsPerMinute *int
	ConcurrentTurns   *int
}

// MaxLimit is the highest limit of a key.
const MaxLimit = 1_000_000

// over are the limits of a key with the given defaults.
func (l Limits) over(own KeyLimits) Limits {
	if own.RequestsPerMinute != nil {
		l.RequestsPerMinute = *own.RequestsPerMinute
	}
	if own.ConcurrentTurns != nil {
		l.ConcurrentTurns = *own.ConcurrentTurns
	}
	return l
}

// check refuses invalid limits.
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

// Limit sets the default limits of keys. The terminal's token and the development key
// have no limits. It is called before the first authentication.
func (k *Keyring) Limit(l Limits) { k.limits = l }

// Limits are the limits in force for a key.
func (k *Keyring) Limits(own KeyLimits) Limits { return k.limits.over(own) }

// Spread gives each of several processes an equal share of the limits of a key. processes
// counts them. It is called before the first authentication.
func (k *Keyring) Spread(processes func() int) { k.processes = processes }

// share is what this process lets through of limits that hold over all processes.
func (k *Keyring) share(l Limits) Limits {
	if k.processes == nil {
		return l
	}
	n := k.processes()
	return Limits{RequestsPerMinute: part(l.RequestsPerMinute, n), ConcurrentTurns: part(l.ConcurrentTurns, n)}
}

// part is a share of a limit, to the nearest number. A share is at least 1: 0 means no limit.
func part(limit, processes int) int {
	if limit == 0 || processes < 2 {
		return limit
	}
	return max(1, (limit+processes/2)/processes)
}

// Change changes the limits of the valid key with the given id or unique name. The new
// limits apply from the next request on.
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
