package upstream

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// refusal asks a server that refuses and returns the fault.
func refusal(t *testing.T, step upstreamtest.Step) *fault.Error {
	t.Helper()
	_, m := scripted(t, step)
	_, err := m.Stream(t.Context(), streamed())
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		t.Fatalf("got %v, want a fault", err)
	}
	return f
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	object := func(status int, fields string) upstreamtest.Step {
		return upstreamtest.Step{Status: status, Body: `{"error":{` + fields + `}}`}
	}
	for _, tt := range []struct {
		name string
		step upstreamtest.Step
		want fault.Error
	}{
		{"bad request", object(400, `"message":"no such role","type":"invalid_request_error","param":"messages[0].role","code":"bad_role"`),
			fault.Error{Kind: fault.Invalid, Status: 400, Code: "bad_role", Param: "messages[0].role", Msg: "no such role", Foreign: true}},
		{"null code", object(400, `"message":"no","code":null,"param":null`), fault.Error{Kind: fault.Invalid, Status: 400, Msg: "no", Foreign: true}},
		{"code repeats the status", object(404, `"message":"no","code":404`), fault.Error{Kind: fault.NotFound, Status: 404, Msg: "no", Foreign: true}},
		{"key refused", object(401, `"message":"Incorrect API key provided: sk-very-s***3456.","code":"invalid_api_key"`),
			fault.Error{Kind: fault.Upstream, Status: 401, Code: "invalid_api_key", Msg: "The upstream model server refused the API key that this server uses for it."}},
		{"key refused without words", upstreamtest.Step{Status: 401},
			fault.Error{Kind: fault.Upstream, Status: 401, Code: "upstream_unauthorized", Msg: "The upstream model server refused the API key that this server uses for it."}},
		{"forbidden", object(403, `"message":"no access to gpt-9","code":null`),
			fault.Error{Kind: fault.Upstream, Status: 403, Code: "upstream_forbidden", Msg: "The upstream model server refused this server access. no access to gpt-9", Foreign: true}},
		{"model not found", object(404, `"message":"no model x","code":"model_not_found"`), fault.Error{Kind: fault.NotFound, Status: 404, Code: "model_not_found", Msg: "no model x", Foreign: true}},
		{"no such address", upstreamtest.Step{Status: 404, Body: "404 page not found"},
			fault.Error{Kind: fault.Upstream, Status: 404, Code: codeError, Msg: "The upstream does not know this path. Check its base URL."}},
		{"too large", object(413, `"message":"big"`), fault.Error{Kind: fault.TooLarge, Status: 413, Msg: "big", Foreign: true}},
		{"rate limit", upstreamtest.Step{Status: 429, Body: `{"error":{"message":"slow","code":"rate_limit_exceeded"}}`, Header: http.Header{"Retry-After": {"7"}}},
			fault.Error{Kind: fault.RateLimited, Status: 429, Code: "rate_limit_exceeded", Msg: "slow", Foreign: true, RetryAfter: 7 * time.Second}},
		{"failure", upstreamtest.Step{Status: 500, Body: "<html>oh</html>"},
			fault.Error{Kind: fault.Upstream, Status: 500, Code: codeError, Msg: "The upstream model server answered with status 500."}},
		{"unavailable", object(503, `"message":"loading","code":503`), fault.Error{Kind: fault.Unavailable, Status: 503, Msg: "loading", Foreign: true}},
		{"gateway timeout", upstreamtest.Step{Status: 504}, fault.Error{Kind: fault.Timeout, Status: 504, Msg: "The upstream model server answered with status 504."}},
		{"payment", object(402, `"message":"no credit","code":402`), fault.Error{Kind: fault.Upstream, Status: 402, Code: codeError, Msg: "no credit", Foreign: true}},
		{"redirect", upstreamtest.Step{Status: 307, Header: http.Header{"Location": {"http://127.0.0.1:1/"}}},
			fault.Error{Kind: fault.Upstream, Code: "upstream_redirect", Msg: "The upstream answered with a redirect, which is not followed."}},
		{"text as error", upstreamtest.Step{Status: 400, Body: `{"error":"model not loaded"}`}, fault.Error{Kind: fault.Invalid, Status: 400, Msg: "model not loaded", Foreign: true}},
		{"in an array", upstreamtest.Step{Status: 400, Body: `[{"error":{"message":"key","code":400}}]`}, fault.Error{Kind: fault.Invalid, Status: 400, Msg: "key", Foreign: true}},
		{"detail", upstreamtest.Step{Status: 422, Body: `{"detail":"bad"}`}, fault.Error{Kind: fault.Invalid, Status: 422, Msg: "bad", Foreign: true}},
		{"bare message", upstreamtest.Step{Status: 400, Body: `{"object":"error","message":"bad","code":40303}`}, fault.Error{Kind: fault.Invalid, Status: 400, Code: "40303", Msg: "bad", Foreign: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := refusal(t, tt.step); *got != tt.want {
				t.Errorf("got  %+v\nwant %+v", *got, tt.want)
			}
		})
	}
}

