package owner

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/trail"
)

// drawer keeps passes in memory: this package is below every real store.
type drawer struct {
	mu     sync.Mutex
	passes map[string]Pass
	uses   int
}

func (d *drawer) InsertPass(_ context.Context, p Pass) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.passes[p.ID] = p
	return nil
}

func (d *drawer) PassByID(_ context.Context, id string) (Pass, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p, ok := d.passes[id]; ok {
		return p, nil
	}
	return Pass{}, fault.New(fault.NotFound, "page_token_not_found", "No pass.")
}

func (d *drawer) PassesVia(_ context.Context, via string) (out []Pass, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.passes {
		if p.Via == via {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b Pass) int { return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID)) })
	return out, nil
}

func (d *drawer) UsePass(_ context.Context, id string, at time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.passes[id]
	p.UsedAt = at
	d.passes[id] = p
	d.uses++
	return nil
}

func (d *drawer) DeletePass(ctx context.Context, id string) error {
	_, err := d.PassByID(ctx, id)
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.passes, id)
	return err
}

// pageRing is a keyring that makes passes, with a clock that can be moved.
func pageRing(configured ...string) (*Keyring, *drawer, *time.Time) {
	at := now()
	d := &drawer{passes: make(map[string]Pass)}
	k := NewKeyring(&shelf{}, configured, true, func() time.Time { return at })
	k.KeepPasses(d)
	return k, d, &at
}

func signedIn(t *testing.T, k *Keyring, o Owner, stay bool) (Pass, string) {
	t.Helper()
	p, secret, err := k.SignIn(t.Context(), o, stay)
	if err != nil {
		t.Fatalf("sign in as %q: %v", o.By(), err)
	}
	return p, secret
}

