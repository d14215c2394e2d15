package owner

import (
	"context"
	"encoding/base64"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/fault"
)

// shelf keeps keys in memory: this package is below every real store.
type shelf struct {
	mu   sync.Mutex
	keys []Key
	err  error // what every call fails with
}

func (s *shelf) InsertKey(_ context.Context, k Key) error {
	k.Sole = false // it is not stored
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = append(s.keys, k)
	return s.err
}

func (s *shelf) KeyByID(_ context.Context, id string) (Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.keys, func(k Key) bool { return k.ID == id }); i >= 0 {
		return s.keys[i], s.err
	}
	return Key{}, errors.Join(s.err, fault.New(fault.NotFound, "key_not_found", "No key."))
}

func (s *shelf) Keys(context.Context) ([]Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.keys), s.err
}

func (s *shelf) RevokeKey(_ context.Context, id string, at time.Time) (Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.keys, func(k Key) bool { return k.ID == id })
	if i < 0 {
		return Key{}, fault.New(fault.NotFound, "key_not_found", "No key.")
	}
	if s.keys[i].RevokedAt.IsZero() {
		s.keys[i].RevokedAt = at
	}
	return s.keys[i], s.err
}

func (s *shelf) LimitKey(_ context.Context, id string, l KeyLimits) (Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.keys, func(k Key) bool { return k.ID == id })
	if i < 0 {
		return Key{}, fault.New(fault.NotFound, "key_not_found", "No key.")
	}
	s.keys[i].Limits = l
	return s.keys[i], s.err
}

func now() time.Time {
	return time.Date(2026, time.March, 1, 10, 0, 0, 0, time.FixedZone("east", 3600))
}

func ring(configured ...string) (*Keyring, *shelf) {
	s := &shelf{}
	return NewKeyring(s, configured, true, now), s
}

// made makes a key that must be made.
func made(t *testing.T, k *Keyring, name, ownerID string) (Key, string) {
	t.Helper()
	key, secret, err := k.Create(t.Context(), NewKey{Name: name, OwnerID: ownerID})
	if err != nil {
		t.Fatalf("create key %q: %v", name, err)
	}
	return key, secret
}

func TestCreate(t *testing.T) {
	t.Parallel()
	k, s := ring()
	key, secret := made(t, k, "laptop", "")
	form := regexp.MustCompile(`^hk_[0-9a-f]{12}_[A-Za-z0-9_-]{43}$`)
	if !form.MatchString(secret) {
		t.Errorf("secret: got %q, want the documented form", secret)
	}
	random, err := base64.RawURLEncoding.DecodeString(secret[len("hk_")+13:])
	if err != nil || len(random) != 32 {
		t.Errorf("secret: got %d random bytes (%v), want 32", len(random), err)
	}
	want := Key{ID: key.ID, Name: "laptop", OwnerID: "laptop", Hash: key.Hash, Scopes: DefaultScopes(), CreatedAt: now().UTC()}
	if diff := cmp.Diff([]Key{want}, s.keys); diff != "" {
		t.Errorf("stored: got (+), want (-):\n%s", diff)
	}
	if len(key.Hash) != 32 || strings.Contains(string(key.Hash), secret) {
		t.Errorf("got a hash of %d bytes, want SHA-256", len(key.Hash))
	}
	if slices.Contains(key.Scopes, Admin) {
		t.Error("a new key may administer keys, want it not to unless told so")
	}
	_, other := made(t, k, "phone", "")
	if other == secret {
		t.Error("got the same secret twice")
	}
}

func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, key, owner string
		scopes           []Scope
		kind             fault.Kind
		code             string
	}{
		{"no name", "", "", nil, fault.Invalid, "invalid_key_name"},
		{"no name for an owner", "", "x", nil, fault.Invalid, "invalid_key_name"},
		{"65 letters", strings.Repeat("x", 65), "", nil, fault.Invalid, "invalid_key_name"},
		{"a long owner", "x", strings.Repeat("x", 65), nil, fault.Invalid, "invalid_key_name"},
		{"a newline", "a\nb", "", nil, fault.Invalid, "invalid_key_name"},
		{"an escape", "x", "\x1b[2J", nil, fault.Invalid, "invalid_key_name"},
		{"a C1 control", "a\u009b2J", "", nil, fault.Invalid, "invalid_key_name"},
		{"no UTF-8", "a\xff", "", nil, fault.Invalid, "invalid_key_name"},
		{"an unknown scope", "x", "", []Scope{Chat, "root"}, fault.Invalid, "invalid_scope"},
		{"an empty list of scopes", "x", "", []Scope{}, fault.Invalid, "invalid_scope"},
		{"the local owner's name", LocalID, "", nil, fault.Conflict, "owner_exists"},
		{"another's name", "taken", "", nil, fault.Conflict, "owner_exists"},
		{"a revoked one's name", "revoked", "", nil, fault.Conflict, "owner_exists"},
		{"the owner of a key with another name", "family", "", nil, fault.Conflict, "owner_exists"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k, s := ring()
			made(t, k, "taken", "")
			made(t, k, "revoked", "")
			made(t, k, "dad", "family")
			if _, err := k.Revoke(t.Context(), "revoked"); err != nil {
				t.Fatal(err)
			}
			key, secret, err := k.Create(t.Context(), NewKey{Name: c.key, OwnerID: c.owner, Scopes: c.scopes})
			if fault.KindOf(err) != c.kind || fault.CodeOf(err) != c.code {
				t.Errorf("got %v, want %s %s", err, c.kind, c.code)
			}
			if secret != "" || key.ID != "" || len(s.keys) != 3 {
				t.Errorf("got a key: %+v", key)
			}
		})
	}
}

