// Package clientfile installs this program in the configuration files of MCP clients. It
// knows where those files are, and changes one entry in them: every other byte stays as it
// was. A file that it cannot parse is refused, never replaced.
package clientfile

import (
	"path/filepath"
	"slices"
)

// entryName is the name of this program's entry in every client's file.
const entryName = "hermes"

// KeyVariable is the environment variable from which clients take the API key. No file
// has the key itself.
const KeyVariable = "HERMES_API_KEY"

// Client is an MCP client with a configuration file.
type Client struct {
	// Name is the client's name on the command line.
	Name string
	// Title is the client's name for people.
	Title   string
	syntax  syntax
	table   string // the member of the file that holds the entries of all servers
	user    func(Place) []string
	project []string // below the working directory; none if the client has no such file
	command form
	http    form // nil if the client cannot take a key from the environment
}

// Place is where files are looked for.
type Place struct {
	// OS is the operating system, as runtime.GOOS has it.
	OS string
	// Home is the user's home directory, and Dir the working directory.
	Home, Dir string
	Getenv    func(string) string
}

// clients are the supported clients, in the order of display. Each function returns new
// values, so that callers cannot change the table.
func clients() []Client {
	return []Client{
		{
			Name: "claude", Title: "Claude Code", syntax: jsonc{}, table: "mcpServers", project: []string{".mcp.json"},
			user: func(p Place) []string {
				return []string{filepath.Join(p.variable("CLAUDE_CONFIG_DIR", p.Home), ".claude.json")}
			},
			command: typed("stdio"), http: remote("url", "Bearer ${"+KeyVariable+"}", field{"type", "http"}),
		},
		{
			Name: "claude-desktop", Title: "Claude Desktop", syntax: jsonc{}, table: "mcpServers",
			user: func(p Place) []string {
				return []string{filepath.Join(p.data(), "Claude", "claude_desktop_config.json")}
			},
			command: typed(""),
		},
		{
			Name: "codex", Title: "Codex", syntax: tomlFile{}, table: "mcp_servers", project: []string{".codex/config.toml"},
			user: func(p Place) []string {
				return []string{filepath.Join(p.variable("CODEX_HOME", filepath.Join(p.Home, ".codex")), "config.toml")}
			},
			command: typed(""), http: codexRemote,
		},
		{
			Name: "cursor", Title: "Cursor", syntax: jsonc{}, table: "mcpServers", project: []string{".cursor/mcp.json"},
			user:    func(p Place) []string { return []string{filepath.Join(p.Home, ".cursor", "mcp.json")} },
			command: typed(""), http: remote("url", "Bearer ${env:"+KeyVariable+"}"),
		},
		{
			Name: "vscode", Title: "VS Code", syntax: jsonc{}, table: "servers", project: []string{".vscode/mcp.json"},
			user:    func(p Place) []string { return []string{filepath.Join(p.data(), "Code", "User", "mcp.json")} },
			command: typed("stdio"), http: remote("url", "Bearer ${env:"+KeyVariable+"}", field{"type", "http"}),
		},
		{
			Name: "opencode", Title: "opencode", syntax: jsonc{}, table: "mcp", project: []string{"opencode.json", "opencode.jsonc"},
			user: func(p Place) []string {
				dir := filepath.Join(p.variable("XDG_CONFIG_HOME", filepath.Join(p.Home, ".config")), "opencode")
				return []string{filepath.Join(dir, "opencode.json"), filepath.Join(dir, "opencode.jsonc")}
			},
			command: opencodeCommand, http: remote("url", "Bearer {env:"+KeyVariable+"}", field{"type", "remote"}, field{"oauth", false}),
		},
		{
			Name: "gemini", Title: "Gemini CLI", syntax: jsonc{}, table: "mcpServers", project: []string{".gemini/settings.json"},
			user: func(p Place) []string {
				return []string{filepath.Join(p.variable("GEMINI_CLI_HOME", p.Home), ".gemini", "settings.json")}
			},
			command: typed(""), http: remote("httpUrl", "Bearer $"+KeyVariable),
		},
		{
			Name: "windsurf", Title: "Windsurf", syntax: jsonc{}, table: "mcpServers",
			user: func(p Place) []string {
				return []string{filepath.Join(p.Home, ".codeium", "windsurf", "mcp_config.json")}
			},
			command: typed(""), http: remote("serverUrl", "Bearer ${env:"+KeyVariable+"}"),
		},
		{
			Name: "zed", Title: "Zed", syntax: jsonc{}, table: "context_servers", project: []string{".zed/settings.json"},
			user:    func(p Place) []string { return []string{filepath.Join(p.zed(), "settings.json")} },
			command: typed(""),
		},
	}
}

// Names are the names of all clients, in the order of display.
func Names() []string {
	var names []string
	for _, c := range clients() {
		names = append(names, c.Name)
	}
	return names
}

// Find returns the client with a name.
func Find(name string) (Client, bool) {
	list := clients()
	if i := slices.IndexFunc(list, func(c Client) bool { return c.Name == name }); i >= 0 {
		return list[i], true
	}
	return Client{}, false
}

// HasProject reports whether the client also reads a file of the working directory.
func (c *Client) HasProject() bool { return len(c.project) > 0 }

// HasHTTP reports whether the client can be given a URL without a key in its file.
func (c *Client) HasHTTP() bool { return c.http != nil }

// files are the files that the client reads, of which it needs one.
func (c *Client) files(p Place, project bool) []string {
	if !project {
		return c.user(p)
	}
	var files []string
	for _, name := range c.project {
		files = append(files, filepath.Join(p.Dir, filepath.FromSlash(name)))
	}
	return files
}

// path is the place of an entry's field in the file; without a field, that of the entry.
func (c *Client) path(field ...string) []string {
	return append([]string{c.table, entryName}, field...)
}

// variable is a directory from the environment, or its default.
func (p Place) variable(name, otherwise string) string {
	if dir := p.Getenv(name); filepath.IsAbs(dir) {
		return dir
	}
	return otherwise
}

// data is where programs of this operating system keep a user's settings.
func (p Place) data() string {
	switch p.OS {
	case "windows":
		return p.variable("APPDATA", filepath.Join(p.Home, "AppData", "Roaming"))
	case "darwin":
		return filepath.Join(p.Home, "Library", "Application Support")
	}
	return p.variable("XDG_CONFIG_HOME", filepath.Join(p.Home, ".config"))
}

// zed is Zed's directory of settings, which is ~/.config/zed on macOS, too.
func (p Place) zed() string {
	if p.OS == "windows" {
		return filepath.Join(p.data(), "Zed")
	}
	return filepath.Join(p.variable("XDG_CONFIG_HOME", filepath.Join(p.Home, ".config")), "zed")
}