func TestRefusalsDoNotLeak(t *testing.T) {
	t.Parallel()
	s := upstreamtest.New(t, upstreamtest.Options{})
	m := New(Options{BaseURL: s.URL + "/secret-path", Key: testKey, Model: "m", Transport: pool(t)})
	host := strings.TrimPrefix(s.URL, "http://")
	for _, status := range []int{400, 401, 403, 404, 429, 500} {
		words := fmt.Sprintf("key %s (sk-ver***56, Bearer=%s) at %s/secret-path/chat or %s\u0000\n", testKey.Reveal(), testKey.Reveal()[:12], s.URL, host)
		s.Queue(upstreamtest.Refuse(status, testKey.Reveal(), words))
		_, err := m.Stream(t.Context(), streamed())
		f, _ := errors.AsType[*fault.Error](err)
		for _, secret := range []string{"sk-", "very-secret", host, "secret-path", "\x00", "\n"} {
			if strings.Contains(f.Error()+f.Code, secret) {
				t.Errorf("status %d: %q holds %q", status, f.Error()+" "+f.Code, secret)
			}
		}
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	tls.Config.ErrorLog = nil
	t.Cleanup(tls.Close)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	accepting := make(chan struct{})
	go func() {
		defer close(accepting)
		for {
			conn, err := silent.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = silent.Close(); <-accepting })
	for name, base := range map[string]string{
		"refused": "http://" + nothing,
		"no name": "http://nowhere.invalid/v1",
		"bad TLS": tls.URL,
		"hung up": "http://" + silent.Addr().String(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := New(Options{BaseURL: base, Key: testKey, Model: "m", Transport: pool(t)})
			_, err := m.Stream(t.Context(), streamed())
			f, ok := errors.AsType[*fault.Error](err)
			if !ok || f.Kind != fault.Unavailable || f.Code != codeUnreachable {
				t.Fatalf("got %v, want an unavailable fault", err)
			}
			if f.Msg != "The upstream model server could not be reached." || f.Err == nil {
				t.Errorf("got %q with cause %v", f.Msg, f.Err)
			}
		})
	}
}

func TestBrokenOff(t *testing.T) {
	t.Parallel()
	for _, streaming := range []bool{true, false} {
		_, m := scripted(t, upstreamtest.Step{Chunks: []string{"a", "b"}, Cut: true, CutAfter: 1})
		p := streamed()
		p.Streaming = streaming
		got, err := listen(m.Stream(t.Context(), p))
		if fault.KindOf(err) != fault.Upstream || fault.CodeOf(err) != codeBroken {
			t.Errorf("streaming %v: got %v", streaming, err)
		}
		if want := map[bool]string{true: "a", false: ""}[streaming]; got.Content != want {
			t.Errorf("got %q, want %q", got.Content, want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"":                               0,
		"3":                              3 * time.Second,
		"1.5":                            1500 * time.Millisecond,
		"-1":                             0,
		"NaN":                            0,
		"1e300":                          24 * time.Hour,
		"soon":                           0,
		"Fri, 01 May 2026 12:00:30 GMT":  30 * time.Second,
		"Fri, 01 May 2026 11:00:00 GMT":  0,
		"Friday, 01-May-26 12:01:00 GMT": time.Minute,
	} {
		if got := retryAfter(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("%q: got %v, want %v", value, got, want)
		}
	}
	if got := retryAfter(http.Header{"Retry-After-Ms": {"250"}, "Retry-After": {"1"}}, now); got != 250*time.Millisecond {
		t.Errorf("got %v, want 250ms", got)
	}
}

func TestCauseHoldsNoKey(t *testing.T) {
	t.Parallel()
	s := newScrubber(testKey, nil)
	err := s.cause(fmt.Errorf("proxy said %s: %w", testKey.Reveal(), io.EOF))
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("got %q", err)
	}
	if got := s.cause(io.EOF); !errors.Is(got, io.EOF) {
		t.Errorf("got %v, want the error itself", got)
	}
}

func FuzzScrub(f *testing.F) {
	f.Add("Incorrect API key provided: sk-very-secret-key-123456.")
	f.Add("  sk-very\u00a0secret\xff\u2028 x")
	f.Add(strings.Repeat("long ", 1000))
	f.Add("s\x01k-very\x00-secret")
	s := newScrubber(testKey, nil)
	f.Fuzz(func(t *testing.T, text string) {
		got := s.message(text)
		if strings.Contains(got, testKey.Reveal()) || strings.Contains(got, "sk-") {
			t.Errorf("%q holds the key", got)
		}
		if len(got) > maxMessage+len("…") || strings.ContainsAny(got, "\r\n\x00") {
			t.Errorf("%q is too long or holds a line break", got)
		}
	})
}
