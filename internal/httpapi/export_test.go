package httpapi

import (
	"log/slog"
	"maps"
	"net/http"
	"slices"

	"github.com/hermes-memory/hermes/internal/owner"
)

// Verb is a row of the route table, for tests that must cover all of it.
type Verb struct {
	Method, Path string
	Scope        owner.Scope
}

// Table lists every route.
func Table() []Verb {
	var out []Verb
	for _, rt := range (&server{}).routes() {
		out = append(out, Verb{rt.method, rt.path, rt.scope})
	}
	return out
}

// Render is how handlers are run.
func Render(log *slog.Logger, handle func(http.ResponseWriter, *http.Request) error) http.Handler {
	return (&server{Config: Config{Log: log}}).render(handle)
}

// Apart calls f on a goroutine of its own.
func Apart(f func() error) error { return apart(f) }

// Audited are the routes whose use is recorded.
func Audited() []string { return slices.Collect(maps.Keys(audited())) }
