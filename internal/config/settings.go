package config

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// setting is a setting with all its names.
type setting struct {
	name    string   // in the file, dotted
	env     []string // the first one that is set counts
	flag    string
	usage   string
	secret  bool
	boolean bool
	get     func(*Config) string
	set     func(*Config, string) error
}

func find(name string) (setting, bool) {
	all := settings()
	if i := slices.IndexFunc(all, func(s setting) bool { return s.name == name }); i >= 0 {
		return all[i], true
	}
	if s, ok := resetOverride(name); ok {
		return s, true
	}
	if model, ok := strings.CutPrefix(name, "context.models."); ok {
		return setting{name: name, set: func(c *Config, v string) error { return setModel(c, model, v) }}, true
	}
	return setting{}, false
}

// isSection reports whether settings begin with the name.
func isSection(name string) bool {
	return name == "context.models" || slices.ContainsFunc(settings(), func(s setting) bool { return strings.HasPrefix(s.name, name+".") })
}

// settings are all settings in the order of display.
var settings = sync.OnceValue(func() []setting { return slices.Concat(serverSettings, providerSettings(), platformSettings()) })

// serverSettings are the settings of the server, without those of chat platforms.
var serverSettings = []setting{
	text("home", "HERMES_HOME", "", "directory of all data", func(c *Config) *string { return &c.Home }),

	text("database.url", "HERMES_DATABASE_URL", "", "keep the data in this PostgreSQL database instead of a file in the home, such as postgres://hermes@db/hermes",
		func(c *Config) *string { return &c.Database.URL }).hidden(),
	text("database.listen_url", "HERMES_DATABASE_LISTEN_URL", "", "the same database without a pooler between, for the connection that waits for notifications",
		func(c *Config) *string { return &c.Database.ListenURL }).hidden(),
	number("database.conns", "HERMES_DATABASE_CONNS", "most connections to that database; 0: four for each core",
		func(c *Config) *int { return &c.Database.Conns }),

	text("server.addr", "HERMES_ADDR", "addr", "listen on host:port (default 127.0.0.1:11434)",
		func(c *Config) *string { return &c.Server.Addr }),
	text("server.host", "API_SERVER_HOST", "", "listen on this host", func(c *Config) *string { return &c.Server.Host }),
	number("server.port", "API_SERVER_PORT", "listen on this port", func(c *Config) *int { return &c.Server.Port }),
	text("server.admin_addr", "HERMES_ADMIN_ADDR", "", "serve GET /metrics on host:port, without a key; empty: on the usual address, with one", func(c *Config) *string { return &c.Server.AdminAddr }),
	list("server.keys", "API_SERVER_KEY", "API keys of the local owner, 16 characters or more",
		func(c *Config) *[]string { return &c.Server.Keys }).hidden(),
	list("server.hosts", "API_SERVER_HOSTS", "host names, in addition to localhost, that requests may be addressed to", func(c *Config) *[]string { return &c.Server.Hosts }),
	list("server.origins", "API_SERVER_CORS_ORIGINS", "web origins that may call, such as https://chat.example.org",
		func(c *Config) *[]string { return &c.Server.Origins }),
	flag("server.no_auth", "", "no-auth", "let everybody in; the session headers are refused then",
		func(c *Config) *bool { return &c.Server.NoAuth }),
	duration("server.grace", "", "grace", "how long a stop waits for turns under way",
		func(c *Config) *time.Duration { return &c.Server.Grace }),

	text("upstream.url", "HERMES_UPSTREAM_URL", "upstream", "base URL of an OpenAI-compatible server, such as http://localhost:8080/v1", func(c *Config) *string { return &c.Upstream.URL }),
	text("upstream.key", "HERMES_UPSTREAM_KEY", "", "its key", func(c *Config) *string { return &c.Upstream.Key }).hidden(),
	text("upstream.model", "HERMES_MODEL", "model", "the model that \"hermes\" stands for",
		func(c *Config) *string { return &c.Upstream.Model }),
	text("upstream.openai_key", "OPENAI_API_KEY", "", "used when a model is named",
		func(c *Config) *string { return &c.Upstream.OpenAIKey }).hidden(),
	text("upstream.openai_url", "OPENAI_BASE_URL", "", "where OpenAI's API is", func(c *Config) *string { return &c.Upstream.OpenAIURL }),
	text("upstream.anthropic_key", "ANTHROPIC_API_KEY", "", "used when a model is named",
		func(c *Config) *string { return &c.Upstream.AnthropicKey }).hidden(),
	text("upstream.anthropic_url", "ANTHROPIC_BASE_URL", "", "where Anthropic's API is",
		func(c *Config) *string { return &c.Upstream.AnthropicURL }),
	text("upstream.openrouter_key", "OPENROUTER_API_KEY", "", "used when a model is named",
		func(c *Config) *string { return &c.Upstream.OpenRouterKey }).hidden(),
	text("upstream.openrouter_url", "OPENROUTER_BASE_URL", "", "where OpenRouter's API is",
		func(c *Config) *string { return &c.Upstream.OpenRouterURL }),
	text("upstream.ollama_host", "OLLAMA_HOST", "", "where Ollama is", func(c *Config) *string { return &c.Upstream.OllamaHost }),
	number("upstream.context_tokens", "HERMES_UPSTREAM_CONTEXT", "largest prompt that the model takes, in tokens; empty or 0: as the upstream lists it, or as known of the model", func(c *Config) *int { return &c.Upstream.ContextTokens }),
	flag("upstream.probe", "HERMES_PROBE", "", "look for a model server on this machine", func(c *Config) *bool { return &c.Upstream.Probe }),

	number("context.budget_tokens", "HERMES_CONTEXT_BUDGET", "tokens of a prompt that memory fills around the client's own part; context.models.<name> overrides it for one", func(c *Config) *int { return &c.Context.BudgetTokens }),
	number("context.floor_tokens", "HERMES_CONTEXT_FLOOR", "tokens that memory may add to a prompt in any case, however large the client's own part is", func(c *Config) *int { return &c.Context.FloorTokens }),
	list("tools.enabled", "HERMES_TOOLS", "tools of this server that a model is offered: session_search, memory, skills", func(c *Config) *[]string { return &c.Tools.Enabled }),
	flag("tools.trust_results", "", "", "let models change memory while results of other programs' tools are in sight", func(c *Config) *bool { return &c.Tools.TrustResults }),
	list("tools.approve", "HERMES_TOOLS_APPROVE", "tools that run only with a person's approval, by name or prefix*; see docs/runs.md", func(c *Config) *[]string { return &c.Tools.Approve }),
	text("tools.summary_model", "HERMES_SUMMARY_MODEL", "", "a fast model of the upstream that sums up what session_search finds; empty means quotations", func(c *Config) *string { return &c.Tools.SummaryModel }),
	{
		name: mcpSection, usage: "MCP servers whose tools a model is offered; see docs/tools.md",
		get: func(c *Config) string { return c.mcpNames() },
		set: func(*Config, string) error {
			return errors.New("give each server a name, and under it \"command\" or \"url\"")
		},
	},
	text("memory.model", "HERMES_MEMORY_MODEL", "", "a model that writes summaries and titles in the background; empty: none", func(c *Config) *string { return &c.Memory.Model }),
	text("memory.embeddings_model", "HERMES_EMBEDDINGS_MODEL", "", "a model of the same server's /v1/embeddings that search uses in addition to words; empty: none", func(c *Config) *string { return &c.Memory.Embeddings }),
	duration("memory.embeddings_wait", "", "", "how long a turn waits for the meaning of its question; 0: words alone", func(c *Config) *time.Duration { return &c.Memory.EmbeddingsWait }),
	number("memory.tokens_per_hour", "HERMES_MEMORY_TOKENS", "most tokens an hour that background work may cost",
		func(c *Config) *int { return &c.Memory.TokensPerHour }),
	size("memory.cache", "HERMES_MEMORY_CACHE", "most memory that the scopes in use are cached in, such as 256MiB; at most a quarter of the process's limit", func(c *Config) *int64 { return &c.Memory.Cache }),
	size("memory.limit", "HERMES_MEMORY_LIMIT", "memory that the process may take, such as 1GiB; empty or 0: the limit of its control group, if it has one", func(c *Config) *int64 { return &c.Memory.Limit }),
	duration("runs.approval_timeout", "HERMES_APPROVAL_TIMEOUT", "", "how long a call in a run waits to be approved before it counts as denied", func(c *Config) *time.Duration { return &c.Runs.ApprovalTimeout }),
	text("jobs.timezone", "HERMES_TIMEZONE", "", "time zone of jobs that name none, such as Europe/Berlin; empty means this machine's", func(c *Config) *string { return &c.Jobs.Timezone }),
	number("limits.requests_per_minute", "HERMES_LIMITS_REQUESTS_PER_MINUTE", "requests a minute of a key without a limit of its own; empty or 0: no limit", func(c *Config) *int { return &c.Limits.RequestsPerMinute }),
	number("limits.concurrent_turns", "HERMES_LIMITS_CONCURRENT_TURNS", "turns at once of such a key; empty or 0: no limit",
		func(c *Config) *int { return &c.Limits.ConcurrentTurns }),
	number("limits.turns", "HERMES_LIMITS_TURNS", "turns at once of the server, of which one owner gets three quarters; empty or 0: no limit", func(c *Config) *int { return &c.Limits.Turns }),
	number("limits.queue", "HERMES_LIMITS_QUEUE", "turns that may wait for their place; empty or 0: none",
		func(c *Config) *int { return &c.Limits.Queue }),
	duration("limits.queue_wait", "HERMES_LIMITS_QUEUE_WAIT", "", "how long they wait",
		func(c *Config) *time.Duration { return &c.Limits.QueueWait }),
	number("limits.connections", "HERMES_LIMITS_CONNECTIONS", "connections at once; empty or 0: three quarters of the descriptors that the process may have", func(c *Config) *int { return &c.Limits.Connections }),
	number("limits.connections_per_address", "HERMES_LIMITS_CONNECTIONS_PER_ADDRESS", "connections at once of one other machine's address; empty or 0: half of them", func(c *Config) *int { return &c.Limits.PerAddress }),
	flag("transcripts.enabled", "HERMES_TRANSCRIPTS", "", "keep transcripts as files in the directory sessions of the home, too",
		func(c *Config) *bool { return &c.Transcripts.Enabled }),
	text("backup.dir", "HERMES_BACKUP_DIR", "", "keep backups at regular times in this directory, best on another disk; empty: none", func(c *Config) *string { return &c.Backup.Dir }),
	duration("backup.every", "", "", "the time between two backups", func(c *Config) *time.Duration { return &c.Backup.Every }),
	number("backup.keep_daily", "", "days of which the newest backup is kept", func(c *Config) *int { return &c.Backup.KeepDaily }),
	number("backup.keep_weekly", "", "weeks before these days of which the newest backup is kept",
		func(c *Config) *int { return &c.Backup.KeepWeekly }),
	flag("webhooks.allow_private", "", "", "let jobs deliver to addresses that are not public, and over http", func(c *Config) *bool { return &c.Webhooks.AllowPrivate }),
	number("audit.keep_days", "HERMES_AUDIT_KEEP_DAYS", "how many days the audit is kept; 0: for ever",
		func(c *Config) *int { return &c.AuditKeepDays }),
	text("telemetry.otlp_endpoint", "OTEL_EXPORTER_OTLP_ENDPOINT", "", "send spans to an OpenTelemetry collector, such as http://localhost:4318; empty: none", func(c *Config) *string { return &c.Telemetry.Endpoint }),
	text("telemetry.otlp_traces_endpoint", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "", "the whole URL for spans, where it is not the endpoint's /v1/traces", func(c *Config) *string { return &c.Telemetry.Traces }),
	text("telemetry.otlp_headers", "OTEL_EXPORTER_OTLP_HEADERS", "", "headers for the collector: name=value,name=value",
		func(c *Config) *string { return &c.Telemetry.Headers }).hidden(),
	flag("telemetry.conversation_ids", "", "", "let spans name sessions", func(c *Config) *bool { return &c.Telemetry.Conversations }),
	choice("responder", "HERMES_RESPONDER", "responder", "auto: a model if there is one; recall: never a model; off: 503 without one", func(c *Config) *string { return &c.Responder }, "auto", "recall", "off"),
	choice("fallback", "HERMES_FALLBACK", "fallback", "recall: answer from memory while the model cannot be reached; off: fail", func(c *Config) *string { return &c.Fallback }, "recall", "off"),
	choice("log.level", "HERMES_LOG_LEVEL", "log-level", "debug, info, warn, error", func(c *Config) *string { return &c.Log.Level }, "debug",
		"info", "warn", "error"),
	choice("log.format", "HERMES_LOG_FORMAT", "", "text, json", func(c *Config) *string { return &c.Log.Format }, "text", "json"),
}

