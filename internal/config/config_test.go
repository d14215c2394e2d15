package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// world is the surroundings of a configuration, with a file in its home.
type world struct {
	home  string
	env   map[string]string
	flags map[string]string
}

func newWorld(t *testing.T, file string) *world {
	t.Helper()
	w := &world{home: filepath.Join(t.TempDir(), ".hermes"), env: make(map[string]string), flags: make(map[string]string)}
	if file != "" {
		if err := os.MkdirAll(w.home, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(w.home, "config.yaml"), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func (w *world) load() (*Config, error) {
	return Load(Source{Getenv: func(name string) string { return w.env[name] }, Flags: w.flags, UserHome: filepath.Dir(w.home)})
}

func (w *world) mustLoad(t *testing.T) *Config {
	t.Helper()
	c, err := w.load()
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return c
}

// origin is where a setting came from, and its value as it is shown.
func origin(t *testing.T, c *Config, name string) (value, source string) {
	t.Helper()
	i := slices.IndexFunc(c.Rows(), func(r Row) bool { return r.Name == name })
	if i < 0 {
		t.Fatalf("there is no setting %q", name)
	}
	return c.Rows()[i].Value, c.Rows()[i].Source
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	c := w.mustLoad(t)
	if c.Home != w.home || c.DatabaseFile() != filepath.Join(w.home, "state.db") || c.File() != filepath.Join(w.home, "config.yaml") {
		t.Errorf("home: got %q, want %q with its files", c.Home, w.home)
	}
	if c.Addr() != "127.0.0.1:11434" || c.AddrChosen() {
		t.Errorf("address: got %q, chosen %v, want the usual one, not chosen", c.Addr(), c.AddrChosen())
	}
	if c.Context.BudgetTokens != 8000 || c.Responder != "auto" || c.Fallback != "recall" || !c.Upstream.Probe || c.Server.Grace != 30*time.Second {
		t.Errorf("got %+v, want the documented defaults", c)
	}
	for _, r := range c.Rows() {
		if r.Source != "default" {
			t.Errorf("%s: got source %q, want default", r.Name, r.Source)
		}
		if r.Usage == "" {
			t.Errorf("%s says nothing of itself", r.Name)
		}
	}
}

// TestPrecedence sets one thing in every place, and takes the places away one
// by one.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "# a comment\nserver:\n  addr: 127.0.0.1:3\nlog:\n  level: warn\n")
	w.env["HERMES_ADDR"], w.flags["server.addr"] = "127.0.0.1:2", "127.0.0.1:1"
	file := filepath.Join(w.home, "config.yaml")
	for _, want := range []struct{ value, source string }{
		{"127.0.0.1:1", "flag --addr"}, {"127.0.0.1:2", "environment HERMES_ADDR"}, {"127.0.0.1:3", file + ":3"}, {"", "default"},
	} {
		c := w.mustLoad(t)
		value, source := origin(t, c, "server.addr")
		if value != want.value || source != want.source {
			t.Errorf("got %q from %q, want %q from %q", value, source, want.value, want.source)
		}
		switch want.source {
		case "flag --addr":
			delete(w.flags, "server.addr")
		case "environment HERMES_ADDR":
			delete(w.env, "HERMES_ADDR")
		default:
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestHome(t *testing.T) {
	t.Parallel()
	w, elsewhere := newWorld(t, "log: {level: warn}"), newWorld(t, "log: {level: error}")
	w.env["HERMES_HOME"] = elsewhere.home
	if c := w.mustLoad(t); c.Home != elsewhere.home || c.Log.Level != "error" {
		t.Errorf("got home %q and level %q, want the file of the home that was named", c.Home, c.Log.Level)
	}
	w = newWorld(t, "home: /somewhere/else")
	if _, err := w.load(); err == nil || !strings.Contains(err.Error(), "line 1") || !strings.Contains(err.Error(), "HERMES_HOME") {
		t.Errorf("a home in the file: got %v, want it refused: the file is found through the home", err)
	}
}

func TestFileForms(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
server:
  keys: [one-key-of-16-letters, another-key-of-16]
  hosts: a.example, b.example
  no_auth: false
  grace: 1m30s
context:
  budget_tokens: 0x1000
  models: {gpt-4o: 16000, vendor/model.v2: 4000}
upstream:
  # url: left out
fallback: "off"
log:
`)
	w.mustFail(t, "budget_tokens") // numbers are decimal
	text := strings.Replace(readFile(t, w), "0x1000", "4096", 1)
	if err := os.WriteFile(filepath.Join(w.home, "config.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := w.mustLoad(t)
	if diff := cmp.Diff([]string{"one-key-of-16-letters", "another-key-of-16"}, c.Server.Keys); diff != "" {
		t.Errorf("keys: got (+), want (-):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a.example", "b.example"}, c.Server.Hosts); diff != "" {
		t.Errorf("hosts: got (+), want (-):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"gpt-4o": 16000, "vendor/model.v2": 4000}, c.Context.Models); diff != "" {
		t.Errorf("models: got (+), want (-):\n%s", diff)
	}
	if c.Server.Grace != 90*time.Second || c.Context.BudgetTokens != 4096 || c.Fallback != "off" {
		t.Errorf("got %+v, want what the file says", c)
	}
	if value, source := origin(t, c, "server.keys"); value != "[set]" || !strings.HasSuffix(source, "config.yaml:3") {
		t.Errorf("keys as shown: got %q from %q, want them hidden, from line 3", value, source)
	}
}

func readFile(t *testing.T, w *world) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.home, "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// mustFail loads what cannot be loaded, and looks for a text in the reason.
func (w *world) mustFail(t *testing.T, want string) {
	t.Helper()
	if _, err := w.load(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want an error that names %q", err, want)
	}
}

func TestBadFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, want string }{
		{"an unknown setting", "a: 1\n", `line 1: there is no setting "a"`},
		{"an unknown setting deeper", "server:\n  addr: x:1\n  adress: y:1\n", `line 3: there is no setting "server.adress"`},
		{"an unknown section", "serve:\n  addr: x\n", `line 2: there is no setting "serve.addr"`},
		{"an unknown empty section", "serve:\n", `line 1: there is no setting "serve"`},
		{"a section as a value", "server: 127.0.0.1\n", `line 1: there is no setting "server"`},
		{"twice", "responder: auto\nresponder: recall\n", `line 2: "responder" is set twice`},
		{"twice in two forms", "log.level: warn\nlog: {level: error}\n", `line 2: "log.level" is set twice`},
		{"no mapping", "- a\n- b\n", "must be a mapping"},
		{"a text", "hello\n", "must be a mapping"},
		{"a torn file", "server: {addr: \"127\n", "not valid YAML"},
		{"tabs", "server:\n\taddr: x\n", "not valid YAML"},
		{"an alias", "log: {level: &x warn}\nresponder: *x\n", `line 2: "responder" uses YAML that is not supported`},
		{"a list of lists", "server:\n  hosts: [[a]]\n", "must be a list of plain values"},
		{"a wrong number", "context:\n  budget_tokens: many\n", `config.yaml:2): "many" is not a whole number`},
		{"a negative number", "context:\n  budget_tokens: -1\n", "whole number of 0 or more"},
		{"a wrong truth", "server:\n  no_auth: maybe\n", `"maybe" is not true or false`},
		{"a wrong duration", "server:\n  grace: 30\n", `"30" is not a duration such as 30s`},
		{"a wrong choice", "responder: magic\n", `"magic" is not one of auto, recall, off`},
		{"a wrong model budget", "context: {models: {m: 0}}\n", "must be a number of tokens"},
		{"two documents", "log: {level: warn}\n---\nlog: {level: error}\n", "one document"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			newWorld(t, c.file).mustFail(t, c.want)
		})
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, setting, value, want string }{
		{"a tiny budget", "HERMES_CONTEXT_BUDGET", "255", "too small"},
		{"the smallest budget", "HERMES_CONTEXT_BUDGET", "256", ""},
		{"no port", "API_SERVER_PORT", "65536", "is no port"},
		{"the last port", "API_SERVER_PORT", "65535", ""},
		{"an address", "HERMES_ADDR", "127.0.0.1:65535", ""},
		{"an address of all interfaces", "HERMES_ADDR", ":0", ""},
		{"an address of IPv6", "HERMES_ADMIN_ADDR", "[::1]:9464", ""},
		{"a port above the last", "HERMES_ADDR", "127.0.0.1:65536", "server.addr: \"127.0.0.1:65536\" is no address: use host:port"},
		{"a port below the first", "HERMES_ADDR", ":-1", "is no address"},
		{"a port of letters", "HERMES_ADDR", "localhost:abc", "is no address"},
		{"a host alone", "HERMES_ADDR", "localhost", "is no address"},
		{"a port alone", "HERMES_ADMIN_ADDR", "9464", "server.admin_addr: \"9464\" is no address"},
		{"an unclosed bracket", "HERMES_ADMIN_ADDR", "[::1:80", "is no address"},
		{"every origin", "API_SERVER_CORS_ORIGINS", "https://a.example, *", "name the origins"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			w.env[c.setting] = c.value
			_, err := w.load()
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	w := newWorld(t, "")
	w.env["API_SERVER_KEY"], w.flags["server.no_auth"] = "a-key-of-16-letters", "true"
	w.mustFail(t, "contradict")
}

func TestAddr(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		env        map[string]string
		chosen     bool
	}{
		{"usual", "127.0.0.1:11434", nil, false},
		{"host", "0.0.0.0:11434", map[string]string{"API_SERVER_HOST": "0.0.0.0"}, true},
		{"port", "127.0.0.1:8642", map[string]string{"API_SERVER_PORT": "8642"}, true},
		{"IPv6", "[::1]:1", map[string]string{"API_SERVER_HOST": "::1", "API_SERVER_PORT": "1"}, true},
		{"address wins", "a:1", map[string]string{"HERMES_ADDR": "a:1", "API_SERVER_HOST": "b", "API_SERVER_PORT": "2"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			w.env = c.env
			got := w.mustLoad(t)
			if got.Addr() != c.want || got.AddrChosen() != c.chosen {
				t.Errorf("got %q, chosen %v, want %q, %v", got.Addr(), got.AddrChosen(), c.want, c.chosen)
			}
		})
	}
}

// TestSecretsAreHidden sets everything that is secret and looks for it in what
// is shown and in what is complained about.
func TestSecretsAreHidden(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-hunter2-hunter2"
	w := newWorld(t, "")
	secrets := []string{
		"API_SERVER_KEY", "HERMES_UPSTREAM_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY", "TELEGRAM_BOT_TOKEN", "TELEGRAM_WEBHOOK_SECRET",
		"DISCORD_BOT_TOKEN", "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "WHATSAPP_CLOUD_ACCESS_TOKEN", "WHATSAPP_CLOUD_APP_SECRET", "WHATSAPP_CLOUD_VERIFY_TOKEN",
	}
	for _, name := range secrets {
		w.env[name] = secret
	}
	w.env["TELEGRAM_WEBHOOK_URL"], w.env["WHATSAPP_CLOUD_PHONE_NUMBER_ID"] = "https://bot.example.org", "1"
	hidden := 0
	for _, r := range w.mustLoad(t).Rows() {
		if strings.Contains(r.Value, secret) {
			t.Errorf("%s shows its secret", r.Name)
		}
		if r.Value == "[set]" {
			hidden++
		}
	}
	if hidden != len(secrets) {
		t.Errorf("got %d settings marked as set, want %d", hidden, len(secrets))
	}
}

// TestNames keeps the tables honest: no name twice, every flag declared.
func TestNames(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, s := range settings() {
		for _, name := range append([]string{s.name, "--" + s.flag}, s.env...) {
			if seen[name] && name != "--" {
				t.Errorf("%s is there twice", name)
			}
			seen[name] = true
		}
	}
	for _, f := range Flags() {
		if s, ok := find(f.Setting); !ok || s.flag != f.Name || s.boolean != f.Bool {
			t.Errorf("flag %+v does not fit its setting", f)
		}
	}
}

func FuzzParseFile(f *testing.F) {
	for _, s := range []string{
		"", "a: b", "server:\n  keys: [a, b]\n", "a: {b: {c: 1}}", "a: &x 1\nb: *x", "? [a]\n: b", "- a", "a: !!binary aGk=", "a: ~", "a: |\n  text\n",
		"a: 1\na: 2", "\xff", "%YAML 1.2\n---\na: 1", "a: [1, [2]]", strings.Repeat("a: {", 100),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		values, err := parseFile(text)
		if err != nil {
			if len(err.Error()) > len(text)+4096 {
				t.Errorf("got an error of %d bytes for a file of %d", len(err.Error()), len(text))
			}
			return
		}
		seen := make(map[string]bool)
		for _, v := range values {
			if seen[v.name] {
				t.Errorf("%q is there twice", v.name)
			}
			seen[v.name] = true
			if v.line < 1 || v.line > strings.Count(string(text), "\n")+strings.Count(string(text), "\r")+1 {
				t.Errorf("%q: got line %d of %q", v.name, v.line, text)
			}
		}
	})
}
