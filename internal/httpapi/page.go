package httpapi

import (
	"net/http"

	"github.com/hermes-memory/hermes/internal/web"
)

// asset answers GET /assets/{version}/{path...}: a file of the page.
func (s *server) asset(w http.ResponseWriter, r *http.Request) error {
	if web.Asset(w, r, r.PathValue("version"), r.PathValue("path")) {
		return nil
	}
	return notFound(w, r)
}

// favicon answers GET /favicon.ico, which browsers ask for by themselves. The page names an
// icon of its own.
func (s *server) favicon(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Cache-Control", "public, max-age=86400")
	w.WriteHeader(http.StatusNoContent)
	return nil
}
