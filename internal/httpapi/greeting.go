package httpapi

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/hermes-memory/hermes/internal/web"
)

// greetingPath is the address that people open first.
const greetingPath = "/"

// greeting says what listens here. It needs no key and shows no data.
type greeting struct {
	Platform string `json:"platform"`
	Version  string `json:"version"`
	About    string `json:"about"`
	BaseURL  string `json:"base_url"`
	Auth     string `json:"authorization"`
	OpenAPI  string `json:"openapi"`
	Docs     string `json:"documentation"`
}

// greet answers GET / as the client accepts it: the page for browsers, JSON for programs,
// else plain text.
func (s *server) greet(w http.ResponseWriter, r *http.Request) error {
	root := origin(r)
	g := greeting{
		Platform: "hermes", Version: s.Version, About: "A server that gives any OpenAI-compatible client a memory.",
		BaseURL: root + "/v1", Auth: "Bearer <key>", OpenAPI: root + "/openapi.json",
		Docs: "hermes help, and docs/ in the source code",
	}
	w.Header().Add("Vary", "Accept")
	accept := strings.ToLower(strings.Join(r.Header.Values("Accept"), ","))
	switch {
	case strings.Contains(accept, "text/html"):
		web.Index(w, r)
	case strings.Contains(accept, "application/json"):
		return writeJSON(w, http.StatusOK, g)
	default:
		writePlain(w, g.text())
	}
	return nil
}

// lines are the parts of a greeting that are not its title.
func (g *greeting) lines() [][2]string {
	return [][2]string{
		{"Base URL", g.BaseURL},
		{"Authorization", g.Auth + " (hermes keys create makes one)"},
		{"API", g.OpenAPI},
		{"Documentation", g.Docs},
	}
}

func (g *greeting) text() string {
	var b strings.Builder
	b.WriteString(g.Platform + " " + g.Version + "\n" + g.About + "\n\n")
	for _, line := range g.lines() {
		b.WriteString(line[0] + ": " + line[1] + "\n")
	}
	return b.String()
}

// writePlain writes a whole text.
func writePlain(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write([]byte(body)) // an error means that the client is gone
}
