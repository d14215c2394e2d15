package httpapi

import (
	"errors"
	"net/http"
	"runtime"
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/fault"
)

// Requests that read all data of an owner take seconds of a core. An owner has one of
// them at a time, the others are queued, and owners are served in turn.
const (
	longRoom     = 256 // the queue; one owner gets at most three quarters
	longPatience = 5 * time.Minute
)

// isLong reports whether a route reads all data of an owner.
func isLong(rt *route) bool {
	switch rt.name() {
	case "POST /api/memory/forget", "POST /api/memory/rebuild", "POST /api/search/rebuild", "POST /api/sessions/prune",
		"POST /api/sessions/mirror",
		"GET /api/audit/verify":
		return true
	}
	return false
}

// newLongLine returns the queue for such requests. As many run at once as there are
// cores, and at least two, so that one owner never blocks all others.
func newLongLine() *claim.Line {
	return claim.NewLine(claim.LineOptions{Permits: max(2, runtime.GOMAXPROCS(0)), Room: longRoom, Patience: longPatience})
}

// queue waits for a long request's turn, which lasts until the returned function is
// called. It fails with Unavailable "overloaded".
func (s *server) queue(r *http.Request, rt *route) (leave func(), err error) {
	if !isLong(rt) {
		return func() {}, nil
	}
	id := ownerOf(r).ID()
	place, err := s.long.Enter(r.Context(), claim.Visitor{Owner: id, Key: id, Most: 1})
	if refused, ok := errors.AsType[*claim.Refusal](err); ok {
		f := fault.New(fault.Unavailable, "overloaded", "Other requests of this kind are being worked on. Try again shortly.")
		f.RetryAfter = refused.Again
		return nil, f
	}
	if err != nil {
		return nil, fault.Wrap(fault.Canceled, "cancelled", "The request was cancelled.", err)
	}
	return place.Leave, nil
}