// TestCreateForOwner gives an owner a second key, and a name that is no more
// than a name.
func TestCreateForOwner(t *testing.T) {
	t.Parallel()
	k, _ := ring()
	one, first := made(t, k, "laptop", "")
	two, second := made(t, k, "laptop", "laptop")
	three, _ := made(t, k, "laptop", LocalID)
	wide, _ := made(t, k, strings.Repeat("名", 64), "") // 64 characters, whatever their size
	for _, c := range []struct {
		key  Key
		want string
	}{{one, "laptop"}, {two, "laptop"}, {three, LocalID}, {wide, wide.Name}} {
		if c.key.OwnerID != c.want {
			t.Errorf("got owner %q, want %q", c.key.OwnerID, c.want)
		}
	}
	for _, secret := range []string{first, second} {
		if o, err := k.Authenticate(t.Context(), secret); err != nil || o.ID() != "laptop" {
			t.Errorf("got %q, %v, want laptop", o.ID(), err)
		}
	}
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	const configured, second = "a-configured-key-of-32-characters", "another-configured-key"
	k, _ := ring(configured, second)
	key, secret, err := k.Create(t.Context(), NewKey{Name: "reader", Scopes: []Scope{SessionsRead}})
	if err != nil {
		t.Fatal(err)
	}
	_, gone := made(t, k, "gone", "")
	if _, err := k.Revoke(t.Context(), "gone"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, token, owner string }{
		{"a configured key", configured, LocalID},
		{"another configured key", second, LocalID},
		{"a made key", secret, "reader"},
		{"a revoked key", gone, ""},
		{"nothing", "", ""},
		{"a prefix of a configured key", configured[:20], ""},
		{"a configured key and more", configured + " ", ""},
		{"the id alone", "hk_" + key.ID, ""},
		{"the id without a secret", "hk_" + key.ID + "_", ""},
		{"the id with another secret", "hk_" + key.ID + "_" + strings.Repeat("A", 43), ""},
		{"another's secret", "hk_" + key.ID + gone[15:], ""},
		{"a cut secret", secret[:len(secret)-1], ""},
		{"a longer secret", secret + "A", ""},
		{"an unknown id", "hk_000000000000_" + strings.Repeat("A", 43), ""},
		{"no id", "hk__" + strings.Repeat("A", 43), ""},
		{"the prefix", "hk_", ""},
		{"wildcards", "hk_%%%%%%%%%%%%_x", ""},
		{"another case", strings.ToUpper(secret), ""},
		{"the hash", string(key.Hash), ""},
		{"no UTF-8", "\xff\xfe", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o, err := k.Authenticate(t.Context(), c.token)
			if o.ID() != c.owner {
				t.Errorf("got owner %q, want %q", o.ID(), c.owner)
			}
			if c.owner != "" {
				if err != nil {
					t.Errorf("got %v, want no error", err)
				}
				return
			}
			// The refusal does not tell whether there is such a key, or was one.
			if diff := cmp.Diff(refused(), err); diff != "" {
				t.Errorf("refusal: got (+), want (-):\n%s", diff)
			}
		})
	}
	o, err := k.Authenticate(t.Context(), secret)
	if err != nil || !o.Can(SessionsRead) || o.Can(Chat) || o.Can(Admin) {
		t.Errorf("scopes: got %v, %v, want to read sessions and no more", o, err)
	}
	if o, err = k.Authenticate(t.Context(), configured); err != nil || !o.Can(Admin) {
		t.Errorf("a configured key: got %v, %v, want all scopes", o, err)
	}
}

// TestAuthenticateStoreFails must not let anybody in, nor say "wrong key".
func TestAuthenticateStoreFails(t *testing.T) {
	t.Parallel()
	k, s := ring()
	_, secret := made(t, k, "laptop", "")
	s.err = errors.New("disk on fire")
	for _, token := range []string{secret, DevelopmentKey} {
		o, err := k.Authenticate(t.Context(), token)
		if o.ID() != "" || fault.KindOf(err) != fault.Internal {
			t.Errorf("%.8s…: got %q, %v, want no owner and an internal error", token, o.ID(), err)
		}
	}
}

func TestDevelopmentKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		configured []string
		allowed    bool
		prepare    func(t *testing.T, k *Keyring)
		want       bool
	}{
		{"on a fresh machine", nil, true, nil, true},
		{"where it is not allowed", nil, false, nil, false},
		{"with a configured key", []string{"a-configured-key"}, true, nil, false},
		{"with a created key", nil, true, func(t *testing.T, k *Keyring) { t.Helper(); made(t, k, "x", "") }, false},
		{"after the last key was revoked", nil, true, func(t *testing.T, k *Keyring) {
			t.Helper()
			key, _ := made(t, k, "x", "")
			if _, err := k.Revoke(t.Context(), key.ID); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := NewKeyring(&shelf{}, c.configured, c.allowed, now)
			if c.prepare != nil {
				c.prepare(t, k)
			}
			ok, err := k.Development(t.Context())
			if err != nil || ok != c.want {
				t.Errorf("development: got %v, %v, want %v", ok, err, c.want)
			}
			o, err := k.Authenticate(t.Context(), DevelopmentKey)
			if (err == nil) != c.want || (o.ID() == LocalID) != c.want {
				t.Errorf("authenticate: got %q, %v, want accepted: %v", o.ID(), err, c.want)
			}
			if err != nil && fault.KindOf(err) != fault.Unauthenticated {
				t.Errorf("got %v, want it unauthenticated", err)
			}
		})
	}
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	k, _ := ring()
	one, first := made(t, k, "laptop", "")
	made(t, k, "twin", "a")
	made(t, k, "twin", "b")
	tablet, _ := made(t, k, "tablet", "")
	for _, c := range []struct {
		name, in string
		kind     fault.Kind
		id       string
	}{
		{"by id", one.ID, "", one.ID},
		{"again", one.ID, "", one.ID},
		{"by the name of a revoked key", "laptop", fault.NotFound, ""},
		{"by name", "tablet", "", tablet.ID},
		{"by an ambiguous name", "twin", fault.Conflict, ""},
		{"of an unknown key", "nonesuch", fault.NotFound, ""},
		{"of nothing", "", fault.NotFound, ""},
	} {
		key, err := k.Revoke(t.Context(), c.in)
		if fault.KindOf(err) != c.kind || key.ID != c.id {
			t.Errorf("%s: got %q, %v, want %q, %q", c.name, key.ID, err, c.id, c.kind)
		}
		if c.id != "" && !key.RevokedAt.Equal(now()) {
			t.Errorf("%s: got revoked at %v, want %v", c.name, key.RevokedAt, now())
		}
	}
	if _, err := k.Authenticate(t.Context(), first); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("a revoked key: got %v, want it refused", err)
	}
	all, err := k.List(t.Context())
	if err != nil || len(all) != 4 {
		t.Errorf("list: got %d keys, %v, want all 4, revoked or not", len(all), err)
	}
}

func TestCheckConfigured(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "weak_key", "hermes": "weak_key", strings.Repeat("x", 15): "weak_key", "fifteen-letters": "weak_key",
		"changeme-changeme": "placeholder_key", "YOUR-API-KEY-HERE": "placeholder_key", "sk-xxxxxxxxxxxxxxxxxxx": "placeholder_key",
		"0123456789abcdef": "", "correct horse battery": "", "ключключключключ": "",
	} {
		if got := fault.CodeOf(CheckConfigured(in)); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestOwner(t *testing.T) {
	t.Parallel()
	var zero Owner
	if zero.ID() != "" || zero.Can(Chat) {
		t.Errorf("the zero Owner: got %+v, want nothing", zero)
	}
	if o := Stored("alice"); o.ID() != "alice" || slices.ContainsFunc(AllScopes(), o.Can) {
		t.Errorf("a stored owner: got %+v, want an id without scopes", o)
	}
	for _, s := range AllScopes() {
		if !Local().Can(s) {
			t.Errorf("the local owner lacks %q", s)
		}
	}
	AllScopes()[0] = "spoilt" // a copy
	if AllScopes()[0] != Chat || Local().Can("spoilt") {
		t.Error("the list of scopes can be changed from outside")
	}
}

func FuzzAuthenticate(f *testing.F) {
	k, _ := ring("a-configured-key-of-32-characters")
	key, secret, err := k.Create(context.Background(), NewKey{Name: "fuzz"})
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{"", "hermes", "hk_", "hk_" + key.ID + "_", secret[:40], "hk_000000000000_x", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, token string) {
		o, err := k.Authenticate(t.Context(), token)
		if known := token == secret || token == "a-configured-key-of-32-characters"; (err == nil) != known {
			t.Errorf("got %q, %v, want let in: %v", o.ID(), err, known)
		}
		if err != nil && fault.KindOf(err) != fault.Unauthenticated {
			t.Errorf("got %v, want it unauthenticated", err)
		}
	})
}
