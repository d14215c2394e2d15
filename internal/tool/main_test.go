package tool

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/runtest"
)

// TestMain also is the MCP server that the tests start.
func TestMain(m *testing.M) {
	if log := os.Getenv("TEST_MCP_SERVER"); log != "" {
		serveMCP(log)
		return
	}
	goleak.VerifyTestMain(m)
}

// serveMCP is an MCP server over standard input and output. It notes each start
// in a file.
func serveMCP(log string) {
	f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		os.Exit(3)
	}
	_, _ = f.WriteString("started with " + strings.Join(os.Environ(), " ") + "\n")
	_ = f.Close()
	_ = mcpTools().Run(context.Background(), &mcp.StdioTransport{})
}

type textIn struct {
	Text string `json:"text,omitempty"`
}

// mcpTools is a server whose tools do what their names say.
func mcpTools() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	add := func(name string, do func(context.Context, string) (string, error)) {
		mcp.AddTool(s, &mcp.Tool{Name: name, Description: "Does " + name, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: name == "echo"}},
			func(ctx context.Context, _ *mcp.CallToolRequest, in textIn) (*mcp.CallToolResult, any, error) {
				text, err := do(ctx, in.Text)
				if err != nil {
					return nil, nil, err
				}
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
			})
	}
	add("echo", func(_ context.Context, text string) (string, error) { return "echo: " + text, nil })
	add("fail", func(context.Context, string) (string, error) { return "", context.DeadlineExceeded })
	add("huge", func(context.Context, string) (string, error) { return strings.Repeat("x", 3<<20), nil })
	add("crash", func(context.Context, string) (string, error) { os.Exit(7); return "", nil })
	add("hang", func(ctx context.Context, _ string) (string, error) { <-ctx.Done(); return "", ctx.Err() })
	add("odd name/with:signs", func(context.Context, string) (string, error) { return "odd", nil })
	return s
}

// someone is another owner than the local one, with a key of the usual scopes.
func someone(t *testing.T, name string) owner.Owner {
	t.Helper()
	db := runtest.Open(t, filepath.Join(t.TempDir(), "keys.db"))
	defer func() { _ = db.Close() }()
	ring := owner.NewKeyring(db, nil, false, time.Now)
	_, secret, err := ring.Create(t.Context(), owner.NewKey{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	o, err := ring.Authenticate(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	return o
}
