package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestRememberNoSecrets: a statement with a secret is refused, whatever its kind, and is
// stored nowhere.
func TestRememberNoSecrets(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	for _, body := range []string{
		`{"statement":"my pw is hunter2xyz"}`, `{"statement":"user bob pass hunter2xyz","kind":"fact"}`,
	} {
		r := w.call("POST", "/api/memory?session_key=team", body)
		if r.status != http.StatusBadRequest || !strings.Contains(r.body, "secret_statement") {
			t.Errorf("%s: got %d %s", body, r.status, r.body)
		}
	}
	if got := w.call("GET", "/api/memory?session_key=team", ""); strings.Contains(got.body, "hunter2xyz") {
		t.Errorf("memory has the secret: %s", got.body)
	}
	if r := w.call("POST", "/api/memory?session_key=team", `{"statement":"The password is in the safe."}`); r.status >= 400 {
		t.Errorf("a statement without a secret: got %d %s", r.status, r.body)
	}
}
