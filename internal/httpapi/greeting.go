package httpapi

import (
	"html"
	"net/http"
	"strconv"
	"strings"
)

// greetingPath is the address that people open first.
const greetingPath = "/"

// greetingPolicy lets the page load and run nothing.
const greetingPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

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

// greet answers GET / as the client accepts it: a page for browsers, JSON for programs,
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
		w.Header().Set("Content-Security-Policy", greetingPolicy)
		writePage(w, "text/html; charset=utf-8", g.page())
	case strings.Contains(accept, "application/json"):
		return writeJSON(w, http.StatusOK, g)
	default:
		writePage(w, "text/plain; charset=utf-8", g.text())
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

func (g *greeting) page() string {
	var b strings.Builder
	title := html.EscapeString(g.Platform + " " + g.Version)
	b.WriteString("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n" +
		"<title>" + title + "</title>\n<h1>" + title + "</h1>\n<p>" + html.EscapeString(g.About) + "</p>\n<dl>\n")
	for _, line := range g.lines() {
		b.WriteString("<dt>" + html.EscapeString(line[0]) + "</dt><dd>" + html.EscapeString(line[1]) + "</dd>\n")
	}
	b.WriteString("</dl>\n</html>\n")
	return b.String()
}

// writePage writes a whole text.
func writePage(w http.ResponseWriter, kind, body string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write([]byte(body)) // an error means that the client is gone
}
