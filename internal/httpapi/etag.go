package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// etagOf returns the entity tag of a representation. Equal bytes give equal tags.
func etagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}

// writeTagged writes a value with its entity tag, or 304 if the client has that tag.
func writeTagged(w http.ResponseWriter, r *http.Request, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	tag := etagOf(body)
	w.Header().Set("ETag", tag)
	if listsTag(r.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	writeRaw(w, http.StatusOK, body)
	return nil
}

// listsTag reports whether a header lists the tag, or "*".
func listsTag(values []string, tag string) bool {
	for _, value := range values {
		for one := range strings.SplitSeq(value, ",") {
			one = strings.TrimPrefix(strings.TrimSpace(one), "W/")
			if one == tag || one == "*" {
				return true
			}
		}
	}
	return false
}

// represent returns the answer of GET /api/sessions/{id} for a lineage's tip, and its
// entity tag.
func (s *server) represent(ctx context.Context, o owner.Owner, tip *session.Session) (sessionReply, string, error) {
	lineage, err := s.Sessions.Sessions(ctx, o, session.Filter{Lineage: tip.RootID})
	if err != nil {
		return sessionReply{}, "", err
	}
	out := oneSession(tip, lineage)
	body, err := json.Marshal(out)
	return out, etagOf(body), err
}

// ifMatch returns the check that a request's If-Match asks for; nil without one.
func (s *server) ifMatch(r *http.Request) curate.Check {
	values := r.Header.Values("If-Match")
	if len(values) == 0 {
		return nil
	}
	return func(tip session.Session) error {
		_, tag, err := s.represent(r.Context(), ownerOf(r), &tip)
		if err != nil {
			return err
		}
		if !listsTag(values, tag) {
			return fault.New(fault.Stale, "session_changed", "The session has changed since you read it. Read it again.").At("If-Match")
		}
		return nil
	}
}
