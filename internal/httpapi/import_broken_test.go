package httpapi_test

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"
)

// onRead is a reader of nothing that does something first.
type onRead func()

// Read implements io.Reader.
func (do onRead) Read([]byte) (int, error) {
	do()
	return 0, io.EOF
}

// TestImportBroken: an import that the store ends says what is stored until then.
func TestImportBroken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	first := foreignLine("", "My cat is called Ada.", strings.Repeat("Fine. ", 20_000)) // more than is read ahead
	second := strings.ReplaceAll(strings.ReplaceAll(first, "chat:c", "chat:d"), `"id":"c"`, `"id":"d"`)
	fail := onRead(func() { _ = w.db.Close() })
	body := io.MultiReader(strings.NewReader(first), fail, strings.NewReader(second))
	r := httptest.NewRequest("POST", w.srv.URL+"/api/sessions/import", body)
	r.Header.Set("Authorization", "Bearer "+localKey)
	got := httptest.NewRecorder() // the handler itself reads the body, part by part
	(*w.handler.Load()).ServeHTTP(got, r)
	if !strings.Contains(got.Body.String(), "Of its conversations, 1 are stored, with 2 messages; a second run goes on behind them. The reason: ") {
		t.Errorf("got %d %s", got.Code, got.Body)
	}
}
