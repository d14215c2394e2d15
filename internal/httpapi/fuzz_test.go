package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// panicLog keeps the log lines of handlers that fell over.
type panicLog struct {
	mu   sync.Mutex
	text string
}

func (p *panicLog) Write(line []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if bytes.Contains(line, []byte("handler panicked")) {
		p.text += string(line)
	}
	return len(line), nil
}

// take returns the lines since the last time.
func (p *panicLog) take() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := p.text
	p.text = ""
	return text
}

// fuzzWorld is a world for one fuzz target: its log fails the target on a panic.
func fuzzWorld(f *testing.F, log *panicLog) *world {
	f.Helper()
	return newWorld(f, options{log: slog.New(slog.NewTextHandler(log, nil)), answer: func(r *upstreamtest.Request) upstreamtest.Step {
		if !json.Valid(r.Body) {
			return upstreamtest.Step{Status: 400, Body: `{"error":{"message":"the upstream was sent no JSON","code":"fuzz_not_json"}}`}
		}
		return upstreamtest.Step{Chunks: []string{"o", "k"}}
	}})
}

// FuzzChatRequest: no body, however strange, brings the server to fall over, to
// send the upstream something that is not JSON, or to answer with anything but
// JSON or a stream that ends properly.
func FuzzChatRequest(f *testing.F) {
	for _, seed := range append(brokenBodies(),
		chatBody("hi", false), chatBody("hi", true),
		`{"model":"hermes","messages":[{"role":"system","content":"x"},{"role":"user","content":[{"type":"text","text":"y"},{"type":"image_url","image_url":{"url":"data:,"}}]},{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"z"}],"tools":[{"type":"function"}],"stream":true,"stream_options":{"include_usage":true},"n":2}`,
		`{"messages":[{"role":"function","name":"f","content":"x"},{"role":"developer","content":null}],"functions":[],"user":7}`,
	) {
		if len(seed) < 4096 {
			f.Add([]byte(seed), "s", "")
		}
	}
	f.Add([]byte(chatBody("hi", false)), "", "k")
	log := &panicLog{}
	w := fuzzWorld(f, log)
	f.Fuzz(func(t *testing.T, body []byte, session, key string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/v1/chat/completions", bytes.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+localKey)
		r.Header["X-Hermes-Session-Id"] = []string{session}
		r.Header["Idempotency-Key"] = []string{key}
		got := httptest.NewRecorder()
		(*w.handler.Load()).ServeHTTP(got, r)
		if text := log.take(); text != "" {
			t.Fatal(text)
		}
		answer := got.Body.String()
		if got.Header().Get("Content-Type") == "text/event-stream" {
			if !strings.HasSuffix(answer, "data: [DONE]\n\n") {
				t.Errorf("%q: got a stream that ends with %q", body, answer[max(0, len(answer)-100):])
			}
			return
		}
		if !json.Valid([]byte(answer)) || strings.Contains(answer, "fuzz_not_json") || got.Code == http.StatusInternalServerError {
			t.Errorf("%q: got %d %q", body, got.Code, answer)
		}
	})
}

