package httpapi

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// keyJSON is an API key on the wire. The secret is shown only when it is made.
type keyJSON struct {
	Object string        `json:"object"`
	ID     string        `json:"id"`
	Name   string        `json:"name"`
	Owner  string        `json:"owner"`
	Scopes []owner.Scope `json:"scopes"`
	// Memory is the session key of the key's requests that name none; null for none.
	Memory *string `json:"session_key"`
	// Requests and Turns are the limits set for this key; null means the server's
	// default.
	Requests *int `json:"requests_per_minute"`
	Turns    *int `json:"concurrent_turns"`
	// Limits are the limits in force; null means none.
	Limits struct {
		Requests *int `json:"requests_per_minute"`
		Turns    *int `json:"concurrent_turns"`
	} `json:"limits"`
	CreatedAt time.Time  `json:"created_at"`
	RevokedAt *time.Time `json:"revoked_at"`
	Key       string     `json:"key,omitempty"`
}

func (s *server) keyOf(k *owner.Key) keyJSON {
	out := keyJSON{
		Object: "hermes.key", ID: k.ID, Name: k.Name, Owner: k.OwnerID, Scopes: some(k.Scopes),
		Requests: k.Limits.RequestsPerMinute, Turns: k.Limits.ConcurrentTurns,
		CreatedAt: k.CreatedAt, RevokedAt: optionalTime(k.RevokedAt),
	}
	if k.Memory != "" {
		out.Memory = &k.Memory
	}
	l := s.Keyring.Limits(k.Limits)
	if l.RequestsPerMinute > 0 {
		out.Limits.Requests = &l.RequestsPerMinute
	}
	if l.ConcurrentTurns > 0 {
		out.Limits.Turns = &l.ConcurrentTurns
	}
	return out
}

// listKeys answers GET /api/keys.
func (s *server) listKeys(w http.ResponseWriter, r *http.Request) error {
	keys, err := s.Keyring.List(r.Context())
	if err != nil {
		return err
	}
	data := []keyJSON{}
	for i := range keys {
		data = append(data, s.keyOf(&keys[i]))
	}
	return writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": data})
}

// createKey answers POST /api/keys. Only this answer holds the secret.
func (s *server) createKey(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Name     string        `json:"name"`
		Owner    string        `json:"owner"`
		Scopes   []owner.Scope `json:"scopes"`
		Memory   string        `json:"session_key"`
		Requests *int          `json:"requests_per_minute"`
		Turns    *int          `json:"concurrent_turns"`
	}
	if err := decode(r, &in); err != nil {
		return err
	}
	if in.Memory != "" {
		if _, err := session.ParseKey(in.Memory); err != nil {
			f := *asFault(err)
			return f.At("session_key")
		}
	}
	key, secret, err := s.Keyring.Create(r.Context(), owner.NewKey{
		Name: in.Name, OwnerID: in.Owner, Scopes: in.Scopes, Memory: in.Memory,
		Limits: owner.KeyLimits{RequestsPerMinute: in.Requests, ConcurrentTurns: in.Turns},
	})
	if err != nil {
		return err
	}
	out := s.keyOf(&key)
	out.Key = secret
	return writeJSON(w, http.StatusCreated, out)
}

// changeKey answers PATCH /api/keys/{id}; a unique name also works. An absent field
// stays, and null restores the server's default.
func (s *server) changeKey(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Requests given `json:"requests_per_minute"`
		Turns    given `json:"concurrent_turns"`
	}
	if err := decode(r, &in); err != nil {
		return err
	}
	key, err := s.Keyring.Change(r.Context(), r.PathValue("id"), func(l owner.KeyLimits) owner.KeyLimits {
		if in.Requests.given {
			l.RequestsPerMinute = in.Requests.value
		}
		if in.Turns.given {
			l.ConcurrentTurns = in.Turns.value
		}
		return l
	})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, s.keyOf(&key))
}

// given is a number, null, or absent.
type given struct {
	given bool
	value *int
}

// UnmarshalJSON implements json.Unmarshaler.
func (g *given) UnmarshalJSON(b []byte) error {
	g.given = true
	return json.Unmarshal(b, &g.value)
}

// revokeKey answers DELETE /api/keys/{id}; a unique name also works.
func (s *server) revokeKey(w http.ResponseWriter, r *http.Request) error {
	key, err := s.Keyring.Revoke(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, s.keyOf(&key))
}
