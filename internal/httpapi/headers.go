package httpapi

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// The names of our headers, in the spelling net/http sends.
const (
	sessionIDHeader  = "X-Hermes-Session-Id"
	sessionKeyHeader = "X-Hermes-Session-Key"
	rootIDHeader     = "X-Hermes-Lineage-Root-Id"
	createdHeader    = "X-Hermes-Session-Created"
	responderHeader  = "X-Hermes-Responder"
	storeHeader      = "X-Hermes-Store"
	taskHeader       = "X-Hermes-Task"
	budgetHeader     = "X-Hermes-Context-Budget"
	asOfHeader       = "X-Hermes-As-Of"
	detachHeader     = "X-Hermes-Detach"
	runIDHeader      = "X-Hermes-Run-Id"
	idempotencyName  = "Idempotency-Key"
	replayedHeader   = "Idempotency-Replayed"
)

// sessionHeaders are the headers that choose a transcript and a memory.
type sessionHeaders struct {
	id  session.ID
	key session.Key
}

// parseSessionHeaders checks both headers. An empty value counts as absent.
func (s *server) parseSessionHeaders(r *http.Request) (h sessionHeaders, err error) {
	id, err := single(r, sessionIDHeader, "invalid_session_id")
	if err != nil {
		return h, err
	}
	key, err := single(r, sessionKeyHeader, "invalid_session_key")
	if err != nil {
		return h, err
	}
	if s.NoAuth && (id != "" || key != "") {
		return h, errNoAuthSession()
	}
	if id != "" {
		if h.id, err = session.ParseID(id); err != nil {
			return h, err
		}
	}
	if key != "" {
		if h.key, err = session.ParseKey(key); err != nil {
			return h, err
		}
	}
	return h, nil
}

// turnHeaders are the session headers of a request for a turn. The key is echoed,
// on refusals too.
func (s *server) turnHeaders(w http.ResponseWriter, r *http.Request) (sessionHeaders, error) {
	h, err := s.parseSessionHeaders(r)
	if err == nil && h.key != "" {
		w.Header().Set(sessionKeyHeader, string(h.key))
	}
	return h, err
}

func errNoAuthSession() error {
	return fault.New(fault.Forbidden, "session_auth_required",
		"Session headers require API key authentication, and this server runs with --no-auth. Configure API_SERVER_KEY to use them.")
}

// single returns the value of a header that may be sent once only: two values
// mean that somebody on the way disagrees with the client about who it is.
func single(r *http.Request, name, code string) (string, error) {
	values := r.Header.Values(name)
	if len(values) > 1 {
		return "", fault.New(fault.Invalid, code, "Send the header "+name+" once only.").At(name)
	}
	if len(values) == 0 {
		return "", nil
	}
	return strings.Trim(values[0], " "), nil
}

// parseTurnHeaders reads the headers that say how a turn is to be run.
func parseTurnHeaders(r *http.Request, req *run.Request) error {
	if task, err := single(r, taskHeader, "invalid_header"); err != nil {
		return err
	} else if task != "" {
		// A front end's own call (a title, tags): it is no part of the conversation.
		req.Stateless, req.OffRecord = true, true
	}
	switch store := r.Header.Get(storeHeader); store {
	case "":
	case "none":
		req.OffRecord = true
	default:
		return fault.New(fault.Invalid, "invalid_header", storeHeader+" can only be \"none\".").At(storeHeader)
	}
	if text := r.Header.Get(asOfHeader); text != "" {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return fault.New(fault.Invalid, "invalid_as_of", asOfHeader+" must be an RFC 3339 time, such as 2026-11-21T10:00:00Z.").At(asOfHeader)
		}
		req.AsOf = at.UTC()
	}
	if text := r.Header.Get(budgetHeader); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n <= 0 {
			return fault.New(fault.Invalid, "invalid_context_budget", budgetHeader+" must be a number of tokens.").At(budgetHeader)
		}
		req.Budget = n
	}
	return nil
}

// parseIdempotencyKey reads the key of a request that may be repeated.
func parseIdempotencyKey(r *http.Request) (string, error) {
	key, err := single(r, idempotencyName, "invalid_idempotency_key")
	if err != nil || key == "" {
		return "", err
	}
	bad := strings.ContainsFunc(key, func(c rune) bool { return c <= ' ' || c > '~' })
	if bad || len(key) > 255 {
		return "", fault.New(fault.Invalid, "invalid_idempotency_key", "An Idempotency-Key is 1–255 visible ASCII characters.").At(idempotencyName)
	}
	return key, nil
}

// setSession tells the effective session.
func setSession(h http.Header, id, root session.ID) {
	h.Set(sessionIDHeader, string(id))
	h.Set(rootIDHeader, string(root))
}

// setStream tells what is known of a turn before its answer.
func setStream(h http.Header, st *run.Stream, key session.Key) {
	setSession(h, st.SessionID, st.RootID)
	if key != "" {
		h.Set(sessionKeyHeader, string(key))
	}
	if st.Created {
		h.Set(createdHeader, "true")
	}
	if st.Replayed {
		h.Set(replayedHeader, "true")
	}
	h.Set(responderHeader, string(st.Responder))
}
