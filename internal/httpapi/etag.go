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

// etagOf names a representation: equal bytes, equal tags.
func etagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}

// writeTagged renders a value with its tag, or says that the caller has it.
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

// listsTag reports whether a header names the tag, or any.
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

// represent is what GET /api/sessions/{id} shows of a lineage's tip, and its tag.
func (s *server) represent(ctx context.Context, o owner.Owner, tip *session.Session) (sessionReply, string, error) {
	lineage, err := s.Sessions.Sessions(ctx, o, session.Filter{Lineage: tip.RootID})
	if err != nil {
		return sessionReply{}, "", err
	}
	out := oneSession(tip, lineage)
	body, err := json.Marshal(out)
	return out, etagOf(body), err
}

// ifMatch is the check that a request's If-Match asks for; nil without one.
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
