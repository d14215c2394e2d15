package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/trail"
)

// meJSON is the caller: whose data it is, and what the key may do.
type meJSON struct {
	Object string        `json:"object"`
	Actor  string        `json:"actor"`
	Owner  string        `json:"owner"`
	Key    *keyName      `json:"key"`
	Scopes []owner.Scope `json:"scopes"`
	// Memory is the session key of requests that name none; null for none.
	Memory *string `json:"session_key"`
	// Limits are the limits in force; null means none.
	Limits limitsJSON `json:"limits"`
	// Development says that the caller has the development key.
	Development bool `json:"development"`
	// NoAuth says that the server runs with --no-auth, and the caller has no key.
	NoAuth    bool       `json:"no_auth"`
	PageToken *meantJSON `json:"page_token"`
}

type limitsJSON struct {
	Requests *int `json:"requests_per_minute"`
	Turns    *int `json:"concurrent_turns"`
}

// meantJSON is the page token of a request.
type meantJSON struct {
	ID        string    `json:"id"`
	Stay      bool      `json:"stay"`
	ExpiresAt time.Time `json:"expires_at"`
}

// me answers GET /api/me.
func (s *server) me(w http.ResponseWriter, r *http.Request) error {
	o := ownerOf(r)
	out := meJSON{
		Object: "hermes.me", Actor: o.By(), Owner: o.ID(), Key: keyNameOf(o), Scopes: some(o.Scopes()), Memory: optional(o.Memory()),
		Limits:      limitsJSON{Requests: limited(o.Limits().RequestsPerMinute), Turns: limited(o.Limits().ConcurrentTurns)},
		Development: o.By() == trail.Development, NoAuth: o.By() == trail.Anybody,
	}
	if p := o.Token(); p.ID != "" {
		out.PageToken = &meantJSON{p.ID, p.Stay, p.ExpiresAt}
	}
	return writeJSON(w, http.StatusOK, out)
}

// limited is a limit on the wire; null means none.
func limited(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

// keyNameOf names the stored key of a caller; nil if the caller has none.
func keyNameOf(o owner.Owner) *keyName {
	name, stored := strings.CutPrefix(o.By(), trail.Key)
	if !stored {
		return nil
	}
	return &keyName{o.Key(), name}
}

// asActor is the context of a request that turned out to be of an owner.
func asActor(r *http.Request, o owner.Owner) context.Context { return trail.As(r.Context(), o.By()) }
