// Package web is the page that browsers show: its files, which are in the program, and how
// they are served. It has no data, no key and no setting, and knows no other package of
// this program. The page is a client of the public API.
package web

import (
	"net/http"
	"strconv"
	"strings"
)

// Index answers GET / with the page. A browser asks each time whether it has changed.
func Index(w http.ResponseWriter, r *http.Request) {
	p := load()
	h := w.Header()
	tag := `W/"` + p.version + `"`
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", tag)
	if strings.Contains(strings.Join(r.Header.Values("If-None-Match"), ","), tag) {
		setHeaders(h)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	p.index.serve(w, r)
}

// Asset answers GET /assets/{version}/{path}, and reports whether there is such a file. The
// address names the version of all files, so that a browser may keep the answer for good.
func Asset(w http.ResponseWriter, r *http.Request, version, path string) bool {
	p := load()
	f, ok := p.assets[path]
	if !ok || version != p.version {
		return false
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	f.serve(w, r)
	return true
}

// serve writes a file, compressed if the client can read that.
func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	setHeaders(h)
	h.Set("Content-Type", f.kind)
	h.Add("Vary", "Accept-Encoding")
	var body []byte
	if readsGzip(r.Header.Values("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		body = f.gzipped()
	} else {
		body = f.plain()
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // an error means that the client is gone
	}
}

// readsGzip reports whether a client that sent these values of Accept-Encoding reads gzip.
func readsGzip(values []string) bool {
	for _, value := range values {
		for coding := range strings.SplitSeq(value, ",") {
			name, weight, _ := strings.Cut(coding, ";")
			if strings.EqualFold(strings.TrimSpace(name), "gzip") {
				return !strings.HasPrefix(strings.ReplaceAll(weight, " ", ""), "q=0") || strings.ContainsAny(weight, "123456789")
			}
		}
	}
	return false
}
