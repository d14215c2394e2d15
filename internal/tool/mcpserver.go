package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/run"
)

// mcpServer is one MCP server with its connection.
type mcpServer struct {
	MCPServer
	opt  MCPOptions
	pool *MCP

	mu       sync.Mutex // guards the fields below
	session  *mcp.ClientSession
	tools    []run.ToolDefinition
	names    map[string]string // offered name → name on the server
	starting chan struct{}     // closed when the start under way has ended; nil for none
	retryAt  time.Time
	failures int
	closed   bool
}

const (
	startTime  = 30 * time.Second // timeout for starting and listing the tools
	firstPause = time.Second      // backoff before the second start
	maxPause   = 5 * time.Minute
	// Bounds on the tools of one server.
	maxServerTools = 128
	maxToolText    = 1024    // bytes of a description
	maxToolSchema  = 8 << 10 // bytes
)

// start starts the server unless it is running, starting, or in the backoff after a
// failure. wait says that this is the first start, for which a turn may wait.
func (s *mcpServer) start() (begun <-chan struct{}, wait bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed || s.session != nil:
		return nil, false
	case s.starting != nil:
		return s.starting, s.failures == 0
	case s.opt.Now().Before(s.retryAt):
		return nil, false
	}
	s.starting = make(chan struct{})
	s.pool.work.Go(recovery.Func(s.run, recovery.Logged(s.pool.ctx, s.opt.Log, "an MCP server", "server", s.Name)))
	return s.starting, s.failures == 0
}

// run connects, reads the tools, and waits for the end of the connection.
func (s *mcpServer) run() {
	var session *mcp.ClientSession
	err := recovery.Do(func() (err error) {
		session, err = s.connect()
		return err
	})
	s.mu.Lock()
	close(s.starting)
	s.starting = nil
	if err == nil && !s.closed {
		s.session = session
	}
	kept := s.session
	s.mu.Unlock()
	if err == nil && kept == nil { // s was closed meanwhile
		_ = session.Close()
		return
	}
	if err == nil {
		s.opt.Log.Info("an MCP server is connected", "server", s.Name, "tools", len(s.offered()))
		since := s.opt.Now()
		err = session.Wait()
		_ = session.Close() // collects the process
		if s.opt.Now().Sub(since) > maxPause {
			s.mu.Lock()
			s.failures = 0 // a long connection resets the backoff
			s.mu.Unlock()
		}
	}
	s.lost(err)
}

// lost records the end of the connection and the time of the next attempt.
func (s *mcpServer) lost(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.session, s.tools, s.names = nil, nil, nil
	s.failures++
	pause := claim.Backoff(s.failures, firstPause, maxPause)
	s.retryAt = s.opt.Now().Add(pause)
	s.opt.Log.Warn("an MCP server is not available", "server", s.Name, "retry_after", pause, "err", err)
}

// connect starts the server and lists its tools.
func (s *mcpServer) connect() (*mcp.ClientSession, error) {
	ctx, cancel := context.WithTimeout(s.pool.ctx, startTime)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "hermes", Version: s.opt.Version}, &mcp.ClientOptions{
		ToolListChangedHandler: func(ctx context.Context, r *mcp.ToolListChangedRequest) {
			err := recovery.Do(func() error { return s.learn(ctx, r.Session) })
			recovery.Log(ctx, s.opt.Log, "the tools of an MCP server", err, "server", s.Name)
		},
	})
	session, err := client.Connect(ctx, s.transport(), nil)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	if err := s.learn(ctx, session); err != nil {
		return nil, errors.Join(err, session.Close())
	}
	return session, nil
}

func (s *mcpServer) transport() mcp.Transport {
	if s.URL != "" {
		return &mcp.StreamableClientTransport{
			Endpoint: s.URL,
			HTTPClient: &http.Client{
				Transport: headerTransport{s.Headers},
				// A redirect would carry the headers to a host that was not configured.
				CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			},
			DisableStandaloneSSE: true,
		}
	}
	cmd := exec.CommandContext(s.pool.ctx, s.Command, s.Args...)
	cmd.WaitDelay = 2 * time.Second
	cmd.Stderr = io.Discard
	cmd.Env = []string{}
	for _, name := range []string{"PATH", "HOME", "LANG", "TMPDIR", "SystemRoot", "TEMP", "APPDATA"} {
		if v := s.opt.Getenv(name); v != "" {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return &mcp.CommandTransport{Command: cmd, TerminateDuration: time.Second}
}

// headerTransport adds headers to every request.
type headerTransport struct{ header map[string]string }

// RoundTrip implements http.RoundTripper.
func (t headerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range t.header {
		r.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// learn records the server's tools.
func (s *mcpServer) learn(ctx context.Context, session *mcp.ClientSession) error {
	var tools []run.ToolDefinition
	names := make(map[string]string)
	for t, err := range session.Tools(ctx, nil) {
		if err != nil {
			return fmt.Errorf("list tools: %w", err)
		}
		if len(s.Tools) > 0 && !slices.Contains(s.Tools, t.Name) {
			continue
		}
		schema, err := json.Marshal(t.InputSchema)
		if err != nil || len(schema) > maxToolSchema || len(tools) == maxServerTools {
			s.opt.Log.Warn("a tool of an MCP server cannot be offered", "server", s.Name, "tool", t.Name)
			continue
		}
		d := run.ToolDefinition{Name: toolName(s.Name, t.Name), Description: firstBytes(t.Description, maxToolText), Parameters: schema}
		d.Parallel = t.Annotations != nil && t.Annotations.ReadOnlyHint
		tools = append(tools, d)
		names[d.Name] = t.Name
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools, s.names = tools, names
	return nil
}

// offered are the server's tools; none while it is disconnected.
func (s *mcpServer) offered() []run.ToolDefinition {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == nil {
		return nil
	}
	return s.tools
}

// tool is a tool's name on the server.
func (s *mcpServer) tool(offered string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, ok := s.names[offered]
	return name, ok
}

// connected is the server's connection; nil for none.
func (s *mcpServer) connected() *mcp.ClientSession {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session
}

// close ends the connection. The server is not started again.
func (s *mcpServer) close() {
	s.mu.Lock()
	s.closed = true
	session := s.session
	s.session = nil
	s.mu.Unlock()
	if session == nil {
		return
	}
	if err := session.Close(); err != nil {
		s.opt.Log.Debug("an MCP server did not end in order", "server", s.Name, "err", err)
	}
}

// firstBytes cuts a text to at most n bytes without splitting a character.
func firstBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && text[n]&0xC0 == 0x80 {
		n--
	}
	return text[:n]
}
