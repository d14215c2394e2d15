package clientfile

import (
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// Server is how a client reaches the memory: by a command or at a URL.
type Server struct {
	// Command is the absolute path of the program, and Args are its arguments.
	Command string
	Args    []string
	// HomeDir is the value of HERMES_HOME for the command; "" sets none.
	HomeDir string
	// URL is the address of the MCP endpoint; "" means the command.
	URL string
}

// field is a named value of an entry: a string, a bool, a []string, or fields.
type field struct {
	name  string
	value any
}

// fields are written in their order.
type fields []field

// form makes the entry of one client for a server.
type form func(Server) fields

const (
	homeVariable = "HERMES_HOME"
	headers      = "headers"
)

// typed is the common form of a command. Some clients want its type, too.
func typed(kind string) form {
	return func(s Server) fields {
		var f fields
		if kind != "" {
			f = append(f, field{"type", kind})
		}
		return append(f, fields{{"command", s.Command}, {"args", s.Args}}.with("env", s.HomeDir)...)
	}
}

func opencodeCommand(s Server) fields {
	return fields{{"type", "local"}, {"command", append([]string{s.Command}, s.Args...)}}.with("environment", s.HomeDir)
}

// with adds the environment of a command.
func (f fields) with(name, home string) fields {
	if home == "" {
		return f
	}
	return append(f, field{name, fields{{homeVariable, home}}})
}

// remote is the form of a URL: the member that holds it, and the header with the key.
func remote(member, authorization string, before ...field) form {
	return func(s Server) fields {
		return append(slices.Clone(before), field{member, s.URL}, field{headers, fields{{"Authorization", authorization}}})
	}
}

func codexRemote(s Server) fields {
	return fields{{"url", s.URL}, {"bearer_token_env_var", KeyVariable}}
}

// entry is the client's entry for a server.
func (c *Client) entry(s Server) fields {
	if s.URL != "" {
		return c.http(s)
	}
	return c.command(s)
}

// leaf is a field by its path inside the entry.
type leaf struct {
	path  []string
	value any
}

// leaves are the fields without nesting.
func (f fields) leaves() []leaf {
	var out []leaf
	for _, one := range f {
		inner, nested := one.value.(fields)
		if !nested {
			out = append(out, leaf{[]string{one.name}, one.value})
			continue
		}
		for _, l := range inner.leaves() {
			out = append(out, leaf{append([]string{one.name}, l.path...), l.value})
		}
	}
	return out
}

// environments are the clients' names for the variables of a command.
func environments() []string { return []string{"env", "environment"} }

// read is the server of an entry as a file has it. It is not ok if the entry belongs to
// another program.
func (c *Client) read(entry any) (s Server, ok bool) {
	members, _ := entry.(map[string]any)
	if words := texts(members["command"]); len(words) > 0 {
		s.Command, s.Args = words[0], append(words[1:], texts(members["args"])...)
	}
	for _, name := range environments() {
		if env, _ := members[name].(map[string]any); env != nil {
			s.HomeDir, _ = env[homeVariable].(string)
		}
	}
	for _, name := range []string{"url", "httpUrl", "serverUrl"} {
		if text, _ := members[name].(string); text != "" {
			s.URL = text
		}
	}
	return s, s.ours()
}

// form tells an entry with a URL from one with a command.
func (s Server) form() string {
	if s.URL != "" {
		return "url"
	}
	return "command"
}

// ours reports whether an entry has a form that this program writes, perhaps with another
// path of the program.
func (s Server) ours() bool {
	if s.URL != "" {
		u, err := url.Parse(s.URL)
		return err == nil && strings.HasSuffix(u.Path, "/mcp")
	}
	if len(s.Args) == 0 || s.Args[0] != "mcp" {
		return false
	}
	return len(s.Args) == 1 || strings.HasPrefix(s.Args[1], "--session-")
}

// texts are the strings of a value that is a string or a list of strings.
func texts(value any) []string {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, one := range v {
			text, ok := one.(string)
			if !ok {
				return nil
			}
			out = append(out, text)
		}
		return out
	}
	return nil
}

// same reports whether a decoded value is the wanted one.
func same(decoded, wanted any) bool {
	if list, ok := wanted.([]string); ok {
		_, isList := decoded.([]any)
		return isList && slices.Equal(texts(decoded), list)
	}
	return reflect.DeepEqual(decoded, wanted)
}

// lookup returns the value at a path of a decoded file.
func lookup(root map[string]any, path []string) (value any, found bool) {
	value = root
	for _, name := range path {
		members, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		if value, found = members[name]; !found {
			return nil, false
		}
	}
	return value, true
}

// without is a decoded file without the entry at a path, and without the tables that are
// empty then.
func without(root map[string]any, path []string) map[string]any {
	out := maps.Clone(root)
	if len(path) == 1 {
		delete(out, path[0])
		return out
	}
	if inner, ok := out[path[0]].(map[string]any); ok {
		rest := without(inner, path[1:])
		out[path[0]] = rest
		if len(rest) == 0 {
			delete(out, path[0])
		}
	}
	return out
}