// hidden marks a secret.
func (s setting) hidden() setting {
	s.secret = true
	return s
}

func named(name, env, flagName, usage string) setting {
	s := setting{name: name, flag: flagName, usage: usage}
	if env != "" {
		s.env = []string{env}
	}
	return s
}

func text(name, env, flagName, usage string, at func(*Config) *string) setting {
	s := named(name, env, flagName, usage)
	s.get = func(c *Config) string { return *at(c) }
	s.set = func(c *Config, v string) error {
		if name == "home" {
			v = expandHome(v)
		}
		*at(c) = v
		return nil
	}
	return s
}

// expandHome expands ~/ in the path of the home, because not every source is a shell.
func expandHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}

func choice(name, env, flagName, usage string, at func(*Config) *string, allowed ...string) setting {
	s := text(name, env, flagName, usage, at)
	s.set = func(c *Config, v string) error {
		if !slices.Contains(allowed, v) {
			return fmt.Errorf("%q is not one of %s", v, spelled(allowed))
		}
		*at(c) = v
		return nil
	}
	return s
}

// spelled are the values of a choice as a list. Nothing can be one of them.
func spelled(allowed []string) string {
	if i := slices.Index(allowed, ""); i >= 0 {
		return strings.Join(slices.Delete(slices.Clone(allowed), i, i+1), ", ") + ", and not empty"
	}
	return strings.Join(allowed, ", ")
}

