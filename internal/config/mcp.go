package config

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// MCPServer is an MCP server: a command to start, or a URL.
type MCPServer struct {
	Name    string
	Command string
	Args    []string
	Env     map[string]string
	URL     string
	Headers map[string]string
	Tools   []string // those that may be offered; empty means all
	Owners  []string // that may use it; empty means the local owner, "*" all owners
	Off     bool
}

// ToolNames are the tools that can be enabled.
func ToolNames() []string { return []string{"session_search", "memory", "skills"} }

const mcpSection = "mcp_servers"

// mcpName is the form of a server's name, which becomes part of its tools' names.
var mcpName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)

// setMCP sets a value of the section: "<server>.<field>", or one level deeper for
// mappings.
func (c *Config) setMCP(name string, v fileValue, getenv func(string) string) error {
	server, rest, _ := strings.Cut(name, ".")
	field, key, _ := strings.Cut(rest, ".")
	if !mcpName.MatchString(server) {
		return fmt.Errorf("%q is no name for an MCP server: use 1–32 letters, digits, hyphens and underscores", server)
	}
	i := slices.IndexFunc(c.MCPServers, func(s MCPServer) bool { return s.Name == server })
	if i < 0 {
		i = len(c.MCPServers)
		c.MCPServers = append(c.MCPServers, MCPServer{Name: server})
	}
	s := &c.MCPServers[i]
	if v.empty {
		return nil
	}
	unknown := fmt.Errorf("there is no setting %q for an MCP server; there are command, args, env, url, headers, tools, owners, enabled", rest)
	if hasKeys := field == "env" || field == "headers"; hasKeys != (key != "") {
		return unknown
	}
	var err error
	switch field {
	case "command":
		s.Command = v.value
	case "args":
		s.Args = v.list()
	case "url":
		s.URL, err = expand(v.value, getenv)
	case "env":
		err = put(&s.Env, key, v.value, getenv)
	case "headers":
		err = put(&s.Headers, key, v.value, getenv)
	case "tools":
		s.Tools = v.list()
	case "owners":
		s.Owners = v.list()
	case "enabled":
		if v.value != "true" && v.value != "false" {
			return unknown
		}
		s.Off = v.value == "false"
	case "type": // other programs name the transport; here the fields determine it
	default:
		return unknown
	}
	return err
}

// list are the items of a list. A single value is a list of one.
func (v *fileValue) list() []string {
	if v.items == nil && v.value != "" {
		return []string{v.value}
	}
	return v.items
}

func put(into *map[string]string, key, value string, getenv func(string) string) error {
	text, err := expand(value, getenv)
	if err != nil {
		return err
	}
	if *into == nil {
		*into = make(map[string]string)
	}
	(*into)[key] = text
	return nil
}

// expand replaces ${NAME} by the environment's value, so that secrets need not be in
// the file.
func expand(text string, getenv func(string) string) (string, error) {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "${")
		out.WriteString(before)
		if !ok {
			return out.String(), nil
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", errors.New("a \"${\" is not closed")
		}
		value := getenv(name)
		if value == "" {
			return "", fmt.Errorf("the environment variable %q is not set", name)
		}
		out.WriteString(value)
		text = after
	}
}

func (c *Config) mcpNames() string {
	names := make([]string, len(c.MCPServers))
	for i := range c.MCPServers {
		names[i] = c.MCPServers[i].Name
	}
	return strings.Join(names, ", ")
}

// checkMCP refuses incomplete servers, and sorts the others.
func (c *Config) checkMCP() error {
	for i := range c.MCPServers {
		s := &c.MCPServers[i]
		if (s.Command == "") == (s.URL == "") {
			return fmt.Errorf("%s.%s: say either \"command\" or \"url\"", mcpSection, s.Name)
		}
		if s.URL == "" {
			continue
		}
		u, err := url.Parse(s.URL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("%s.%s.url: must be an http or https URL", mcpSection, s.Name)
		}
	}
	slices.SortFunc(c.MCPServers, func(a, b MCPServer) int { return strings.Compare(a.Name, b.Name) })
	return nil
}
