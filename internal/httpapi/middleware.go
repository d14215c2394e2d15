package httpapi

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/trail"
)

const (
	requestIDHeader = trail.Header
	// maxBody is the largest request body, in bytes (spec: 10,000,000).
	maxBody = 10_000_000
	// maxCall is the largest body of an MCP client, in bytes. MCP calls are small, and
	// the library that decodes them needs several times their size.
	maxCall = 1_000_000
	// drainBody is how much of a refused body is still read, so that a client that
	// sends its whole body first receives the refusal.
	drainBody = 4 * maxBody
)

// answerPolicy is the Content-Security-Policy of all answers but the page: a browser that
// shows one loads and runs nothing.
const answerPolicy = "default-src 'none'; frame-ancestors 'none'"

// guard handles every request first. A request that it refuses reaches no handler.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x, inner := s.begin(w, r)
		outer := r
		r = inner
		pace(x, r)
		visitOf(r.Context()).works()
		defer func() {
			outer.Pattern = r.Pattern // the mux would have set it
			x.body.abandon()
			s.end(x, r)
		}()
		h := x.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", answerPolicy)
		if err := s.checkHost(r); err != nil {
			s.fail(x, r, err)
			return
		}
		done, err := s.checkOrigin(x, r)
		if err != nil {
			s.fail(x, r, err)
			return
		}
		if done {
			return
		}
		if err := s.checkSite(r); err != nil {
			s.fail(x, r, err)
			return
		}
		if err := checkPath(x, r); err != nil {
			s.fail(x, r, err)
			return
		}
		next.ServeHTTP(x, r)
	})
}

// checkPath refuses a path that the mux would redirect, and one whose session key is none.
func checkPath(w http.ResponseWriter, r *http.Request) error {
	p := r.URL.EscapedPath()
	if err := checkKeyOf(p); err != nil {
		return err
	}
	if unclean(p) {
		return notFound(w, r)
	}
	return nil
}

// unclean reports whether the mux would redirect a path to its cleaned form. Such a
// redirect has an HTML body.
func unclean(p string) bool {
	clean := path.Clean(p)
	if clean != "/" && strings.HasSuffix(p, "/") {
		clean += "/"
	}
	return clean != p
}

// checkOrigin refuses requests from unknown web origins and answers the preflights of
// known ones.
func (s *server) checkOrigin(w http.ResponseWriter, r *http.Request) (done bool, err error) {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false, nil
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	if slices.Contains(s.Origins, origin) {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", "X-Hermes-Session-Id, X-Hermes-Session-Key, X-Hermes-Lineage-Root-Id, "+
			"X-Hermes-Session-Created, X-Hermes-Responder, X-Hermes-Run-Id, X-Hermes-Tools-Omitted, X-Hermes-Items-Omitted, X-Hermes-Task, Idempotency-Replayed, Retry-After, ETag, "+
			"X-Ratelimit-Limit-Requests, X-Ratelimit-Remaining-Requests, X-Ratelimit-Reset-Requests, "+requestIDHeader)
		if r.Method == http.MethodOptions {
			h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE, OPTIONS")
			h.Set("Access-Control-Allow-Headers", "Authorization, X-Api-Key, Anthropic-Version, Anthropic-Beta, Anthropic-Dangerous-Direct-Browser-Access, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Hermes-Session-Id, "+
				"X-Hermes-Session-Key, X-Hermes-Store, X-Hermes-Task, X-Hermes-As-Of, X-Hermes-Context-Budget, X-Hermes-Detach")
			h.Set("Access-Control-Max-Age", "600")
			w.WriteHeader(http.StatusNoContent)
			return true, nil
		}
		return false, nil
	}
	if u, err := url.Parse(origin); err == nil && u.Host == r.Host {
		return false, nil // a page of this server
	}
	return false, fault.New(fault.Forbidden, "origin_not_allowed",
		"Web pages of this origin may not call this server. Add the origin to server.origins in the configuration.")
}

// checkSite refuses requests that another site made a browser send, including those
// without an Origin header: images, scripts, frames, GET forms. Browsers report them in
// Fetch Metadata; other clients send no such header. A link that a person follows is
// allowed.
func (s *server) checkSite(r *http.Request) error {
	for _, value := range r.Header.Values("Sec-Fetch-Site") {
		switch site := strings.ToLower(strings.TrimSpace(value)); {
		case site == "" || site == "none" || site == "same-origin":
		case slices.Contains(s.Origins, r.Header.Get("Origin")):
		case r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document":
		default:
			return fault.New(fault.Forbidden, "origin_not_allowed",
				"Web pages of other sites may not call this server. Add the origin of the page to server.origins in the configuration.")
		}
	}
	return nil
}

