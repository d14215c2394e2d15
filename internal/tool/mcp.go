package tool

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/run"
)

// MCPServer is a configured MCP server: a command that is started here and uses
// standard input and output, or a URL.
type MCPServer struct {
	Name    string
	Command string
	Args    []string
	Env     map[string]string // its whole environment, except PATH, HOME, LANG and TMPDIR
	URL     string
	Headers map[string]string
	// Tools are the tools to offer; empty means all.
	Tools []string
	// Owners are the owners that may use the server, "*" for all; empty means only the
	// local owner. The owners share the data that the MCP server stores.
	Owners []string
}

// MCP are the tools of all configured MCP servers. A server is started when a turn
// first needs it. After it has died, it is started again with a backoff. A dead server
// only makes its own tools unavailable.
type MCP struct {
	servers []*mcpServer
	ctx     context.Context // for the connections
	cancel  context.CancelFunc
	work    sync.WaitGroup
}

// MCPOptions are the dependencies of the connections.
type MCPOptions struct {
	Version string // of this program, for the handshake
	Getenv  func(string) string
	Now     func() time.Time
	Log     *slog.Logger
	// Patience is how long a turn waits for servers that have never been started; 0
	// means five seconds.
	Patience time.Duration
}

// NewMCP returns the tools of the servers. It starts nothing. The caller closes it.
func NewMCP(ctx context.Context, servers []MCPServer, o MCPOptions) *MCP {
	m := &MCP{}
	m.ctx, m.cancel = context.WithCancel(context.WithoutCancel(ctx))
	o.Patience = cmp.Or(o.Patience, 5*time.Second)
	for _, c := range servers {
		m.servers = append(m.servers, &mcpServer{MCPServer: c, opt: o, pool: m})
	}
	return m
}

// Close ends all servers and waits for them.
func (m *MCP) Close() {
	var ending sync.WaitGroup
	for _, s := range m.servers {
		ending.Go(recovery.Func(s.close, recovery.Logged(m.ctx, s.opt.Log, "the end of an MCP server", "server", s.Name)))
	}
	ending.Wait()
	m.cancel() // cancels starts under way
	m.work.Wait()
}

// Has implements Source.
func (m *MCP) Has(name string) bool { return strings.HasPrefix(name, mcpPrefix) }

const mcpPrefix = "mcp_"

// Offer implements Source.
func (m *MCP) Offer(ctx context.Context, g *run.Grant) []run.ToolDefinition {
	var starting []<-chan struct{}
	patience := time.Duration(0)
	for _, s := range m.servers {
		if s.allows(g) {
			if begun, wait := s.start(); wait {
				starting = append(starting, begun)
				patience = s.opt.Patience
			}
		}
	}
	if len(starting) > 0 {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		for _, begun := range starting {
			select {
			case <-begun:
				continue
			case <-timer.C:
			case <-ctx.Done():
			}
			break
		}
	}
	var out []run.ToolDefinition
	for _, s := range m.servers {
		if s.allows(g) {
			out = append(out, s.offered()...)
		}
	}
	return out
}

// Call implements Source.
func (m *MCP) Call(ctx context.Context, g *run.Grant, c run.ToolRequest) run.ToolResult {
	for _, s := range m.servers {
		name, ok := s.tool(c.Name)
		if !ok {
			continue
		}
		if !s.allows(g) {
			break
		}
		return s.call(ctx, name, c)
	}
	return refuse("there is no tool %q", c.Name)
}

// allows reports whether the grant's owner may use the server.
func (s *mcpServer) allows(g *run.Grant) bool {
	if !g.Owner.Can(owner.Chat) {
		return false
	}
	if len(s.Owners) == 0 {
		return g.Owner.ID() == owner.LocalID
	}
	return slices.Contains(s.Owners, g.Owner.ID()) || slices.Contains(s.Owners, "*")
}

// call runs a tool of the server.
func (s *mcpServer) call(ctx context.Context, name string, c run.ToolRequest) run.ToolResult {
	session := s.connected()
	if session == nil {
		return outside("Error: the MCP server "+s.Name+" cannot be reached", true)
	}
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: c.Arguments})
	if ctx.Err() != nil {
		return outside("Error: the MCP server "+s.Name+" did not answer in time", true)
	}
	if err != nil {
		s.opt.Log.Debug("a call of an MCP server failed", "server", s.Name, "tool", name, "err", err)
		return outside("Error: the MCP server "+s.Name+" refused the call: "+err.Error(), true)
	}
	return outside(textOf(res), res.IsError)
}

// outside is a result with text of another program.
func outside(text string, failed bool) run.ToolResult {
	return run.ToolResult{Text: text, Failed: failed}
}

// textOf is the text of a result.
func textOf(res *mcp.CallToolResult) string {
	var parts []string
	for _, c := range res.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			parts = append(parts, c.Text)
		case *mcp.ImageContent:
			parts = append(parts, fmt.Sprintf("[an image of type %s, %d bytes, which cannot be shown]", c.MIMEType, len(c.Data)))
		case *mcp.AudioContent:
			parts = append(parts, fmt.Sprintf("[a sound of type %s, %d bytes, which cannot be played]", c.MIMEType, len(c.Data)))
		case *mcp.ResourceLink:
			parts = append(parts, fmt.Sprintf("[%s: %s]", c.Name, c.URI))
		case *mcp.EmbeddedResource:
			if c.Resource != nil {
				parts = append(parts, c.Resource.Text)
			}
		}
	}
	if len(parts) == 0 && res.StructuredContent != nil {
		raw, _ := json.Marshal(res.StructuredContent) // was JSON before: cannot fail
		parts = append(parts, string(raw))
	}
	if len(parts) == 0 {
		return "[no output]"
	}
	return strings.Join(parts, "\n")
}

// toolName is the name under which a server's tool is offered. Models accept at most 64
// letters, digits, hyphens and underscores.
func toolName(server, tool string) string {
	clean := func(r rune) rune {
		if strings.ContainsRune("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-", r) {
			return r
		}
		return '_'
	}
	name := mcpPrefix + strings.Map(clean, server) + "_" + strings.Map(clean, tool)
	const longest = 64
	if len(name) > longest || name != mcpPrefix+server+"_"+tool {
		sum := sha256.Sum256([]byte(server + "\x00" + tool))
		name = name[:min(len(name), longest-9)] + "_" + hex.EncodeToString(sum[:4])
	}
	return name
}
