package tool

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
)

// servers are the tools of MCP servers that end with the test.
func servers(t *testing.T, configs ...MCPServer) (*MCP, *runtest.Clock) {
	t.Helper()
	w := runtest.NewClock()
	m := NewMCP(t.Context(), configs, MCPOptions{
		Version: "test", Getenv: os.Getenv, Now: w.Now, Log: slog.New(slog.DiscardHandler), Patience: time.Minute,
	})
	t.Cleanup(m.Close)
	return m, w
}

// stdioServer is this test binary as an MCP server, and the file where it notes
// its starts.
func stdioServer(t *testing.T, name string) (MCPServer, string) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "starts")
	return MCPServer{Name: name, Command: os.Args[0], Env: map[string]string{"TEST_MCP_SERVER": log, "OWN": "value"}}, log
}

func starts(t *testing.T, log string) []string {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func names(tools []run.ToolDefinition) []string {
	var out []string
	for _, d := range tools {
		out = append(out, d.Name)
	}
	return out
}

// use calls a tool with a text.
func use(ctx context.Context, m *MCP, g *run.Grant, name, text string) run.ToolResult {
	raw, _ := json.Marshal(map[string]string{"text": text})
	return m.Call(ctx, g, run.ToolRequest{ID: "1", Name: name, Arguments: raw})
}

func TestMCPOverStdio(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "CANARY")
	config, log := stdioServer(t, "test")
	m, _ := servers(t, config)
	g := localGrant("")
	if got := starts(t, log); got != nil {
		t.Errorf("got the starts %q before a turn needed it", got)
	}
	tools := m.Offer(t.Context(), g)
	want := []string{"mcp_test_crash", "mcp_test_echo", "mcp_test_fail", "mcp_test_hang", "mcp_test_huge", toolName("test", "odd name/with:signs")}
	if diff := cmp.Diff(want, names(tools)); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	for _, d := range tools {
		if !m.Has(d.Name) || !json.Valid(d.Parameters) || d.Parallel != (d.Name == "mcp_test_echo") {
			t.Errorf("got the definition %+v", d)
		}
	}
	for _, tt := range []struct{ name, want string }{
		{"mcp_test_echo", "echo: moin"}, {toolName("test", "odd name/with:signs"), "odd"}, {"mcp_test_huge", strings.Repeat("x", 3<<20)},
	} {
		if got := use(t.Context(), m, g, tt.name, "moin"); got.Failed || got.Text != tt.want || got.Note != "" {
			t.Errorf("%s: got %.80q, failed %v", tt.name, got.Text, got.Failed)
		}
	}
	if got := use(t.Context(), m, g, "mcp_test_fail", ""); !got.Failed {
		t.Errorf("fail: got %+v", got)
	}
	if got := use(t.Context(), m, g, "mcp_test_none", ""); !got.Failed {
		t.Errorf("an unknown tool: got %+v", got)
	}
	m.Offer(t.Context(), g)
	got := starts(t, log)
	if len(got) != 1 || !strings.Contains(got[0], "OWN=value") || strings.Contains(got[0], "CANARY") {
		t.Errorf("got the starts %q, want one, with its own environment and none of our keys", got)
	}
}

// TestMCPHang: a call ends with its context, and the server is still there.
func TestMCPHang(t *testing.T) {
	t.Parallel()
	config, log := stdioServer(t, "test")
	m, _ := servers(t, config)
	g := localGrant("")
	m.Offer(t.Context(), g)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if got := use(ctx, m, g, "mcp_test_hang", ""); !got.Failed || !strings.Contains(got.Text, "in time") {
		t.Errorf("got %+v, want it given up", got)
	}
	if got := use(t.Context(), m, g, "mcp_test_echo", "x"); got.Failed {
		t.Errorf("the next call: got %+v", got)
	}
	if n := len(starts(t, log)); n != 1 {
		t.Errorf("got %d starts, want 1", n)
	}
}

// TestMCPCrash: a server that dies takes its tools away until it is started
// again, which is not before its pause is over.
func TestMCPCrash(t *testing.T) {
	t.Parallel()
	config, log := stdioServer(t, "test")
	m, clock := servers(t, config)
	g := localGrant("")
	m.Offer(t.Context(), g)
	if got := use(t.Context(), m, g, "mcp_test_crash", ""); !got.Failed {
		t.Fatalf("got %+v, want a failure", got)
	}
	m.work.Wait() // its end has been noticed
	if got := m.Offer(t.Context(), g); got != nil {
		t.Errorf("got the tools %q of a dead server", names(got))
	}
	if got := use(t.Context(), m, g, "mcp_test_echo", ""); !got.Failed {
		t.Errorf("got %+v of a dead server", got)
	}
	clock.Advance(2 * firstPause)
	begun, wait := m.servers[0].start()
	if begun == nil || wait {
		t.Fatalf("got no second start, or one that turns wait for: %v", wait)
	}
	<-begun
	m.Offer(t.Context(), g)
	if got := use(t.Context(), m, g, "mcp_test_echo", "again"); got.Failed || len(starts(t, log)) != 2 {
		t.Errorf("got %+v after %d starts", got, len(starts(t, log)))
	}
}