func number(name, env, usage string, at func(*Config) *int) setting {
	s := named(name, env, "", usage)
	s.get = func(c *Config) string {
		if *at(c) == 0 {
			return ""
		}
		return strconv.Itoa(*at(c))
	}
	s.set = func(c *Config, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 {
			return fmt.Errorf("%q is not a whole number of 0 or more", v)
		}
		*at(c) = n
		return nil
	}
	return s
}

func flag(name, env, flagName, usage string, at func(*Config) *bool) setting {
	s := named(name, env, flagName, usage)
	s.boolean = true
	s.get = func(c *Config) string { return strconv.FormatBool(*at(c)) }
	s.set = func(c *Config, v string) error {
		b, err := strconv.ParseBool(v)
		if err != nil {
			return fmt.Errorf("%q is not true or false", v)
		}
		*at(c) = b
		return nil
	}
	return s
}

func duration(name, env, flagName, usage string, at func(*Config) *time.Duration) setting {
	s := named(name, env, flagName, usage)
	s.get = func(c *Config) string { return at(c).String() }
	s.set = func(c *Config, v string) error {
		d, err := time.ParseDuration(v)
		if err != nil || d < 0 {
			return fmt.Errorf("%q is not a duration such as 30s", v)
		}
		*at(c) = d
		return nil
	}
	return s
}

