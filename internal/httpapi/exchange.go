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

// Observer is told of every request. Nothing it hears is content: no path, no
// header, no id but the request's own.
type Observer interface {
	// Begin hears that a request has come. It returns the context to serve it
	// with, and whom to tell of its end, which must not be nil.
	Begin(ctx context.Context, h http.Header) (context.Context, func(Answered))
}

// Answered is a request that is over.
type Answered struct {
	// Method is one of the verbs of HTTP that are answered here, or "other".
	Method string
	// Route is the pattern that matched, without its method, or "unknown".
	Route string
	// Status is the status sent; 499 if the client left before any was sent.
	Status int
	// Bytes is the size of the body that was sent.
	Bytes int64
	Took  time.Duration
	// Limited says that it was refused because its key has made too many.
	Limited bool
}

// exchange is a response being written, and the facts about it that are logged.
type exchange struct {
	http.ResponseWriter
	status int // 0 until the response has begun
	bytes  int64
	gone   bool // the client is gone
	actor  string
	// inner says that it is a part of another one: one of our doors asks another.
	inner bool
	// limited says that its key has made too many requests.
	limited bool
	// body is the request's; nil if it has none.
	body  *paced
	began time.Time
	told  func(Answered)
}

// head is called before the head of the response is written. A body that was not read
// to its end ends the connection: else net/http would wait for the rest before it
// answers.
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

// Unwrap lets http.ResponseController through.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// begin names a request and begins to watch it.
func (s *server) begin(w http.ResponseWriter, r *http.Request) (*exchange, *http.Request) {
	id := trail.From(r.Context()).RequestID // of the request it is a part of
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

// end tells of a request that is over.
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
		a.Status = http.StatusOK // net/http says so for a handler that says nothing
	}
	if x.told != nil {
		x.told(a)
	}
	if debug {
		s.Log.LogAttrs(r.Context(), slog.LevelDebug, "request", slog.String("method", a.Method), slog.String("route", a.Route),
			slog.Int("status", a.Status), slog.Duration("took", a.Took), slog.Int64("bytes", a.Bytes), slog.String("actor", x.actor))
	}
}

// methodOf is the request's method, unless the client made it up.
func methodOf(r *http.Request) string {
	if slices.Contains(verbs, r.Method) || r.Method == http.MethodHead {
		return r.Method
	}
	return "other"
}

// routeOf is the pattern that a request matched, without its method. What it
// was asked for by name is never told: paths hold ids.
func routeOf(r *http.Request) string {
	_, path, ok := strings.Cut(r.Pattern, " ")
	if !ok {
		return "unknown"
	}
	return path
}