// FuzzResponseRequest: the same of responses, stored and not: a stream has one
// end, and its numbers have no gap.
func FuzzResponseRequest(f *testing.F) {
	for _, seed := range append(brokenBodies(),
		`{"input":"hi"}`, `{"input":"hi","stream":true,"store":false}`, `{"input":"hi","background":true}`, `{"input":"hi","stream":true,"conversation":"c"}`,
		`{"input":[{"role":"developer","content":"x"},{"role":"user","content":[{"type":"input_text","text":"y"},{"type":"input_image","image_url":"data:,"}]},{"type":"function_call","call_id":"1","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"1","output":"z"}],"tools":[{"type":"function","name":"f"}],"stream":true}`,
		`{"input":[{"type":"item_reference","id":"msg_00_0"}],"previous_response_id":"resp_00"}`,
	) {
		if len(seed) < 4096 {
			f.Add([]byte(seed), "")
		}
	}
	log := &panicLog{}
	w := fuzzWorld(f, log)
	f.Fuzz(func(t *testing.T, body []byte, session string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/v1/responses", bytes.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+localKey)
		r.Header["X-Hermes-Session-Id"] = []string{session}
		got := httptest.NewRecorder()
		(*w.handler.Load()).ServeHTTP(got, r)
		if text := log.take(); text != "" {
			t.Fatal(text)
		}
		answer := got.Body.String()
		if got.Header().Get("Content-Type") != "text/event-stream" {
			if !json.Valid([]byte(answer)) || strings.Contains(answer, "fuzz_not_json") || got.Code == http.StatusInternalServerError {
				t.Errorf("%q: got %d %q", body, got.Code, answer)
			}
			return
		}
		n := 0
		for line := range strings.Lines(answer) {
			if data, is := strings.CutPrefix(line, "data: "); is {
				if !strings.Contains(data, fmt.Sprintf(`"sequence_number":%d,`, n)) {
					t.Errorf("%q: got %q as event %d", body, data, n)
				}
				n++
			}
		}
		if ends := strings.Count(answer, "event: response.completed\n") + strings.Count(answer, "event: response.failed\n") + strings.Count(answer, "event: response.incomplete\n"); ends != 1 {
			t.Errorf("%q: got a stream with %d ends: %q", body, ends, answer)
		}
	})
}

// FuzzMessageRequest: the same of messages: a stream has one end.
func FuzzMessageRequest(f *testing.F) {
	for _, seed := range append(brokenBodies(),
		`{"max_tokens":1,"messages":[{"role":"user","content":"hi"}]}`, `{"max_tokens":1,"stream":true,"thinking":{"type":"adaptive"},"messages":[{"role":"user","content":"hi"}]}`,
		`{"max_tokens":1,"stream":true,"system":"x","messages":[{"role":"user","content":[{"type":"image","source":{"type":"url","url":"u"}}]},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]},`+
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"z"}]}]}],"tools":[{"name":"f","input_schema":{}}],"tool_choice":{"type":"any"},"metadata":{"user_id":"u"}}`,
	) {
		if len(seed) < 4096 {
			f.Add([]byte(seed), "", false)
			f.Add([]byte(seed), "s", true)
		}
	}
	log := &panicLog{}
	w := fuzzWorld(f, log)
	f.Fuzz(func(t *testing.T, body []byte, session string, count bool) {
		path := "/v1/messages"
		if count {
			path += "/count_tokens"
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost"+path, bytes.NewReader(body))
		r.Header.Set("X-Api-Key", localKey)
		r.Header["X-Hermes-Session-Id"] = []string{session}
		got := httptest.NewRecorder()
		(*w.handler.Load()).ServeHTTP(got, r)
		if text := log.take(); text != "" {
			t.Fatal(text)
		}
		answer := got.Body.String()
		if got.Header().Get("Content-Type") != "text/event-stream" {
			if !json.Valid([]byte(answer)) || strings.Contains(answer, "fuzz_not_json") || got.Code == http.StatusInternalServerError {
				t.Errorf("%q: got %d %q", body, got.Code, answer)
			}
			return
		}
		if ends := strings.Count(answer, "event: message_stop\n") + strings.Count(answer, "event: error\n"); ends != 1 {
			t.Errorf("%q: got a stream with %d ends: %q", body, ends, answer)
		}
	})
}

// FuzzHeaders: whatever bytes stand in a session header on the wire, the server
// stays up, answers with a status line, and echoes the value as it came or not
// at all: nothing can be put into its headers (X4, X8).
func FuzzHeaders(f *testing.F) {
	for _, seed := range []string{
		"user:42", "a\x00b", "a\rb", "a\nb", "a\r\nX-Evil: 1", "a\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", "\x1b[31m", "a\x7fb", "a\tb", "\t a \t", " ",
		"\xff\xfe", "名前:ü", strings.Repeat("x", 256), strings.Repeat("x", 257), strings.Repeat("名", 256), "a\u0085b", "a\u2028b", "%0d%0a", `"`,
	} {
		f.Add("X-Hermes-Session-Id", seed)
		f.Add("X-Hermes-Session-Key", seed)
	}
	log := &panicLog{}
	w := fuzzWorld(f, log)
	f.Fuzz(func(t *testing.T, name, value string) {
		if name != "X-Hermes-Session-Key" {
			name = "X-Hermes-Session-Id"
		}
		const body = `{"messages":[{"role":"user","content":"hi"}]}`
		raw := fmt.Sprintf("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n%s: %s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s",
			localKey, name, value, len(body), body)
		res, answer := w.raw(t, raw)
		if text := log.take(); text != "" {
			t.Fatal(text)
		}
		if res == nil {
			return // the value ended the headers, and what followed was no request
		}
		if res.Header.Get("X-Evil") != "" {
			t.Fatalf("%q put a header into the answer", value)
		}
		checkEcho(t, name, value, res, answer)
	})
}

