// Package config gathers the settings: defaults, then the file, then the environment,
// then flags; a later source wins. It records the origin of every value. Only the
// command line imports it; other packages are handed values.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Config holds all settings.
type Config struct {
	Home string
	// Database is the database of all data, if it is not the file in the home.
	Database struct {
		URL   string // of a PostgreSQL database; "" for the file
		Conns int    // the most connections; 0: four for each core
		// ListenURL is for the connection that waits for notifications; "" means URL.
		ListenURL string
	}
	Server struct {
		Addr      string // host:port; wins over Host and Port
		Host      string
		Port      int
		AdminAddr string // host:port of the metrics, without a key; "" for none
		Keys      []string
		Hosts     []string
		Origins   []string
		NoAuth    bool
		Grace     time.Duration
	}
	Upstream struct {
		URL, Key, Model              string
		OpenAIKey, OpenAIURL         string
		AnthropicKey, AnthropicURL   string
		OpenRouterKey, OpenRouterURL string
		OllamaHost                   string
		ContextTokens                int // the largest prompt that the model takes; 0: unknown
		Probe                        bool
	}
	Context struct {
		BudgetTokens int
		FloorTokens  int
		Models       map[string]int
	}
	Tools struct {
		Enabled      []string // session_search, memory, skills
		TrustResults bool
		SummaryModel string
		Approve      []string // tools that need approval: names, or prefix*
	}
	// Runs are the settings of runs.
	Runs struct {
		ApprovalTimeout time.Duration
	}
	// Memory holds the bounds of the process's memory, and the settings of background work on
	// the memory of scopes.
	Memory struct {
		Cache          int64  // bytes that scopes in use may take
		Limit          int64  // bytes that the process may take; 0: as the control group says, or no limit
		Model          string // writes summaries and titles in the background; "" for none
		Embeddings     string // computes their vectors; "" for none
		EmbeddingsWait time.Duration
		TokensPerHour  int
	}
	// Transcripts are the settings of transcripts in files.
	Transcripts struct {
		Enabled bool
	}
	// Backup are the settings of backups at regular times.
	Backup struct {
		Dir                   string        // "" for none
		Every                 time.Duration // between two
		KeepDaily, KeepWeekly int
	}
	Jobs struct {
		Timezone string // for jobs that name none; "" means the machine's
	}
	// Limits are the limits; 0 means no limit.
	Limits struct {
		RequestsPerMinute int // for a key without its own limit
		ConcurrentTurns   int // likewise
		Turns             int // at once, in the server
		Queue             int // queued turns
		QueueWait         time.Duration
		Connections       int // at once; 0 derives it from the process's file descriptors
		PerAddress        int // from one address; 0 means half of Connections
	}
	Webhooks struct {
		AllowPrivate bool
	}
	// MemoryProvider is the external memory.
	MemoryProvider MemoryProvider
	// Platforms are the chat platforms, SessionReset the resets of their sessions, and
	// Gateway what holds for all of them.
	Platforms    Platforms
	SessionReset SessionReset
	Gateway      Gateway
	// MCPServers are the servers whose tools models may use, sorted by name.
	MCPServers []MCPServer
	// AuditKeepDays is how long entries of the audit log are kept; 0 means for ever.
	AuditKeepDays int
	// Telemetry is the destination of spans.
	Telemetry struct {
		Endpoint, Traces string // for OTLP over HTTP; "" for none
		Headers          string
		Conversations    bool // spans may name sessions
	}
	Responder string // auto, recall, off
	Fallback  string // recall, off
	Log       struct {
		Level  string
		Format string
	}

	origins map[string]string // setting → source of its value
}

// Source holds the sources of settings other than the defaults.
type Source struct {
	// Getenv looks up the environment.
	Getenv func(string) string
	// Flags are the flags that were given, by setting name.
	Flags map[string]string
	// UserHome is the user's home directory.
	UserHome string
}

// Load reads the configuration and validates it.
func Load(src Source) (*Config, error) {
	c := &Config{origins: make(map[string]string)}
	c.Home = filepath.Join(src.UserHome, ".hermes")
	c.Server.Grace = 30 * time.Second
	c.Context.BudgetTokens = 8000
	c.Context.FloorTokens = 1500
	c.AuditKeepDays = 365
	c.Limits.Turns, c.Limits.Queue, c.Limits.QueueWait = 16384, 1024, 2*time.Second
	c.Runs.ApprovalTimeout = 10 * time.Minute
	c.Memory.EmbeddingsWait, c.Memory.TokensPerHour = 150*time.Millisecond, 100_000
	c.Memory.Cache = 64 << 20
	c.Transcripts.Enabled = true
	c.Backup.Every, c.Backup.KeepDaily, c.Backup.KeepWeekly = 24*time.Hour, 7, 4
	c.MemoryProvider.Owners, c.MemoryProvider.Send, c.MemoryProvider.Wait = []string{"local"}, "all", 150*time.Millisecond
	c.defaultPlatforms()
	c.Responder, c.Fallback = "auto", "recall"
	c.Upstream.Probe = true
	c.Log.Level, c.Log.Format = "info", "text"
	// The home determines the path of the file, so it is looked up first.
	if err := c.fromEnvironment(src, "home"); err != nil {
		return nil, err
	}
	if err := checkHome(c.Home); err != nil {
		return nil, err
	}
	if err := c.fromFile(src, c.File()); err != nil {
		return nil, err
	}
	if err := c.fromEnvironment(src, ""); err != nil {
		return nil, err
	}
	for _, s := range settings() {
		if v, ok := src.Flags[s.name]; ok {
			if err := c.set(s, v, "flag --"+s.flag); err != nil {
				return nil, err
			}
		}
	}
	if err := c.fromHoncho(src); err != nil {
		return nil, err
	}
	return c, c.check()
}