func list(name, env, usage string, at func(*Config) *[]string) setting {
	s := named(name, env, "", usage)
	s.get = func(c *Config) string { return strings.Join(*at(c), ", ") }
	s.set = func(c *Config, v string) error {
		var out []string
		for part := range strings.SplitSeq(v, ",") {
			if part = strings.TrimSpace(part); part != "" {
				out = append(out, part)
			}
		}
		*at(c) = out
		return nil
	}
	return s
}

func setModel(c *Config, model, v string) error {
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		return errors.New("must be a number of tokens")
	}
	if c.Context.Models == nil {
		c.Context.Models = make(map[string]int)
	}
	c.Context.Models[model] = n
	return nil
}

// checkAddr checks the form of an address to listen on. Whether the machine has it shows when it is opened.
func checkAddr(setting, addr string) error {
	if addr == "" {
		return nil
	}
	_, port, err := net.SplitHostPort(addr)
	if err == nil {
		_, err = net.DefaultResolver.LookupPort(context.Background(), "tcp", port)
	}
	if err != nil {
		return fmt.Errorf("%s: %q is no address: use host:port, such as 127.0.0.1:11434, with a port of at most 65535", setting, addr)
	}
	return nil
}

// check validates values that depend on one another.
func (c *Config) check() error {
	if c.Context.BudgetTokens < 256 {
		return fmt.Errorf("context.budget_tokens: %d is too small for any turn; use 256 or more", c.Context.BudgetTokens)
	}
	if c.Server.Port > 65535 {
		return fmt.Errorf("server.port: %d is no port", c.Server.Port)
	}
	if err := errors.Join(checkAddr("server.addr", c.Server.Addr), checkAddr("server.admin_addr", c.Server.AdminAddr)); err != nil {
		return err
	}
	if slices.Contains(c.Server.Origins, "*") {
		return errors.New("server.origins: name the origins; \"*\" would let every web page use the memory")
	}
	for _, name := range c.Tools.Enabled {
		if !slices.Contains(ToolNames(), name) {
			return fmt.Errorf("tools.enabled: there is no tool %q; there are %s", name, strings.Join(ToolNames(), ", "))
		}
	}
	if l := &c.Limits; max(l.RequestsPerMinute, l.ConcurrentTurns) > 1_000_000 {
		return errors.New("limits: at most 1,000,000 requests a minute, and as many turns at once; 0 sets no limit")
	}
	if err := errors.Join(c.checkMCP(), c.checkPlatforms(), c.checkProvider()); err != nil {
		return err
	}
	if c.Memory.Limit > 0 && c.Memory.Limit < minLimit {
		return fmt.Errorf("memory.limit: %s is too small for the server; use 64MiB or more", sizeText(c.Memory.Limit))
	}
	if c.Memory.TokensPerHour == 0 && c.Memory.Model+c.Memory.Embeddings != "" {
		return errors.New("memory.tokens_per_hour: 0 lets the memory models do nothing; leave memory.model and memory.embeddings_model empty instead")
	}
	if err := c.checkBackup(); err != nil {
		return err
	}
	if c.Server.NoAuth && len(c.Server.Keys) > 0 {
		return errors.New("server.no_auth and server.keys contradict each other")
	}
	return nil
}