func admitted(t *testing.T, k *Keyring, token string) Owner {
	t.Helper()
	o, err := k.Authenticate(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func refuses(t *testing.T, what string, k *Keyring, token string) {
	t.Helper()
	if o, err := k.Authenticate(t.Context(), token); fault.KindOf(err) != fault.Unauthenticated || o.ID() != "" {
		t.Errorf("%s: got %q, %v, want it refused", what, o.ID(), err)
	}
}

// TestSignIn: a page token acts as its key, whichever that is.
func TestSignIn(t *testing.T) {
	t.Parallel()
	const configured = "a-configured-key-of-32-characters"
	k, d, _ := pageRing("first-configured-key", configured)
	k.Limit(Limits{RequestsPerMinute: 600})
	_, stored, err := k.Create(t.Context(), NewKey{Name: "laptop", Scopes: []Scope{Chat, Memory}, Memory: "me"})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []Owner{admitted(t, k, stored), admitted(t, k, configured), Here(trail.Terminal)} {
		p, secret := signedIn(t, k, o, false)
		if !regexp.MustCompile(`^hp_[0-9a-f]{12}_[A-Za-z0-9_-]{43}$`).MatchString(secret) {
			t.Errorf("%s: got %q, want the documented form", o.By(), secret)
		}
		got := admitted(t, k, secret)
		if got.ID() != o.ID() || got.By() != o.By() || got.Key() != o.Key() || got.Limits() != o.Limits() || got.Memory() != o.Memory() || !slices.Equal(got.Scopes(), o.Scopes()) {
			t.Errorf("got %+v, want %+v", got, o)
		}
		if got.Token().ID != p.ID || o.Token().ID != "" {
			t.Errorf("%s: got token %q, want %q", o.By(), got.Token().ID, p.ID)
		}
		if kept := d.passes[p.ID]; len(kept.Hash) != 32 || strings.Contains(kept.Via+string(kept.Hash), configured) {
			t.Errorf("%s: got %+v stored", o.By(), kept)
		}
		if _, _, err := k.SignIn(t.Context(), got, true); fault.CodeOf(err) != "page_token_only" {
			t.Errorf("%s: a token of a token: got %v", o.By(), err)
		}
		if _, _, err := k.PageCode(t.Context(), got); fault.CodeOf(err) != "page_token_only" {
			t.Errorf("%s: a code of a token: got %v", o.By(), err)
		}
	}
	for _, o := range []Owner{Here(trail.Development), Here(trail.Anybody)} {
		if _, _, err := k.SignIn(t.Context(), o, true); fault.CodeOf(err) != "page_token_not_needed" {
			t.Errorf("%s: got %v", o.By(), err)
		}
	}
}

// TestTokenEnds holds when a page token is over.
func TestTokenEnds(t *testing.T) {
	t.Parallel()
	k, _, at := pageRing()
	key, secret := made(t, k, "laptop", "")
	other, foreign := made(t, k, "phone", "laptop")
	laptop := admitted(t, k, secret)
	_, idle := signedIn(t, k, laptop, false)
	_, stays := signedIn(t, k, laptop, true)
	out, left := signedIn(t, k, laptop, false)
	_, phone := signedIn(t, k, admitted(t, k, foreign), true)
	for range 3 { // used now and then
		*at = at.Add(TokenIdle - time.Second)
		admitted(t, k, idle)
		admitted(t, k, left)
	}
	refuses(t, "a changed secret", k, idle[:len(idle)-1])
	refuses(t, "no secret", k, "hp_"+out.ID+"_")
	if err := k.SignOut(t.Context(), admitted(t, k, phone), out.ID); fault.CodeOf(err) != "page_token_not_found" {
		t.Errorf("sign out the token of another key: got %v", err)
	}
	ctx, done := k.Watch(t.Context(), admitted(t, k, left))
	defer done()
	if err := k.SignOut(t.Context(), laptop, out.ID); err != nil {
		t.Error(err)
	}
	refuses(t, "signed out", k, left)
	if fault.KindOf(context.Cause(ctx)) != fault.Unauthenticated {
		t.Errorf("a request under way with it: got %v, want it ended", context.Cause(ctx))
	}
	tokens, err := k.Tokens(t.Context(), admitted(t, k, idle))
	if err != nil || len(tokens) != 2 {
		t.Errorf("tokens: got %v, %v, want the two that are left", tokens, err)
	}
	*at = at.Add(TokenIdle)
	refuses(t, "idle for 12 hours", k, idle)
	admitted(t, k, stays)
	*at = now().Add(TokenLife)
	refuses(t, "after 30 days", k, stays)
	refuses(t, "after 30 days", k, phone)
	_, stays = signedIn(t, k, laptop, true)
	_, phone = signedIn(t, k, admitted(t, k, foreign), true)
	if _, err := k.Revoke(t.Context(), key.ID); err != nil {
		t.Fatal(err)
	}
	refuses(t, "of a revoked key", k, stays)
	if got := admitted(t, k, phone); got.Key() != other.ID {
		t.Errorf("got key %q, want %q", got.Key(), other.ID)
	}
}

// TestConfiguredTokenEnds: a page token of a configured key ends when the key leaves the
// configuration.
func TestConfiguredTokenEnds(t *testing.T) {
	t.Parallel()
	k, d, _ := pageRing("first-configured-key", "second-configured-key")
	_, secret := signedIn(t, k, admitted(t, k, "second-configured-key"), true)
	moved := NewKeyring(&shelf{}, []string{"second-configured-key"}, true, now)
	moved.KeepPasses(d)
	if got := admitted(t, moved, secret); got.Key() != "configured1" {
		t.Errorf("got key %q, want the one where the key stands now", got.Key())
	}
	gone := NewKeyring(&shelf{}, []string{"first-configured-key"}, true, now)
	gone.KeepPasses(d)
	refuses(t, "of a key that is no longer configured", gone, secret)
}

// TestUses: a token that is used all the time is written once a minute.
func TestUses(t *testing.T) {
	t.Parallel()
	k, d, at := pageRing()
	p, secret := signedIn(t, k, Here(trail.Terminal), false)
	for range 120 {
		admitted(t, k, secret)
		*at = at.Add(time.Second)
	}
	if d.uses != 1 {
		t.Errorf("got %d writes in two minutes, want 1", d.uses)
	}
	if used := d.passes[p.ID].UsedAt; !used.Equal(now().Add(time.Minute)) {
		t.Errorf("got last used at %v", used)
	}
}

// TestCodes: a code gives one token, within a minute.
func TestCodes(t *testing.T) {
	t.Parallel()
	k, _, at := pageRing()
	_, secret := made(t, k, "laptop", "")
	o := admitted(t, k, secret)
	code := func() string {
		_, text, err := k.PageCode(t.Context(), o)
		if err != nil || !regexp.MustCompile(`^hc_[0-9a-f]{12}_[A-Za-z0-9_-]{22}$`).MatchString(text) {
			t.Fatalf("got %q, %v, want a code of 128 bits", text, err)
		}
		return text
	}
	first := code()
	refuses(t, "a code as a key", k, first)
	*at = at.Add(CodeLife - time.Second)
	_, token, got, err := k.Redeem(t.Context(), first, true)
	if err != nil || got.By() != o.By() {
		t.Fatalf("got %q, %v, want %q", got.By(), err, o.By())
	}
	if in := admitted(t, k, token); in.By() != o.By() || !in.Token().Stay {
		t.Errorf("got %+v", in)
	}
	late := code()
	spare := code()
	for name, text := range map[string]string{
		"again": first, "a token": token, "a key": secret, "nothing": "", "half": spare[:20], "another end": spare[:len(spare)-1] + "!",
	} {
		if _, _, _, err := k.Redeem(t.Context(), text, false); fault.CodeOf(err) != "invalid_code" || fault.KindOf(err) != fault.Unauthenticated {
			t.Errorf("%s: got %v, want invalid_code", name, err)
		}
	}
	*at = at.Add(CodeLife)
	if _, _, _, err := k.Redeem(t.Context(), late, false); fault.CodeOf(err) != "invalid_code" {
		t.Errorf("a minute old: got %v, want invalid_code", err)
	}
	revoked := code()
	if _, err := k.Revoke(t.Context(), "laptop"); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := k.Redeem(t.Context(), revoked, false); fault.CodeOf(err) != "invalid_code" {
		t.Errorf("of a revoked key: got %v, want invalid_code", err)
	}
	if tokens, err := k.Tokens(t.Context(), o); err != nil || len(tokens) != 1 {
		t.Errorf("tokens: got %v, %v, want one and no codes", tokens, err)
	}
}
