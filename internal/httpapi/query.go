package httpapi

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/hermes-memory/hermes/internal/fault"
)

// ownPaths begin the paths of this server's own protocol. Clients of other protocols, and
// programs that watch a server, send parameters that it need not know, such as
// "api-version".
var ownPaths = []string{"/api/", "/v1/runs"}

// queryCheck makes the check of a route's query, which refuses a parameter that the route
// does not have. A client whose "limit" or "offset" is ignored would take all rows for
// some, or read the first page again and again.
func queryCheck(rt *route) func(*http.Request) error {
	if !slices.ContainsFunc(ownPaths, func(path string) bool { return strings.HasPrefix(rt.path, path) }) {
		return func(*http.Request) error { return nil }
	}
	name := rt.name()
	return func(r *http.Request) error {
		if r.URL.RawQuery == "" {
			return nil
		}
		all, err := queries()
		if err != nil {
			return err
		}
		known := all[name]
		unknown := slices.DeleteFunc(slices.Collect(maps.Keys(r.URL.Query())), func(p string) bool { return slices.Contains(known, p) })
		if len(unknown) == 0 {
			return nil
		}
		return unknownParameter(rt, slices.Min(unknown), known)
	}
}

// unknownParameter says what to send instead of a parameter that a route does not have.
func unknownParameter(rt *route, name string, known []string) error {
	text := fmt.Sprintf("%s has no query parameter %q. %s", rt.name(), name, listed(known))
	if name == "offset" && rt.method == http.MethodGet {
		text = "\"offset\" is not supported: rows that move would be missed or shown twice. Continue with what the page before gave: \"cursor\", \"from\", \"after\" or \"before\"."
	}
	return fault.New(fault.Invalid, "unsupported_parameter", text).At(name)
}

func listed(names []string) string {
	if len(names) == 0 {
		return "It has none."
	}
	return "It has: " + strings.Join(names, ", ") + "."
}

// parameter is a parameter of a route in the description of the API, or the name of a
// shared one.
type parameter struct {
	Ref  string `yaml:"$ref"`
	Name string `yaml:"name"`
	In   string `yaml:"in"`
}

// queries are the query parameters of every route, by the description of the API. It is
// read at the first request with a query, so that it does not delay the start.
var queries = sync.OnceValues(func() (map[string][]string, error) {
	var doc struct {
		Paths map[string]map[string]struct {
			Parameters []parameter `yaml:"parameters"`
		} `yaml:"paths"`
		Components struct {
			Parameters map[string]parameter `yaml:"parameters"`
		} `yaml:"components"`
	}
	if err := yaml.Unmarshal(document, &doc); err != nil {
		return nil, fmt.Errorf("read openapi.yaml: %w", err)
	}
	out := make(map[string][]string)
	for path, verbs := range doc.Paths {
		for verb, op := range verbs {
			name := strings.ToUpper(verb) + " " + path
			for _, p := range op.Parameters {
				if p.Ref != "" {
					p = doc.Components.Parameters[p.Ref[strings.LastIndexByte(p.Ref, '/')+1:]]
				}
				if p.In == "query" {
					out[name] = append(out[name], p.Name)
				}
			}
		}
	}
	return out, nil
})

// number reads a positive number of the query. A number above most is refused, because
// a client that gets fewer rows than it asked for takes the page for the last one.
func number(text, name string, absent, most int) (int, error) {
	if text == "" {
		return absent, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, fault.New(fault.Invalid, "invalid_"+name, fmt.Sprintf("%q must be a number from 1 to %d.", name, most)).At(name)
	}
	return n, nil
}
