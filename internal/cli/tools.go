package cli

import (
	"context"
	"net/http"
	"slices"

	"github.com/hermes-memory/hermes/internal/config"
	"github.com/hermes-memory/hermes/internal/mcpserver"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/tool"
)

// setTools makes the enabled tools for models.
func (s *server) setTools(ctx context.Context, getenv func(string) string) {
	c := &s.cfg.Tools
	if slices.Contains(c.Enabled, search.ToolName) {
		t := &search.Tool{Store: s.db, Transcripts: s.db}
		if c.SummaryModel != "" && s.choice.Model != nil {
			t.Summarizer = tool.Summaries{Model: s.choice.Model, Name: c.SummaryModel}
		}
		s.tools = append(s.tools, tool.Search{Tool: t})
	}
	s.addTool(tool.MemoryName, tool.Memory{Trust: c.TrustResults})
	s.addTool(tool.SkillsName, tool.Skills{Home: s.cfg.Home, Trust: c.TrustResults})
	var servers []tool.MCPServer
	for _, m := range s.cfg.MCPServers {
		if !m.Off {
			servers = append(servers, tool.MCPServer{
				Name: m.Name, Command: m.Command, Args: m.Args, Env: m.Env, URL: m.URL, Headers: m.Headers, Tools: m.Tools, Owners: m.Owners,
			})
		}
	}
	if getenv == nil {
		getenv = func(string) string { return "" }
	}
	s.mcp = tool.NewMCP(ctx, servers, tool.MCPOptions{Version: Version(), Getenv: getenv, Now: s.now, Log: s.log})
	if len(servers) > 0 {
		s.tools = append(s.tools, s.mcp)
	}
}

// addTool adds a tool: for all turns if it is enabled, otherwise for those that choose it.
func (s *server) addTool(name string, source tool.Source) {
	if !slices.Contains(s.cfg.Tools.Enabled, name) {
		source = tool.OnChoice{Source: source}
	}
	s.tools = append(s.tools, source)
}

// offered are the tools for turns.
func (s *server) offered() run.Tools {
	var tools run.Tools = tool.Audited{Tools: s.tools, Audit: s.db, Now: s.now, Log: s.log}
	if s.measures != nil {
		tools = s.measures.Tools(tools, config.ToolNames())
	}
	if approve := s.cfg.Tools.Approve; len(approve) > 0 {
		tools = tool.Guarded{Tools: tools, Names: approve}
	}
	return tools
}

// toolNames are the enabled tools and MCP servers, for display.
func (s *server) toolNames() []string {
	names := slices.Clone(s.cfg.Tools.Enabled)
	for _, m := range s.cfg.MCPServers {
		if !m.Off {
			names = append(names, "mcp:"+m.Name)
		}
	}
	return names
}

// mcpDoor is the handler for MCP clients. It calls this server's API.
func (s *server) mcpDoor() http.Handler {
	here := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) })
	return mcpserver.Handler(mcpserver.Options{
		Client: &http.Client{Transport: handlerTransport{here, &s.inside}}, Base: "http://localhost", Version: Version(), Log: s.log,
	})
}
