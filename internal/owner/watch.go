package owner

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/trail"
)

// watch cancels requests whose key is no longer valid.
type watch struct {
	mu      sync.Mutex
	next    int
	open    map[string]map[int]context.CancelCauseFunc // by key
	revoked map[string]bool                            // by this process
}

// DevelopmentName names the development key among keys.
const DevelopmentName = trail.Development

// Watch returns a context that ends when the caller's key is revoked, when the page token
// of the caller ends, or, for the development key, when the first key is made, with a
// fault as its cause. The returned function ends the watch.
func (k *Keyring) Watch(ctx context.Context, o Owner) (context.Context, func()) {
	var over []func()
	watched := func(name string) {
		var cancel context.CancelCauseFunc
		ctx, cancel = context.WithCancelCause(ctx)
		n := k.watch.add(name, cancel)
		over = append(over, func() {
			k.watch.remove(name, n)
			cancel(nil)
		})
	}
	switch {
	case o.stored:
		watched(o.key)
	case o.by == trail.Development:
		watched(DevelopmentName)
	}
	if o.token.ID != "" {
		watched(TokenName(o.token.ID))
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.token.ExpiresAt.Sub(k.now()), ended(tokenPrefix))
		over = append(over, cancel)
	}
	return ctx, func() {
		for _, f := range over {
			f()
		}
	}
}

func (w *watch) add(key string, cancel context.CancelCauseFunc) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.revoked[key] { // since it was authenticated
		cancel(ended(key))
		return 0
	}
	if w.open == nil {
		w.open = make(map[string]map[int]context.CancelCauseFunc)
	}
	if w.open[key] == nil {
		w.open[key] = make(map[int]context.CancelCauseFunc)
	}
	w.next++
	w.open[key][w.next] = cancel
	return w.next
}

func (w *watch) remove(key string, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.open[key], n)
	if len(w.open[key]) == 0 {
		delete(w.open, key)
	}
}

// end cancels all requests of a key.
func (w *watch) end(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.revoked == nil {
		w.revoked = make(map[string]bool)
	}
	w.revoked[key] = true
	for _, cancel := range w.open[key] {
		cancel(ended(key))
	}
	delete(w.open, key)
}

// keys are those with requests under way.
func (w *watch) keys() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.open))
}

// Revoked ends the requests of a key that another process has revoked, of the page token of a
// [TokenName], or of the development key ([DevelopmentName]). "" stands for any: news were lost, and
// those of all requests under way are looked up.
func (k *Keyring) Revoked(ctx context.Context, name string) error {
	k.noKeys.Store(0) // another process may have made a key
	if name != "" {
		k.watch.end(name)
		return nil
	}
	for _, name := range k.watch.keys() {
		over, err := k.over(ctx, name)
		if err != nil {
			return fmt.Errorf("look up a key with requests under way: %w", err)
		}
		if over {
			k.watch.end(name)
		}
	}
	return nil
}

// TokenName names a page token among keys.
func TokenName(id string) string { return tokenPrefix + id }

// over reports whether a key was revoked, a page token is gone, or the development key is no
// longer accepted.
func (k *Keyring) over(ctx context.Context, name string) (bool, error) {
	if name == DevelopmentName {
		accepted, err := k.Development(ctx)
		return err == nil && !accepted, err
	}
	if id, isToken := strings.CutPrefix(name, tokenPrefix); isToken {
		_, err := k.passes.PassByID(ctx, id)
		if fault.KindOf(err) == fault.NotFound {
			return true, nil
		}
		return false, err
	}
	key, err := k.store.KeyByID(ctx, name)
	return err == nil && !key.RevokedAt.IsZero(), err
}

// ended says that a key, or a page token, is no longer valid.
func ended(name string) error {
	switch {
	case strings.HasPrefix(name, tokenPrefix):
		return fault.New(fault.Unauthenticated, "invalid_api_key", "This page token has ended. Sign in again.")
	case name == DevelopmentName:
		return fault.New(fault.Unauthenticated, "invalid_api_key", "The development key is no longer accepted: this server has a key of its own now.")
	}
	return fault.New(fault.Unauthenticated, "invalid_api_key", "This API key has been revoked.")
}