// checkEcho holds a session header of an answer against what was sent.
func checkEcho(t *testing.T, name, value string, res *http.Response, answer string) {
	t.Helper()
	if strings.ContainsAny(value, "\r\n") {
		return // the request said more than this header
	}
	sent := strings.Trim(value, " \t")
	echo := res.Header.Values(name)
	switch {
	case res.StatusCode == http.StatusOK && sent != "":
		if len(echo) != 1 || echo[0] != sent || !utf8.ValidString(sent) || utf8.RuneCountInString(sent) > 256 ||
			strings.ContainsFunc(sent, func(r rune) bool { return r < ' ' || r >= 0x7f && r <= 0x9f }) {
			t.Errorf("%q: got 200 and the echo %q", value, echo)
		}
	case res.StatusCode == http.StatusBadRequest:
		if name == "X-Hermes-Session-Key" && len(echo) != 0 {
			t.Errorf("%q: got 400 and the echo %q", value, echo)
		}
		if strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") && !json.Valid([]byte(answer)) {
			t.Errorf("%q: got %q, want JSON", value, answer)
		}
	case res.StatusCode != http.StatusOK:
		t.Errorf("%q: got %d %s", value, res.StatusCode, answer)
	}
}

// raw sends bytes and reads one response, nil if what came is none.
func (w *world) raw(t *testing.T, request string) (*http.Response, string) {
	t.Helper()
	var d net.Dialer
	conn, err := d.DialContext(context.Background(), "tcp", strings.TrimPrefix(w.srv.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(soon))
	if _, err := io.WriteString(conn, request); err != nil {
		return nil, ""
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return nil, ""
	}
	defer func() { _ = res.Body.Close() }()
	body, _ := io.ReadAll(res.Body) // half an answer is looked at, too
	return res, string(body)
}

// TestRawHeaders: control characters in a header are refused with 400 and are not
// echoed (X4, X7); what is no HTTP is refused as well. Both are refused by net/http.
func TestRawHeaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	for _, header := range []string{"X-Hermes-Session-Id", "X-Hermes-Session-Key", "Idempotency-Key"} {
		for _, bad := range []string{"\x00", "\x01", "\x0b", "\x1b", "\x7f"} {
			res, body := w.raw(t, "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+localKey+
				"\r\n"+header+": a"+bad+"b\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}")
			if res == nil || res.StatusCode != http.StatusBadRequest || strings.Contains(body, "a"+bad+"b") {
				t.Errorf("%s with %q: got %+v %q, want 400", header, bad, res, body)
			}
		}
	}
	for _, broken := range []string{"nonsense\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET /health HTTP/9.9\r\nHost: localhost\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: brotli\r\n\r\n", "GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 2<<20) + "\r\n\r\n"} {
		res, body := w.raw(t, broken)
		if res == nil || res.StatusCode < 400 {
			t.Errorf("%.60q: got %+v %q, want an error", broken, res, body)
		}
	}
	if n := len(w.up.Requests()); n != 0 {
		t.Errorf("got %d upstream calls, want none", n)
	}
}
