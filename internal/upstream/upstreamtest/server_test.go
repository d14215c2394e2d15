package upstreamtest_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// caller is a client whose connections end with the test.
func caller(t testing.TB) *http.Client {
	t.Helper()
	pool := &http.Transport{MaxIdleConnsPerHost: 256}
	t.Cleanup(pool.CloseIdleConnections)
	return &http.Client{Transport: pool}
}

func post(ctx context.Context, t testing.TB, c *http.Client, url, body string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return c.Do(req)
}

// ask posts a body and returns the answer's.
func ask(t testing.TB, c *http.Client, url, body string) (int, string) {
	t.Helper()
	resp, err := post(t.Context(), t, c, url, body)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func TestServerSpeaksBothWires(t *testing.T) {
	t.Parallel()
	s := upstreamtest.New(t, upstreamtest.Options{})
	c := caller(t)
	for _, tt := range []struct{ path, body, want string }{
		{"/v1/chat/completions", `{"model":"m","messages":[]}`, `"message":{"role":"assistant","content":"ok","refusal":null}`},
		{"/v1/chat/completions", `{"model":"m","stream": true}`, "data: [DONE]\n\n"},
		{"/v1/messages", `{"model":"m"}`, `"content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn"`},
		{"/v1/messages", `{"model":"m","stream":true}`, "event: message_stop\n"},
		{"/v1/models", ``, `"id":"scripted-model"`},
	} {
		status, got := ask(t, c, s.URL+tt.path, tt.body)
		if status != 200 || !strings.Contains(got, tt.want) {
			t.Errorf("%s %s: got %d %s, want %q in it", tt.path, tt.body, status, got, tt.want)
		}
		if !strings.Contains(got, "data: ") && !json.Valid([]byte(got)) {
			t.Errorf("%s is not JSON", got)
		}
	}
	var got []string
	for _, r := range s.Requests() {
		got = append(got, r.Method+" "+r.Path+" "+r.Model)
	}
	want := []string{"POST /v1/chat/completions m", "POST /v1/chat/completions m", "POST /v1/messages m", "POST /v1/messages m", "POST /v1/models "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if status, _ := ask(t, c, s.URL+"/other", ""); status != http.StatusNotFound {
		t.Errorf("got status %d for an unknown path", status)
	}
}

func TestServerPlaysItsScript(t *testing.T) {
	t.Parallel()
	s := upstreamtest.New(t, upstreamtest.Options{Default: func(r *upstreamtest.Request) upstreamtest.Step {
		return upstreamtest.Reply("you said " + string(r.Body))
	}})
	c := caller(t)
	s.Queue(upstreamtest.Reply("first"), upstreamtest.Refuse(429, "slow_down", "wait"), upstreamtest.Step{Raw: []byte("anything")})
	for i, want := range []string{`"content":"first"`, `"code":"slow_down"`, "anything", `"content":"you said {}"`} {
		if _, got := ask(t, c, s.URL+"/v1/chat/completions", "{}"); !strings.Contains(got, want) {
			t.Errorf("reply %d: got %s, want %q in it", i, got, want)
		}
	}
}

func TestServerReportsWhoLeft(t *testing.T) {
	t.Parallel()
	s := upstreamtest.New(t, upstreamtest.Options{})
	c := caller(t)
	s.Queue(upstreamtest.Step{Text: "some", Hang: true}, upstreamtest.Step{Hold: make(chan struct{})})
	for _, body := range []string{`{"model":"one","stream":true}`, `{"model":"two"}`} {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			if resp, err := post(ctx, t, c, s.URL+"/v1/chat/completions", body); err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		}()
		came := <-s.Arrivals()
		cancel()
		if left := <-s.Left(); left != came {
			t.Errorf("%s left, want %s", left.Body, came.Body)
		}
		<-done
	}
}

func TestServerWithoutATest(t *testing.T) {
	t.Parallel()
	s := upstreamtest.New(nil, upstreamtest.Options{Quiet: true})
	ask(t, caller(t), s.URL+"/v1/chat/completions", "{}")
	if s.Last() != nil {
		t.Error("a quiet server remembered a request")
	}
	s.Close()
	if _, err := upstreamtest.Start(upstreamtest.Options{Addr: "256.0.0.1:1"}); err == nil {
		t.Error("started at an address that does not exist")
	}
}

// BenchmarkServer shows what the server costs together with a plain client.
func BenchmarkServer(b *testing.B) {
	s := upstreamtest.New(b, upstreamtest.Options{Quiet: true})
	c := caller(b)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			ask(b, c, s.URL+"/v1/chat/completions", `{"model":"m","stream":true}`)
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
}
