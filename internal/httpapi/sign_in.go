package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// anyKey is the scope of routes that every valid key may use.
const anyKey owner.Scope = "any"

// signInPath takes a key or a code.
const signInPath = "/api/page/token"

// How the page gets in.
const (
	signInNone        = "none"        // the server runs with --no-auth
	signInDevelopment = "development" // with the development key
	signInKey         = "key"         // with a key that somebody types
)

// describePage answers GET /api/page, open: how the page gets in.
func (s *server) describePage(w http.ResponseWriter, r *http.Request) error {
	how := signInKey
	if s.NoAuth {
		how = signInNone
	} else if checkDirect(r) == nil {
		development, err := s.Keyring.Development(r.Context())
		if err != nil {
			return err
		}
		if development {
			how = signInDevelopment
		}
	}
	return writeJSON(w, http.StatusOK, map[string]any{"object": "hermes.page", "version": s.Version, "sign_in": how})
}

// tokenJSON is a page token on the wire. The secret is shown only when it is made.
type tokenJSON struct {
	Object     string    `json:"object"`
	ID         string    `json:"id"`
	Token      string    `json:"token,omitempty"`
	Actor      string    `json:"actor"`
	Key        *keyName  `json:"key"`
	Stay       bool      `json:"stay"`
	Current    bool      `json:"current"`
	CreatedAt  time.Time `json:"created_at"`
	LastUsedAt time.Time `json:"last_used_at"`
	ExpiresAt  time.Time `json:"expires_at"`
}

// keyName names a stored key.
type keyName struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// tokenOfPage is a token of the page on the wire. o is the owner of its key.
func tokenOfPage(p *owner.Pass, o owner.Owner) tokenJSON {
	return tokenJSON{
		Object: "hermes.page_token", ID: p.ID, Actor: o.By(), Key: keyNameOf(o), Stay: p.Stay, Current: p.ID == o.Token().ID,
		CreatedAt: p.CreatedAt, LastUsedAt: p.UsedAt, ExpiresAt: p.ExpiresAt,
	}
}

// signIn answers POST /api/page/token: a key, or a code, is changed for a page token. Only
// this answer holds its secret.
func (s *server) signIn(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Code string `json:"code"`
		Stay bool   `json:"stay"`
	}
	if err := decode(r, &in); err != nil {
		return err
	}
	if in.Code != "" {
		return s.redeem(w, r, in.Code, in.Stay)
	}
	r, done, err := s.admit(w, r, route{method: http.MethodPost, path: signInPath, scope: anyKey})
	if err != nil {
		return err
	}
	defer done()
	o := ownerOf(r)
	ctx, note := audit.With(r.Context(), o, s.Now, "page.sign_in", audit.PageToken, "")
	note.Detail("key")
	p, secret, err := s.Keyring.SignIn(ctx, o, in.Stay)
	if err != nil {
		return err
	}
	s.closeNote(ctx, note)
	return s.tellToken(w, &p, secret, o)
}

// redeem changes a code for a page token.
func (s *server) redeem(w http.ResponseWriter, r *http.Request, code string, stay bool) error {
	p, secret, o, err := s.Keyring.Redeem(r.Context(), code, stay)
	if err != nil {
		s.refused(r, err)
		return err
	}
	ctx, note := audit.With(asActor(r, o), o, s.Now, "page.sign_in", audit.PageToken, p.ID)
	note.Detail("code")
	s.closeNote(ctx, note)
	return s.tellToken(w, &p, secret, o)
}

func (s *server) tellToken(w http.ResponseWriter, p *owner.Pass, secret string, o owner.Owner) error {
	out := tokenOfPage(p, o)
	out.Token = secret
	return writeJSON(w, http.StatusCreated, out)
}

// closeNote writes the entry of an action that took place, unless its transaction did.
func (s *server) closeNote(ctx context.Context, note *audit.Note) {
	if s.Audit == nil {
		return
	}
	if err := note.Close(context.WithoutCancel(ctx), s.Audit, ""); err != nil {
		s.Log.ErrorContext(ctx, "the audit could not be written", "err", err)
	}
}

// listTokens answers GET /api/page/token: the page tokens of the caller's key, newest
// first.
func (s *server) listTokens(w http.ResponseWriter, r *http.Request) error {
	tokens, err := s.Keyring.Tokens(r.Context(), ownerOf(r))
	if err != nil {
		return err
	}
	data := []tokenJSON{}
	for i := range tokens {
		data = append(data, tokenOfPage(&tokens[i], ownerOf(r)))
	}
	return writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": data})
}

// signOut answers DELETE /api/page/token: the token of the request ends.
func (s *server) signOut(w http.ResponseWriter, r *http.Request) error {
	id := ownerOf(r).Token().ID
	if id == "" {
		return fault.New(fault.Invalid, "not_a_page_token", "This request has a key and no page token. Name the token: DELETE /api/page/token/{id}.")
	}
	return s.endToken(w, r, id)
}

// endAnother answers DELETE /api/page/token/{id}: a token of the caller's key ends.
func (s *server) endAnother(w http.ResponseWriter, r *http.Request) error {
	return s.endToken(w, r, r.PathValue("id"))
}

func (s *server) endToken(w http.ResponseWriter, r *http.Request, id string) error {
	if err := s.Keyring.SignOut(r.Context(), ownerOf(r), id); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{"object": "hermes.page_token.deleted", "id": id, "deleted": true})
}

// createCode answers POST /api/page/codes: a code that a browser changes for a page token,
// once and within a minute.
func (s *server) createCode(w http.ResponseWriter, r *http.Request) error {
	p, secret, err := s.Keyring.PageCode(r.Context(), ownerOf(r))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, map[string]any{"object": "hermes.page_code", "code": secret, "expires_at": p.ExpiresAt})
}
