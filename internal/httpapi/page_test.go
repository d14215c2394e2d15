package httpapi_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// browser is how a browser asks for an address that somebody typed.
var browser = []string{"Authorization", "", "Accept", "text/html,application/xhtml+xml,*/*;q=0.8"}

// TestPage: a browser gets the page and its files without a key, and all other answers
// load and run nothing.
func TestPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	page := w.call("GET", "/", "", browser...)
	if page.status != http.StatusOK || page.header.Get("Content-Type") != "text/html; charset=utf-8" || page.header.Get("Cache-Control") != "no-cache" {
		t.Fatalf("got %d %v %s", page.status, page.header, page.body)
	}
	if vary := strings.Join(page.header.Values("Vary"), ","); !strings.Contains(vary, "Accept,") && !strings.HasSuffix(vary, "Accept") {
		t.Errorf("got Vary %q, want Accept, too", vary)
	}
	script := regexp.MustCompile(`assets/[0-9a-f]+/js/main\.js`).FindString(page.body)
	got := w.call("GET", "/"+script, "", "Authorization", "")
	if got.status != http.StatusOK || got.header.Get("Content-Type") != "text/javascript; charset=utf-8" || !strings.Contains(got.header.Get("Cache-Control"), "immutable") {
		t.Errorf("%s: got %d %v", script, got.status, got.header)
	}
	if got := w.call("GET", "/", "", append([]string{"If-None-Match", page.header.Get("ETag")}, browser...)...); got.status != http.StatusNotModified {
		t.Errorf("the same again: got %d, want 304", got.status)
	}
	for _, path := range []string{"/api/sessions", "/health", "/nonesuch", "/assets/0/app.css", "/favicon.ico"} {
		got := w.call("GET", path, "")
		if policy := got.header.Get("Content-Security-Policy"); policy != "default-src 'none'; frame-ancestors 'none'" {
			t.Errorf("%s: got policy %q", path, policy)
		}
	}
	for _, secret := range []string{localKey, upstreamKey, "local-token", w.dir} { // the files are public
		if strings.Contains(page.body, secret) {
			t.Errorf("the page has %q in it", secret)
		}
	}
}
