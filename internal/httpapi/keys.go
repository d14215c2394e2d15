package httpapi

import (
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
)

// keyJSON is an API key on the wire; the secret only where it was just made.
type keyJSON struct {
	Object    string        `json:"object"`
	ID        string        `json:"id"`
	Name      string        `json:"name"`
	Owner     string        `json:"owner"`
	Scopes    []owner.Scope `json:"scopes"`
	CreatedAt time.Time     `json:"created_at"`
	RevokedAt *time.Time    `json:"revoked_at"`
	Key       string        `json:"key,omitempty"`
}

func keyOf(k *owner.Key) keyJSON {
	return keyJSON{
		Object: "hermes.key", ID: k.ID, Name: k.Name, Owner: k.OwnerID, Scopes: some(k.Scopes),
		CreatedAt: k.CreatedAt, RevokedAt: optionalTime(k.RevokedAt),
	}
}

// listKeys answers GET /api/keys.
func (s *server) listKeys(w http.ResponseWriter, r *http.Request) error {
	keys, err := s.Keyring.List(r.Context())
	if err != nil {
		return err
	}
	data := []keyJSON{}
	for i := range keys {
		data = append(data, keyOf(&keys[i]))
	}
	return writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": data})
}

// createKey answers POST /api/keys. The secret is in this answer and nowhere else.
func (s *server) createKey(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Name   string        `json:"name"`
		Owner  string        `json:"owner"`
		Scopes []owner.Scope `json:"scopes"`
	}
	if err := decode(r, &in); err != nil {
		return err
	}
	key, secret, err := s.Keyring.Create(r.Context(), in.Name, in.Owner, in.Scopes)
	if err != nil {
		return err
	}
	out := keyOf(&key)
	out.Key = secret
	return writeJSON(w, http.StatusCreated, out)
}

// revokeKey answers DELETE /api/keys/{id}; a unique name is taken, too.
func (s *server) revokeKey(w http.ResponseWriter, r *http.Request) error {
	key, err := s.Keyring.Revoke(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, keyOf(&key))
}
