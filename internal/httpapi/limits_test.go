package httpapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSessionIDs: 256 characters pass, 257 do not; control characters that HTTP
// lets through are refused; a header sent twice is refused (X4–X8, S12).
func TestSessionIDs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	for _, header := range []string{"X-Hermes-Session-Id", "X-Hermes-Session-Key"} {
		code := map[string]string{"X-Hermes-Session-Id": "invalid_session_id", "X-Hermes-Session-Key": "invalid_session_key"}[header]
		for _, tt := range []struct {
			name, value string
			ok          bool
		}{
			{"256 letters", strings.Repeat("a", 256), true},
			{"257 letters", strings.Repeat("a", 257), false},
			{"256 characters of three bytes", strings.Repeat("名", 256), true},
			{"257 characters of three bytes", strings.Repeat("名", 257), false},
			{"256 characters of four bytes", strings.Repeat("🦊", 256), true},
			{"a tab", "a\tb", false},
			{"no UTF-8", "a\xffb", false},
			{"half a character", "a\xe5\x90", false},
			{"a C1 control", "a\u0085b", false},
			{"a line separator", "a\u2028b", false},
			{"quotes and braces", `{"a":'b'}`, true},
			{"percent", "%00%0d%0a", true},
			{"SQL", "'; DROP TABLE sessions; --", true},
			{"combining marks", "ü" + strings.Repeat("\u0301", 255), true},
		} {
			got := w.call("POST", "/v1/chat/completions", chatBody("hi", false), header, tt.value)
			if tt.ok {
				if echo := got.header.Values(header); got.status != 200 || !cmp.Equal(echo, []string{tt.value}) {
					t.Errorf("%s %s: got %d and the echo %q", header, tt.name, got.status, echo)
				}
				continue
			}
			if got.status != http.StatusBadRequest || !strings.Contains(got.body, `"code":"`+code+`"`) || got.header.Get(header) != "" {
				t.Errorf("%s %s: got %d, echo %q, %s", header, tt.name, got.status, got.header.Get(header), got.body)
			}
		}
		twice := w.request("POST", "/v1/chat/completions", chatBody("hi", false))
		twice.Header[header] = []string{"a", "a"}
		if got := w.do(twice); got.status != http.StatusBadRequest || !strings.Contains(got.body, code) {
			t.Errorf("%s twice: got %d %s, want 400", header, got.status, got.body)
		}
	}
	w.onlyOwnFiles()
}

