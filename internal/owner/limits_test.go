package owner

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/trail"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		own  KeyLimits
		want Limits
	}{
		{"the keyring's", KeyLimits{}, Limits{RequestsPerMinute: 600, ConcurrentTurns: 8}},
		{"one of its own", KeyLimits{RequestsPerMinute: new(5)}, Limits{RequestsPerMinute: 5, ConcurrentTurns: 8}},
		{"the other", KeyLimits{ConcurrentTurns: new(2)}, Limits{RequestsPerMinute: 600, ConcurrentTurns: 2}},
		{"none", KeyLimits{RequestsPerMinute: new(0), ConcurrentTurns: new(0)}, Limits{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k, _ := ring()
			k.Limit(Limits{RequestsPerMinute: 600, ConcurrentTurns: 8})
			key, secret, err := k.Create(t.Context(), NewKey{Name: "x", Limits: c.own})
			if err != nil {
				t.Fatal(err)
			}
			o, err := k.Authenticate(t.Context(), secret)
			if err != nil || o.Key() != key.ID {
				t.Errorf("got key %q, %v, want %q", o.Key(), err, key.ID)
			}
			if diff := cmp.Diff(c.want, o.Limits()); diff != "" {
				t.Errorf("limits: got (+), want (-):\n%s", diff)
			}
		})
	}
}

// TestLimitsOfTheLocalOwner bounds keys of the configuration, which others may
// have, and not the person at this machine.
func TestLimitsOfTheLocalOwner(t *testing.T) {
	t.Parallel()
	want := Limits{RequestsPerMinute: 600, ConcurrentTurns: 8}
	k, _ := ring("first-configured-key", "second-configured-key")
	k.Limit(want)
	seen := make(map[string]bool)
	for _, token := range []string{"first-configured-key", "second-configured-key"} {
		o, err := k.Authenticate(t.Context(), token)
		if err != nil || o.Limits() != want || o.Key() == "" || seen[o.Key()] {
			t.Errorf("got key %q with %+v, %v, want one of its own with %+v", o.Key(), o.Limits(), err, want)
		}
		seen[o.Key()] = true
	}
	k, _ = ring()
	k.Limit(want)
	if o, err := k.Authenticate(t.Context(), DevelopmentKey); err != nil || o.Limits() != (Limits{}) {
		t.Errorf("the development key: got %+v, %v, want no limits", o.Limits(), err)
	}
}

func TestChange(t *testing.T) {
	t.Parallel()
	k, _ := ring()
	laptop, secret := made(t, k, "laptop", "")
	made(t, k, "twin", "a")
	made(t, k, "twin", "b")
	gone, _ := made(t, k, "gone", "")
	if _, err := k.Revoke(t.Context(), gone.ID); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, in string
		to       KeyLimits
		code     string
	}{
		{"by name", "laptop", KeyLimits{RequestsPerMinute: new(5)}, ""},
		{"by id", laptop.ID, KeyLimits{RequestsPerMinute: new(MaxLimit), ConcurrentTurns: new(1)}, ""},
		{"below none", "laptop", KeyLimits{RequestsPerMinute: new(-1)}, "invalid_limit"},
		{"too high", "laptop", KeyLimits{ConcurrentTurns: new(MaxLimit + 1)}, "invalid_limit"},
		{"an ambiguous name", "twin", KeyLimits{}, "ambiguous_key"},
		{"a revoked key's id", gone.ID, KeyLimits{}, "key_not_found"},
		{"nothing", "", KeyLimits{}, "key_not_found"},
	} {
		key, err := k.Change(t.Context(), c.in, func(KeyLimits) KeyLimits { return c.to })
		if fault.CodeOf(err) != c.code {
			t.Errorf("%s: got %v, want %q", c.name, err, c.code)
		}
		if diff := cmp.Diff(c.to, key.Limits); c.code == "" && diff != "" {
			t.Errorf("%s: got (+), want (-):\n%s", c.name, diff)
		}
	}
	want := Limits{RequestsPerMinute: MaxLimit, ConcurrentTurns: 1}
	if o, err := k.Authenticate(t.Context(), secret); err != nil || o.Limits() != want {
		t.Errorf("after the changes: got %+v, %v, want %+v at once", o.Limits(), err, want)
	}
	if _, _, err := k.Create(t.Context(), NewKey{Name: "x", Limits: KeyLimits{ConcurrentTurns: new(-1)}}); fault.CodeOf(err) != "invalid_limit" {
		t.Errorf("create with a limit below none: got %v", err)
	}
}