// wrap turns a route into a handler: authentication, limits, errors. Revoking a key
// ends the requests under way with it.
func (s *server) wrap(rt route) http.Handler {
	rt.handle = s.recorded(rt) // made once, not for each request
	query := queryCheck(&rt)
	return s.render(func(w http.ResponseWriter, r *http.Request) error {
		if rt.scope == "" {
			return s.serve(w, r, rt)
		}
		r, done, err := s.admit(w, r, rt)
		if err != nil {
			return err
		}
		defer done()
		if err := query(r); err != nil {
			return err
		}
		return ended(r.Context(), s.serve(w, r, rt))
	})
}

// admit authenticates a request and checks its scope. The returned request carries its
// owner. The returned function is called once the request has been answered.
func (s *server) admit(w http.ResponseWriter, r *http.Request, rt route) (*http.Request, func(), error) {
	o, err := s.authenticate(r)
	if err != nil {
		s.refused(r, err)
		return nil, nil, err
	}
	if x, ok := w.(*exchange); ok {
		x.actor = o.By()
	}
	if err := s.limitRate(w, rt, o); err != nil {
		return nil, nil, err
	}
	if rt.scope != anyKey && !o.Can(rt.scope) {
		return nil, nil, fault.New(fault.Forbidden, "insufficient_scope", fmt.Sprintf("This key lacks the scope %q.", rt.scope))
	}
	ctx, done := s.Keyring.Watch(context.WithValue(trail.As(r.Context(), o.By()), ownerKey{}, o), o)
	r = r.WithContext(ctx)
	if err := checkNoKey(r, rt); err != nil {
		done()
		return nil, nil, err
	}
	return r, done, nil
}

// ended returns the reason of a failed request: if its key was revoked meanwhile, that
// is the reason.
func ended(ctx context.Context, err error) error {
	if f, ok := errors.AsType[*fault.Error](context.Cause(ctx)); ok && err != nil {
		return f
	}
	return err
}

// serve handles an admitted request, with a limit on the size of its body.
func (s *server) serve(w http.ResponseWriter, r *http.Request, rt route) error {
	if rt.path == importPath {
		return rt.handle(w, r)
	}
	limit := int64(maxBody)
	if rt.path == mcpPath {
		limit = maxCall
	}
	if r.ContentLength > limit {
		if body, ok := r.Body.(*paced); ok {
			body.drain(min(r.ContentLength, drainBody))
		}
		return &http.MaxBytesError{Limit: limit}
	}
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	r, room, err := s.bodies.enter(r)
	if err != nil {
		return err
	}
	defer room.leave()
	leave, err := s.queue(r, &rt)
	if err != nil {
		return err
	}
	defer leave()
	return rt.handle(w, r)
}

// render runs a handler and turns its error, or its panic, into a response. A panic in
// the middle of a response breaks the connection, because an error body would be taken
// for a part of the response.
func (s *server) render(handle func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out, ok := w.(*exchange)
		if !ok {
			out = &exchange{ResponseWriter: w}
		}
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			s.Log.ErrorContext(r.Context(), "handler panicked", "route", r.Pattern, "panic", p, "stack", string(debug.Stack()))
			if out.status != 0 {
				panic(http.ErrAbortHandler)
			}
			s.fail(w, r, fault.New(fault.Internal, "internal_error", "Internal server error."))
		}()
		if err := handle(out, r); err != nil && !out.gone { // if the client is gone, nothing failed here
			s.fail(out, r, err)
		}
	})
}

type ownerKey struct{}

// ownerOf is the authenticated caller of a request.
func ownerOf(r *http.Request) owner.Owner {
	o, _ := r.Context().Value(ownerKey{}).(owner.Owner)
	return o
}

// authenticate is the only place where a request becomes an owner.
func (s *server) authenticate(r *http.Request) (owner.Owner, error) {
	token, err := tokenOf(r)
	if err != nil {
		return owner.Owner{}, err
	}
	switch {
	case token != "" && s.LocalToken != "" && subtle.ConstantTimeCompare([]byte(token), []byte(s.LocalToken)) == 1:
		return owner.Here(trail.Terminal), nil
	case s.NoAuth:
		return owner.Here(trail.Anybody), nil
	case token == "":
		return owner.Owner{}, errNoKey(r)
	}
	o, err := s.Keyring.Authenticate(r.Context(), token)
	if err == nil && o.By() == trail.Development {
		err = checkDirect(r)
	}
	if err != nil {
		return owner.Owner{}, err
	}
	return o, nil
}

func levelOf(code int) slog.Level {
	if code >= 500 && code != http.StatusServiceUnavailable {
		return slog.LevelError
	}
	return slog.LevelWarn
}
