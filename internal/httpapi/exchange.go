package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/trail"
)

// Observer is told of every request. It learns no content: no path, no header, and no
// id except the request's.
type Observer interface {
	// Begin is called when a request arrives. It returns the context for the request
	// and a function to call at its end, which must not be nil.
	Begin(ctx context.Context, h http.Header) (context.Context, func(Answered))
}

// Answered describes a finished request.
type Answered struct {
	// Method is an HTTP method that this server answers, or "other".
	Method string
	// Route is the matched pattern without its method, or "unknown".
	Route string
	// Status is the status sent; 499 if the client disconnected before any was sent.
	Status int
	// Bytes is the size of the body that was sent.
	Bytes int64
	Took  time.Duration
	// Limited says that the request was refused by the rate limit of its key.
	Limited bool
}

// exchange is a response being written, and its facts for the log.
type exchange struct {
	http.ResponseWriter
	status int // 0 until the response has begun
	bytes  int64
	gone   bool // the client is gone
	actor  string
	// inner says that the request is part of another one: a route of this server calls
	// another.
	inner bool
	// limited says that the request was refused by the rate limit of its key.
	limited bool
	// body is the request's; nil if it has none.
	body  *paced
	began time.Time
	told  func(Answered)
}

// head is called before the head of the response is written. If the body was not read
// to its end, the connection closes: otherwise net/http would wait for the rest before
// it answers.
func (x *exchange) head(status int) {
	if x.status != 0 {
		return
	}
	x.status = status
	if x.body != nil && !x.body.whole {
		x.Header().Set("Connection", "close")
	}
}

// WriteHeader implements http.ResponseWriter.
func (x *exchange) WriteHeader(status int) {
	x.head(status)
	x.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (x *exchange) Write(p []byte) (int, error) {
	x.head(http.StatusOK)
	n, err := x.ResponseWriter.Write(p)
	x.bytes += int64(n)
	x.gone = x.gone || err != nil
	return n, err
}

// Unwrap gives http.ResponseController access to the original writer.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// begin gives a request its id and starts to observe it.
func (s *server) begin(w http.ResponseWriter, r *http.Request) (*exchange, *http.Request) {
	id := trail.From(r.Context()).RequestID // the id of the outer request, if there is one
	inner := id != ""
	if given := r.Header[trail.Header]; id == "" && len(given) == 1 && trail.Clean(given[0]) {
		id = given[0]
	}
	if id == "" {
		id = trail.NewID()
	}
	x := &exchange{ResponseWriter: w, began: time.Now(), inner: inner}
	x.Header().Set(trail.Header, id)
	ctx := trail.With(r.Context(), trail.Trail{RequestID: id})
	if s.Observer != nil {
		ctx, x.told = s.Observer.Begin(ctx, r.Header)
	}
	return x, r.WithContext(ctx)
}

// end reports a finished request.
func (s *server) end(x *exchange, r *http.Request) {
	debug := s.Log.Enabled(r.Context(), slog.LevelDebug)
	if x.told == nil && !debug {
		return
	}
	a := Answered{Method: methodOf(r), Route: routeOf(r), Status: x.status, Bytes: x.bytes, Took: time.Since(x.began), Limited: x.limited}
	switch {
	case a.Status != 0:
	case r.Context().Err() != nil:
		a.Status = 499
	default:
		a.Status = http.StatusOK // net/http sends 200 if a handler writes nothing
	}
	if x.told != nil {
		x.told(a)
	}
	if debug {
		s.Log.LogAttrs(r.Context(), slog.LevelDebug, "request", slog.String("method", a.Method), slog.String("route", a.Route),
			slog.Int("status", a.Status), slog.Duration("took", a.Took), slog.Int64("bytes", a.Bytes), slog.String("actor", x.actor))
	}
}

// methodOf is the request's method; "other" for an unknown one.
func methodOf(r *http.Request) string {
	if slices.Contains(verbs, r.Method) || r.Method == http.MethodHead {
		return r.Method
	}
	return "other"
}

// routeOf is the pattern that a request matched, without its method. The path itself is
// never reported, because paths hold ids.
func routeOf(r *http.Request) string {
	_, path, ok := strings.Cut(r.Pattern, " ")
	if !ok {
		return "unknown"
	}
	return strings.TrimSuffix(path, "{$}")
}
