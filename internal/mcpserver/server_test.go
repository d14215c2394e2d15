package mcpserver_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/hermes-memory/hermes/internal/mcpserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestFailures: whatever the API does, the client gets a result that says so,
// in words that show nothing of the insides.
func TestFailures(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, want string
		answer     http.HandlerFunc
	}{
		{"a refusal", "Say whose memory.", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":{"message":"Say whose memory."}}`))
		}},
		{"an error of another form", "status 500", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = w.Write([]byte("goroutine 1 [running]"))
		}},
		{"no JSON", "could not be read", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("goroutine 1")) }},
		{"no answer", "did not answer", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			api := httptest.NewServer(tt.answer)
			t.Cleanup(api.Close)
			client := connect(t, mcpserver.API{Client: api.Client(), Base: api.URL})
			for _, call := range []*mcp.CallToolParams{
				{Name: "recall", Arguments: map[string]any{"question": "x"}},
				{Name: "remember", Arguments: map[string]any{"statement": "x"}},
				{Name: "forget", Arguments: map[string]any{"fact_id": "a/../b"}},
				{Name: "session_search", Arguments: map[string]any{"query": "x"}},
			} {
				res, err := client.CallTool(t.Context(), call)
				if call.Name == "forget" && tt.name == "no JSON" {
					continue // its answer is not read
				}
				if err != nil || !res.IsError || len(res.Content) != 1 {
					t.Errorf("%s: got %+v, %v, want an error result", call.Name, res, err)
					continue
				}
				if text := res.Content[0].(*mcp.TextContent).Text; !strings.Contains(text, tt.want) || strings.Contains(text, "goroutine") {
					t.Errorf("%s: got %q, want %q", call.Name, text, tt.want)
				}
			}
		})
	}
}

// TestRequests: what a call asks of the API, with the caller's own key; the
// scope of a call goes before the connection's.
func TestRequests(t *testing.T) {
	t.Parallel()
	var got []string
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Method+" "+r.RequestURI+" "+r.Header.Get("Authorization"))
		_, _ = w.Write([]byte(`{"data":[]}`))
	}))
	t.Cleanup(api.Close)
	client := connect(t, mcpserver.API{Client: api.Client(), Base: api.URL, Authorization: "Bearer k", SessionKey: "usual"})
	for _, tt := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"recall", map[string]any{"question": "a & b", "limit": 1000}, "GET /api/memory/recall?limit=50&q=a+%26+b&session_key=usual Bearer k"},
		{"remember", map[string]any{"statement": "x", "session_id": "s"}, "POST /api/memory?session_id=s Bearer k"},
		{"remember", map[string]any{"statement": "x", "replaces": "f/../1"}, "PATCH /api/memory/f%2F..%2F1?session_key=usual Bearer k"},
		{"forget", map[string]any{"fact_id": "f_1", "session_key": "other"}, "DELETE /api/memory/f_1?session_key=other Bearer k"},
		{"session_search", map[string]any{"query": "x"}, "GET /api/search?limit=3&q=x&session_key=usual Bearer k"},
	} {
		got = nil
		res, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tt.tool, Arguments: tt.arguments})
		if err != nil || res.IsError || len(got) != 1 || got[0] != tt.want {
			t.Errorf("%s: asked %q, got %+v, %v, want %q", tt.tool, got, res, err, tt.want)
		}
	}
}

// connect is a client of a server for the API.
func connect(t *testing.T, api mcpserver.API) *mcp.ClientSession {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	server, err := mcpserver.New(api, "test").Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = client.Close()
		_ = server.Wait()
	})
	return client
}

// breaking is a way to the API that panics.
type breaking struct{}

// RoundTrip implements http.RoundTripper.
func (breaking) RoundTrip(*http.Request) (*http.Response, error) { panic("the way broke down") }

// TestPanics: a call that panics is an error that shows nothing, and the connection
// goes on.
func TestPanics(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	client := connect(t, mcpserver.API{
		Client: &http.Client{Transport: breaking{}}, Base: "http://127.0.0.1", Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	for range 2 {
		_, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "recall", Arguments: map[string]any{"question": "x"}})
		if err == nil || !strings.Contains(err.Error(), "internal error") || strings.Contains(err.Error(), "broke down") {
			t.Errorf("got %v, want an internal error that shows nothing", err)
		}
	}
	if !strings.Contains(log.String(), "the way broke down") || !strings.Contains(log.String(), "RoundTrip") {
		t.Errorf("got the log %q, want the panic and its stack", log.String())
	}
}