// FileName is the name of the configuration file in the home.
const FileName = "config.yaml"

// File is the path of the configuration file.
func (c *Config) File() string { return filepath.Join(c.Home, FileName) }

// Words are the names of the settings as they stand in the configuration file, a word each.
func Words() []string {
	words := []string{"mcp_servers", "models"}
	for _, s := range settings() {
		words = append(words, strings.Split(s.name, ".")...)
	}
	for _, list := range [][]string{platformNames(), chatTypes(), {"platforms", "types"}} { // of session_reset
		words = append(words, list...)
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// DatabaseFile is the SQLite file.
func (c *Config) DatabaseFile() string { return filepath.Join(c.Home, "state.db") }

// AddrChosen reports whether a setting determines the address.
func (c *Config) AddrChosen() bool {
	return c.Server.Addr != "" || c.Server.Host != "" || c.Server.Port != 0
}

// The default address, as in the article, and the address that is used instead if an
// Ollama has the default one.
const (
	DefaultHost = "127.0.0.1"
	DefaultPort = 11434
	OtherPort   = 8642
)

// Addr is the address to listen on, as host:port.
func (c *Config) Addr() string {
	if c.Server.Addr != "" {
		return c.Server.Addr
	}
	host, port := DefaultHost, DefaultPort
	if c.Server.Host != "" {
		host = c.Server.Host
	}
	if c.Server.Port != 0 {
		port = c.Server.Port
	}
	return net.JoinHostPort(host, strconv.Itoa(port))
}

func (c *Config) fromEnvironment(src Source, only string) error {
	for _, s := range settings() {
		if only != "" && s.name != only {
			continue
		}
		for _, name := range s.env {
			if v := src.Getenv(name); v != "" {
				if err := c.set(s, v, "environment "+name); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

func (c *Config) fromFile(src Source, path string) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: correct that, or choose another home with HERMES_HOME", err)
	}
	if err := checkFile(path); err != nil {
		return err
	}
	values, err := parseFile(text)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, v := range values {
		if name, ok := strings.CutPrefix(v.name, mcpSection+"."); ok {
			if err := c.setMCP(name, v, src.Getenv); err != nil {
				return fmt.Errorf("%s, line %d: %w", path, v.line, err)
			}
			c.origins[mcpSection] = path
			continue
		}
		s, ok := find(v.name)
		if v.empty && (ok || isSection(v.name)) {
			continue
		}
		if v.name == "home" {
			return fmt.Errorf("%s, line %d: the home is where this file is looked for; set it with HERMES_HOME", path, v.line)
		}
		if !ok {
			return fmt.Errorf("%s, line %d: there is no setting %q; `hermes config show` lists them", path, v.line, v.name)
		}
		if err := c.set(s, v.value, fmt.Sprintf("%s:%d", path, v.line)); err != nil {
			return err
		}
	}
	return nil
}

// set stores a value and its source.
func (c *Config) set(s setting, value, origin string) error {
	if err := s.set(c, value); err != nil {
		return fmt.Errorf("%s (%s): %w", s.name, origin, err)
	}
	c.origins[s.name] = origin
	return nil
}

// Row is a setting as `hermes config show` prints it.
type Row struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Source string `json:"source"`
	Usage  string `json:"usage"`
	// Secret says that the value is masked.
	Secret bool `json:"-"`
}

// Rows lists all settings with their values. Secrets are masked.
func (c *Config) Rows() []Row {
	rows := make([]Row, 0, len(settings()))
	for _, s := range settings() {
		row := Row{Name: s.name, Value: s.get(c), Source: "default", Usage: s.usage, Secret: s.secret}
		if origin, ok := c.origins[s.name]; ok {
			row.Source = origin
		}
		if s.secret && row.Value != "" {
			row.Value = "[set]"
		}
		rows = append(rows, row)
	}
	return rows
}

// Variables are the variables of the environment that set a setting; nil for none.
func Variables(name string) []string {
	s, _ := find(name)
	return s.env
}

// Flag describes a setting that has a flag.
type Flag struct {
	Setting, Name, Usage, Default string
	Bool                          bool
}

// Flags lists the settings that have a flag.
func Flags() []Flag {
	var out []Flag
	for _, s := range settings() {
		if s.flag != "" {
			out = append(out, Flag{Setting: s.name, Name: s.flag, Usage: s.usage, Bool: s.boolean})
		}
	}
	return out
}