// TestWatch ends what goes on with a key when that is revoked, and nothing else.
func TestWatch(t *testing.T) {
	t.Parallel()
	k, _ := ring("a-configured-key")
	authenticate := func(token string) Owner {
		o, err := k.Authenticate(t.Context(), token)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	_, secret := made(t, k, "laptop", "")
	_, kept := made(t, k, "phone", "laptop")
	laptop := authenticate(secret)
	var open []context.Context
	for range 3 {
		ctx, done := k.Watch(t.Context(), laptop)
		defer done()
		open = append(open, ctx)
	}
	over, done := k.Watch(t.Context(), laptop)
	done()
	if over.Err() == nil || fault.KindOf(context.Cause(over)) == fault.Unauthenticated {
		t.Errorf("what is over: got %v, want it to have ended by itself", context.Cause(over))
	}
	phone, done := k.Watch(t.Context(), authenticate(kept))
	defer done()
	host, done := k.Watch(t.Context(), authenticate("a-configured-key"))
	defer done()
	if _, err := k.Revoke(t.Context(), "laptop"); err != nil {
		t.Fatal(err)
	}
	late, done := k.Watch(t.Context(), laptop) // authenticated before, watched after
	defer done()
	for i, ctx := range append(open, late) {
		if fault.KindOf(context.Cause(ctx)) != fault.Unauthenticated {
			t.Errorf("%d: got %v, want it ended as not allowed any more", i, context.Cause(ctx))
		}
	}
	if phone.Err() != nil || host.Err() != nil {
		t.Error("what others do has ended, too")
	}
	if len(k.watch.open[laptop.Key()]) != 0 {
		t.Error("the revoked key's requests are still kept")
	}
}

// TestWatchDevelopment ends what goes on with the development key when the first key is made, here or
// by another process.
func TestWatchDevelopment(t *testing.T) {
	t.Parallel()
	for _, elsewhere := range []string{"", "told", "not told"} {
		k, store := ring()
		maker := k
		if elsewhere != "" {
			maker = NewKeyring(store, nil, true, now)
		}
		development, err := k.Authenticate(t.Context(), DevelopmentKey)
		if err != nil {
			t.Fatal(err)
		}
		open, done := k.Watch(t.Context(), development)
		defer done()
		terminal, done := k.Watch(t.Context(), Here(trail.Terminal))
		defer done()
		made(t, maker, "first", "")
		switch elsewhere {
		case "told":
			err = k.Revoked(t.Context(), DevelopmentName)
		case "not told":
			err = k.Revoked(t.Context(), "")
		}
		late, done := k.Watch(t.Context(), development) // authenticated before, watched after
		defer done()
		for name, ctx := range map[string]context.Context{"a request": open, "a late one": late} {
			if fault.KindOf(context.Cause(ctx)) != fault.Unauthenticated {
				t.Errorf("elsewhere %q, %s: got %v, want it ended as not allowed any more", elsewhere, name, context.Cause(ctx))
			}
		}
		if err != nil || terminal.Err() != nil {
			t.Errorf("elsewhere %q: got %v, and for the terminal %v", elsewhere, err, terminal.Err())
		}
	}
}

// TestSpread: several processes together let through what a key may do, and each at least one.
func TestSpread(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		processes int
		key, want Limits
	}{
		{1, Limits{RequestsPerMinute: 600, ConcurrentTurns: 8}, Limits{RequestsPerMinute: 600, ConcurrentTurns: 8}},
		{3, Limits{RequestsPerMinute: 600, ConcurrentTurns: 8}, Limits{RequestsPerMinute: 200, ConcurrentTurns: 3}},
		{3, Limits{RequestsPerMinute: 1, ConcurrentTurns: 2}, Limits{RequestsPerMinute: 1, ConcurrentTurns: 1}},
		{3, Limits{}, Limits{}},
	} {
		k, _ := ring("a-configured-key-of-all")
		k.Limit(c.key)
		k.Spread(func() int { return c.processes })
		_, secret, err := k.Create(t.Context(), NewKey{Name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		for _, token := range []string{secret, "a-configured-key-of-all"} {
			if o, err := k.Authenticate(t.Context(), token); err != nil || o.Limits() != c.want {
				t.Errorf("%d processes share %+v: got %+v, %v, want %+v each", c.processes, c.key, o.Limits(), err, c.want)
			}
		}
	}
}
