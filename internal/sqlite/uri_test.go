package sqlite

import (
	"net/url"
	"testing"
)

// TestURIPath holds the path of a database against what SQLite reads in a URI: a name of
// a host is refused, and a drive stands behind a slash.
func TestURIPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/home/me/state.db":              "file:///home/me/state.db",
		"/home/a b?c#d%41/state.db":      "file:///home/a%20b%3Fc%23d%2541/state.db",
		"C:/Users/me/.hermes/state.db":   "file:///C:/Users/me/.hermes/state.db",
		"d:/Über mich/state.db":          "file:///d:/%C3%9Cber%20mich/state.db",
		"//server/share/hermes/state.db": "file:////server/share/hermes/state.db",
	} {
		u := url.URL{Scheme: "file", Path: uriPath(path)}
		if u.String() != want {
			t.Errorf("%s: got %s, want %s", path, u.String(), want)
		}
	}
}
