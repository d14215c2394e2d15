package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMCPServers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
tools:
  enabled: [session_search, memory]
mcp_servers:
  web:
    type: http
    url: https://${HOST}/mcp
    headers:
      Authorization: Bearer ${TOKEN}
      X-A.B: c
    owners: "*"
  files:
    command: npx
    args: [-y, "a,b", "c d", "", 7]
    env: {ROOT: /notes, SECRET: "${TOKEN}-x"}
    tools: [read]
    enabled: true
  old: {command: x, enabled: false}
`)
	w.env["TOKEN"], w.env["HOST"] = "hunter2-hunter2", "mcp.example.org"
	c := w.mustLoad(t)
	want := []MCPServer{
		{
			Name: "files", Command: "npx", Args: []string{"-y", "a,b", "c d", "", "7"}, Tools: []string{"read"},
			Env: map[string]string{"ROOT": "/notes", "SECRET": "hunter2-hunter2-x"},
		},
		{Name: "old", Command: "x", Off: true},
		{
			Name: "web", URL: "https://mcp.example.org/mcp", Owners: []string{"*"},
			Headers: map[string]string{"Authorization": "Bearer hunter2-hunter2", "X-A.B": "c"},
		},
	}
	if diff := cmp.Diff(want, c.MCPServers); diff != "" {
		t.Errorf("servers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"session_search", "memory"}, c.Tools.Enabled); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	if value, source := origin(t, c, "mcp_servers"); value != "files, old, web" || !strings.HasSuffix(source, "config.yaml") {
		t.Errorf("as shown: got %q from %q", value, source)
	}
	for _, r := range c.Rows() {
		if strings.Contains(r.Value, "hunter2") {
			t.Errorf("%s shows a secret", r.Name)
		}
	}
}

func TestBadMCPServers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, file, want string }{
		{"no server", "mcp_servers: [a]\n", "give each server a name"},
		{"a server as a value", "mcp_servers:\n  a: npx\n", "line 2: there is no setting"},
		{"an unknown field", "mcp_servers:\n  a:\n    command: x\n    cwd: /\n", `line 4: there is no setting "cwd"`},
		{"a field too deep", "mcp_servers:\n  a: {command: {x: y}}\n", `there is no setting "command.x"`},
		{"a bad name", "mcp_servers:\n  a b: {command: x}\n", `"a b" is no name`},
		{"neither", "mcp_servers:\n  a: {args: [x]}\n", `mcp_servers.a: say either "command" or "url"`},
		{"both", "mcp_servers:\n  a: {command: x, url: \"http://x\"}\n", `say either "command" or "url"`},
		{"no URL", "mcp_servers:\n  a: {url: \"file:///etc/passwd\"}\n", "must be an http or https URL"},
		{"a variable there is not", "mcp_servers:\n  a: {command: x, env: {K: \"${NONE}\"}}\n", `line 2: the environment variable "NONE" is not set`},
		{"an open brace", "mcp_servers:\n  a: {command: x, env: {K: \"${NONE\"}}\n", "is not closed"},
		{"enabled how", "mcp_servers:\n  a: {command: x, enabled: maybe}\n", "there is no setting \"enabled\""},
		{"an unknown tool", "tools: {enabled: [shell]}\n", `there is no tool "shell"; there are session_search, memory, skills`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			newWorld(t, tt.file).mustFail(t, tt.want)
		})
	}
}

// FuzzMCPServers: whatever stands in the section, it is read or refused, and no
// value of the environment is shown in a refusal.
func FuzzMCPServers(f *testing.F) {
	for _, seed := range [][3]string{
		{"a", "command", "npx"}, {"a", "env.K", "${TOKEN}"}, {"", "", ""}, {"a.b", "headers.X.Y", "${${TOKEN}}"}, {"a", "url", "${TOKEN"}, {"é", "args", "a,b"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, server, field, value string) {
		c := &Config{origins: make(map[string]string)}
		getenv := func(string) string { return "CANARY" }
		err := c.setMCP(server+"."+field, fileValue{value: value}, getenv)
		if err == nil {
			err = c.checkMCP()
		}
		if err != nil && strings.Contains(err.Error(), "CANARY") && !strings.Contains(server+field+value, "CANARY") {
			t.Errorf("the refusal %q shows the environment", err)
		}
		if err == nil && (len(c.MCPServers) != 1 || !mcpName.MatchString(c.MCPServers[0].Name)) {
			t.Errorf("got %+v", c.MCPServers)
		}
	})
}