// onlyOwnFiles holds that no id has become a file.
func (w *world) onlyOwnFiles() {
	w.t.Helper()
	err := filepath.WalkDir(w.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasPrefix(d.Name(), "state.db") {
			w.t.Errorf("found the file %s", path)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// TestBodySize: 10,000,000 bytes are read, one more is refused, whether or not
// its length was announced.
func TestBodySize(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	body := func(size int) string {
		const head, end = `{"model":"hermes","messages":[{"role":"user","content":"`, `"}]}`
		return head + strings.Repeat("a", size-len(head)-len(end)) + end
	}
	for _, path := range []string{"/v1/chat/completions", "/api/sessions/s/messages", "/api/sessions", "/api/keys"} {
		for _, announced := range []bool{true, false} {
			if !announced && path != "/v1/chat/completions" {
				continue
			}
			r := w.request("POST", path, body(10_000_001))
			if !announced {
				r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body(10_000_001))), -1
			}
			got := w.do(r)
			if got.status != http.StatusRequestEntityTooLarge || !strings.Contains(got.body, `"code":"body_too_large"`) {
				t.Errorf("%s, announced %t: got %d %.200s, want 413", path, announced, got.status, got.body)
			}
		}
	}
	for size, want := range map[int]int{1_000_000: http.StatusOK, 1_000_001: http.StatusRequestEntityTooLarge} { // the calls of MCP clients are small
		const head, end = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"a":"`, `"}}}`
		text := head + strings.Repeat("a", size-len(head)-len(end)) + end
		for _, announced := range []bool{true, false} {
			r := w.request("POST", "/mcp", text)
			if !announced {
				r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), -1
			}
			if got := w.do(r); got.status != want || want != http.StatusOK && !strings.Contains(got.body, "larger than 1000000 bytes") {
				t.Errorf("/mcp, %d bytes, announced %t: got %d %.200s, want %d", size, announced, got.status, got.body, want)
			}
		}
	}
	if n := len(w.up.Requests()); n != 0 {
		t.Errorf("got %d upstream calls, want none", n)
	}
	// A body of the full size is read: what refuses it is the largest window of any model.
	if got := w.call("POST", "/v1/chat/completions", body(10_000_000)); !strings.Contains(got.body, "context_length_exceeded") {
		t.Errorf("10,000,000 bytes: got %d %.200s, want 400 context_length_exceeded", got.status, got.body)
	}
	if got := w.call("POST", "/v1/chat/completions", body(1_000_000)); got.status != http.StatusOK {
		t.Errorf("1,000,000 bytes: got %d %.200s, want 200: what the client brings is never cut", got.status, got.body)
	}
}

// TestIdempotencyKeys: what counts as one.
func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	for _, tt := range []struct {
		name, key string
		ok        bool
	}{
		{"255 characters", strings.Repeat("k", 255), true},
		{"256 characters", strings.Repeat("k", 256), false},
		{"all that is visible", "!~\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}", true},
		{"a space", "a b", false},
		{"not ASCII", "ü", false},
	} {
		got := w.call("POST", "/v1/chat/completions", chatBody("hi", false), "Idempotency-Key", tt.key)
		if ok := got.status == 200; ok != tt.ok {
			t.Errorf("%s: got %d %s", tt.name, got.status, got.body)
		}
	}
	twice := w.request("POST", "/v1/chat/completions", chatBody("hi", false))
	twice.Header["Idempotency-Key"] = []string{"a", "b"}
	if got := w.do(twice); got.status != http.StatusBadRequest {
		t.Errorf("twice: got %d %s, want 400", got.status, got.body)
	}
}

// TestLargeMessages: what is large is stored, told and sent on to the letter,
// whatever it is made of, by every door.
func TestLargeMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{RunsWait: true})
	text := strings.Repeat("aé名🦊\\\"<\n", 1<<15)
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	said := func(what, body string) {
		t.Helper()
		var list struct {
			Data []struct {
				Role, Content string
			}
			HasMore bool `json:"has_more"`
		}
		if err := json.Unmarshal([]byte(body), &list); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for _, m := range list.Data {
			if m.Role == "user" && m.Content == text {
				return
			}
		}
		t.Errorf("%s: the text is not among %d messages", what, len(list.Data))
	}
	body := `{"messages":[{"role":"user","content":"short"},{"role":"user","content":` + string(quoted) + `}]}`
	got := w.call("POST", "/api/sessions/imported/messages", body)
	if got.status != http.StatusOK {
		t.Fatalf("import: got %d %.200s", got.status, got.body)
	}
	said("import", got.body)
	said("list", w.call("GET", "/api/sessions/imported/messages", "").body)
	if got := w.call("POST", "/v1/chat/completions", body, "X-Hermes-Session-Id", "chat", "X-Hermes-Context-Budget", "9000000"); got.status != http.StatusOK {
		t.Fatalf("chat: got %d %.200s", got.status, got.body)
	}
	said("chat", w.call("GET", "/api/sessions/chat/messages", "").body)
	got = w.call("POST", "/v1/runs", `{"session_id":"run","input":`+string(quoted)+`}`, "X-Hermes-Context-Budget", "9000000")
	if got.status != http.StatusAccepted {
		t.Fatalf("run: got %d %.200s", got.status, got.body)
	}
	w.finishRuns()
	said("run", w.call("GET", "/api/sessions/run/messages", "").body)
}