// TestMCPNeverThere: what cannot be started fails no turn, and is not waited for
// a second time.
func TestMCPNeverThere(t *testing.T) {
	t.Parallel()
	good, _ := stdioServer(t, "good")
	m, clock := servers(t, MCPServer{Name: "none", Command: filepath.Join(t.TempDir(), "nonesuch")}, good,
		MCPServer{Name: "mute", Command: "true"}, MCPServer{Name: "gone", URL: "http://127.0.0.1:1/mcp"})
	g := localGrant("")
	for range 3 {
		if got := m.Offer(t.Context(), g); len(got) != 6 {
			t.Errorf("got the tools %q, want those of the good server", names(got))
		}
		clock.Advance(time.Hour)
	}
}

func TestMCPOverHTTP(t *testing.T) {
	t.Parallel()
	tools := mcpTools()
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return tools }, nil)
	var mu sync.Mutex
	keys := make(map[string]bool)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		keys[r.Header.Get("Authorization")] = true
		mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	m, _ := servers(t, MCPServer{Name: "web", URL: srv.URL, Headers: map[string]string{"Authorization": "Bearer secret"}, Tools: []string{"echo", "none"}})
	g := localGrant("")
	if diff := cmp.Diff([]string{"mcp_web_echo"}, names(m.Offer(t.Context(), g))); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	if got := use(t.Context(), m, g, "mcp_web_echo", "moin"); got.Failed || got.Text != "echo: moin" {
		t.Errorf("got %+v", got)
	}
	if got := use(t.Context(), m, g, "mcp_web_fail", ""); !got.Failed || !strings.Contains(got.Text, "no tool") {
		t.Errorf("a tool that is not on the list: got %+v", got)
	}
	mu.Lock()
	defer mu.Unlock()
	if diff := cmp.Diff(map[string]bool{"Bearer secret": true}, keys); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}

// TestMCPOwners: a server is for the owners it was given to, whoever asks.
func TestMCPOwners(t *testing.T) {
	t.Parallel()
	mine, _ := stdioServer(t, "mine")
	hers, _ := stdioServer(t, "hers")
	all, _ := stdioServer(t, "all")
	hers.Owners, all.Owners = []string{"alice"}, []string{"*"}
	mine.Tools, hers.Tools, all.Tools = []string{"echo"}, []string{"echo"}, []string{"echo"}
	m, _ := servers(t, mine, hers, all)
	for _, tt := range []struct {
		name  string
		grant *run.Grant
		want  []string
	}{
		{"local", localGrant("k"), []string{"mcp_mine_echo", "mcp_all_echo"}},
		{"alice", aliceGrant(t, ""), []string{"mcp_hers_echo", "mcp_all_echo"}},
		{"bob", &run.Grant{Owner: someone(t, "bob")}, []string{"mcp_all_echo"}},
		{"no owner", &run.Grant{}, nil},
	} {
		got := names(m.Offer(t.Context(), tt.grant))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: tools (-want +got):\n%s", tt.name, diff)
		}
		for _, name := range []string{"mcp_mine_echo", "mcp_hers_echo", "mcp_all_echo"} {
			allowed := strings.Contains(strings.Join(tt.want, " "), name)
			if got := use(t.Context(), m, tt.grant, name, "x"); got.Failed == allowed {
				t.Errorf("%s calls %s: got %+v, want it allowed: %v", tt.name, name, got, allowed)
			}
		}
	}
}

func TestToolName(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, pair := range [][2]string{
		{"a", "b"}, {"a", "b.c"}, {"a", "b c"}, {"a", "b:c"}, {"a", strings.Repeat("long", 30)}, {"a", strings.Repeat("long", 30) + "er"}, {"a", "ü"}, {"a", "ö"}, {"a_b", "c"},
	} {
		name := toolName(pair[0], pair[1])
		if len(name) > 64 || seen[name] || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
			t.Errorf("%q: got %q", pair, name)
		}
		seen[name] = true
	}
}
