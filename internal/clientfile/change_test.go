package clientfile

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/fault"
)

func find(t *testing.T, name string) *Client {
	t.Helper()
	c, ok := Find(name)
	if !ok {
		t.Fatalf("no client %q", name)
	}
	return &c
}

func install(t *testing.T, c *Client, p Place, s Server) *Change {
	t.Helper()
	change, err := c.Install(p, false, s)
	if err != nil {
		t.Fatal(err)
	}
	write(t, change)
	return change
}

func uninstall(t *testing.T, c *Client, p Place) *Change {
	t.Helper()
	change, err := c.Uninstall(p, false)
	if err != nil {
		t.Fatal(err)
	}
	write(t, change)
	return change
}

func TestNoFile(t *testing.T) {
	t.Parallel()
	for _, c := range clients() {
		p := placeIn(t)
		name := c.files(p, false)[0]
		change := install(t, &c, p, ours)
		if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: got mode %v (%v), want 0600", c.Name, info.Mode(), err)
		}
		if got, err := c.Snippet(ours); err != nil || got != string(change.After) {
			t.Errorf("%s: snippet: got %q, %v; want %q", c.Name, got, err, change.After)
		}
		uninstall(t, &c, p)
		if _, err := os.Stat(name); !os.IsNotExist(err) {
			t.Errorf("%s: the file is still there: %v", c.Name, err)
		}
	}
}

// TestForeign replaces another program's entry of the same name, and gives it back.
func TestForeign(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ client, entry, other string }{
		{"cursor", "{\"mcpServers\": {\n \"hermes\": {\"command\": \"npx\", \"args\": [\"messenger\"]}, // mine\n \"a\": {}\n}}\n", "{\n \"b\": {},"},
		{"codex", "[mcp_servers.hermes] # mine\ncommand = \"npx\"\n\n[mcp_servers.hermes.env]\nA = \"1\"\n\n[other]\nx = 1\n", "b = 1\n"},
	} {
		c, p := find(t, tc.client), placeIn(t)
		name := c.files(p, false)[0]
		store(t, name, []byte(tc.entry), 0o600)
		if _, err := c.Uninstall(p, false); fault.CodeOf(err) != "foreign_entry" {
			t.Errorf("%s: uninstall: got %v, want foreign_entry", tc.client, err)
		}
		if change := install(t, c, p, ours); change.Replaced != "npx" {
			t.Errorf("%s: replaced %q, want npx", tc.client, change.Replaced)
		}
		checkEntry(t, c, p)
		second := ours
		second.Args = []string{"mcp"}
		install(t, c, p, second)
		if !uninstall(t, c, p).Restored {
			t.Errorf("%s: not reported as restored", tc.client)
		}
		if got := string(load(t, name)); got != tc.entry {
			t.Errorf("%s: got %q, want %q", tc.client, got, tc.entry)
		}
		// The same after the file has changed otherwise.
		install(t, c, p, ours)
		installed := load(t, name)
		changed := tc.other + string(installed)
		want := tc.other + tc.entry
		if tc.client == "cursor" {
			changed = strings.Replace(string(installed), "{\n", tc.other, 1)
			want = strings.Replace(tc.entry, "{\n", tc.other, 1)
		}
		store(t, name, []byte(changed), 0o600)
		uninstall(t, c, p)
		if got := string(load(t, name)); got != want {
			t.Errorf("%s, changed: got %q, want %q", tc.client, got, want)
		}
	}
}

// TestUnwritable says what to do about a directory that cannot be written to.
func TestUnwritable(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "absent", "mcp.json")
	err := replace(name, []byte("{}"), 0o600)
	if says := fault.MessageOf(err); fault.CodeOf(err) != "client_file_unwritable" || !strings.HasPrefix(says, "Cannot write "+name+": ") || !strings.Contains(says, "--print") {
		t.Errorf("got %v", err)
	}
}

// TestForeignForms gives back entries of another program that were written in another form of TOML, after the
// file has changed otherwise.
func TestForeignForms(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{
		"dotted at the root":       "mcp_servers.a.command = \"x\"\nmcp_servers.hermes.command = \"old\"\nmcp_servers.hermes.args = [\"y\"] # mine\n",
		"dotted, alone":            "mcp_servers.hermes.command = \"old\"",
		"dotted in the table":      "[mcp_servers]\nb.command = \"b\"\nhermes.command = \"npx\"\nhermes.args = [\n  \"q\", # why\n]\nc.command = \"c\"\n",
		"inline":                   "[mcp_servers]\nhermes = { command = \"npx\", args = [\"x\"] } # mine\n\n[mcp_servers.b]\ncommand = \"b\"\n",
		"inline at the root":       "model = \"x\"\nmcp_servers.hermes = { command = \"npx\" }\n\n[other]\nz = 1\n",
		"inline in CRLF":           "[mcp_servers]\r\nhermes = { command = \"npx\" }\r\n\r\n[other]\r\nz = 1\r\n",
		"a text":                   "[mcp_servers]\nhermes = \"x\"\nb = 1\n",
		"a list of tables":         "[[mcp_servers.hermes]]\ncommand = \"x\"\n\n[[mcp_servers.hermes]]\ncommand = \"y\"\n",
		"a table of its variables": "[mcp_servers.hermes.env]\nA = \"1\"\n",
		"dotted, and a table":      "[mcp_servers]\nhermes.command = \"npx\"\n\n[mcp_servers.hermes.env]\nA = \"1\"\n\n[z]\nq = 1\n",
		"in quotation marks":       "[\"mcp_servers\".'hermes']\ncommand = 'x'\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, p := find(t, "codex"), placeIn(t)
			file := c.files(p, false)[0]
			store(t, file, []byte(before), 0o600)
			install(t, c, p, ours)
			checkEntry(t, c, p)
			const more = "\n[added]\ny = 1\n"
			store(t, file, append(load(t, file), more...), 0o600)
			if !uninstall(t, c, p).Restored {
				t.Error("not reported as restored")
			}
			got, err := c.syntax.decode(load(t, file))
			if err != nil {
				t.Fatal(err)
			}
			want, err := c.syntax.decode([]byte(before + "\n" + more))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, load(t, file))
			}
			for _, comment := range []string{"# mine", "# why"} {
				if strings.Contains(before, comment) && !strings.Contains(string(load(t, file)), comment) {
					t.Errorf("the comment %q is gone: %s", comment, load(t, file))
				}
			}
		})
	}
}

// TestUpdate changes the entry's own fields and keeps those of the user, until the entry
// leads to a URL.
func TestUpdate(t *testing.T) {
	t.Parallel()
	url := Server{URL: "http://localhost:11434/k/work/mcp"}
	for _, tc := range []struct{ client, before, command, remote string }{
		{
			"gemini", "{\n  \"mcpServers\": {\n    \"hermes\": {\n      \"command\": \"/old/hermes\", // old\n      \"args\": [\"mcp\"],\n      \"trust\": true\n    }\n  }\n}\n",
			"{\n  \"mcpServers\": {\n    \"hermes\": {\n      \"command\": \"/usr/bin/hermes\", // old\n      \"args\": [\"mcp\", \"--session-key\", \"me\"],\n      \"trust\": true\n    }\n  }\n}\n",
			"{\n  \"mcpServers\": {\n    \"hermes\": {\n      \"httpUrl\": \"http://localhost:11434/k/work/mcp\",\n      \"headers\": {\n        \"Authorization\": \"Bearer $HERMES_API_KEY\"\n      }\n    }\n  }\n}\n",
		},
		{
			"codex", "[mcp_servers.hermes]\ncommand = '/old/hermes' # old\nargs = [ # of it\n  \"mcp\" ]\nstartup_timeout_sec = 9\n[mcp_servers.hermes.tools.recall]\napproval_mode = \"approve\"\n",
			"[mcp_servers.hermes]\ncommand = \"/usr/bin/hermes\" # old\nargs = [\"mcp\", \"--session-key\", \"me\"]\nstartup_timeout_sec = 9\n[mcp_servers.hermes.tools.recall]\napproval_mode = \"approve\"\n",
			"[mcp_servers.hermes]\nurl = \"http://localhost:11434/k/work/mcp\"\nbearer_token_env_var = \"HERMES_API_KEY\"\n",
		},
	} {
		c, p := find(t, tc.client), placeIn(t)
		name := c.files(p, false)[0]
		store(t, name, []byte(tc.before), 0o600)
		install(t, c, p, ours)
		if diff := cmp.Diff(tc.command, string(load(t, name))); diff != "" {
			t.Errorf("%s: command (-want +got):\n%s", tc.client, diff)
		}
		install(t, c, p, url)
		if diff := cmp.Diff(tc.remote, string(load(t, name))); diff != "" {
			t.Errorf("%s: url (-want +got):\n%s", tc.client, diff)
		}
		if got := string(load(t, name+backupSuffix)); got != tc.before {
			t.Errorf("%s: backup %q, want the file before the first change", tc.client, got)
		}
	}
}

// TestInstalledTwice: an earlier entry of this program does not come back, whatever the
// file was before, and whatever changed since.
func TestInstalledTwice(t *testing.T) {
	t.Parallel()
	key := func(key string) Server {
		return Server{Command: "/usr/bin/hermes", Args: []string{"mcp", "--session-key", key}}
	}
	for _, c := range clients() {
		installed, err := c.install(nil, key("first"))
		if err != nil {
			t.Fatal(err)
		}
		for name, before := range map[string][]byte{"no file": nil, "installed by hand": installed} {
			p := placeIn(t)
			file := c.files(p, false)[0]
			if before != nil {
				store(t, file, before, 0o600)
			}
			for _, k := range []string{"first", "second", "third"} {
				install(t, &c, p, key(k))
			}
			if change := uninstall(t, &c, p); change.Restored {
				t.Errorf("%s, %s: an entry came back", c.Name, name)
			}
			for _, left := range []string{file, file + backupSuffix} {
				if body, err := readIfExists(left); err != nil || strings.Contains(string(body), "hermes") {
					t.Errorf("%s, %s: got %q (%v) in %s, want no entry", c.Name, name, body, err, left)
				}
			}
		}
	}
}

// TestHome sets, changes and removes the home of the command.
func TestHome(t *testing.T) {
	t.Parallel()
	for _, c := range clients() {
		p := placeIn(t)
		for _, home := range []string{"/one", "/two \"quoted\"", ""} {
			s := ours
			s.HomeDir = home
			install(t, &c, p, s)
			f, err := c.open(p, false)
			if err != nil {
				t.Fatal(err)
			}
			found, _ := lookup(f.members, c.path())
			if got, _ := c.read(found); got.HomeDir != home {
				t.Errorf("%s: got %q, want %q in %v", c.Name, got.HomeDir, home, found)
			}
			if members, _ := found.(map[string]any); home == "" && (members["env"] != nil || members["environment"] != nil) {
				t.Errorf("%s: an empty table is left: %v", c.Name, found)
			}
		}
	}
}

// TestChangedSince uninstalls from a file that another program has rewritten.
func TestChangedSince(t *testing.T) {
	t.Parallel()
	c, p := find(t, "claude"), placeIn(t)
	name := c.files(p, false)[0]
	store(t, name, []byte("{\n  \"n\": 1\n}\n"), 0o600)
	install(t, c, p, ours)
	store(t, name, bytes.Replace(load(t, name), []byte("\"n\": 1"), []byte("\"n\": 2"), 1), 0o600)
	uninstall(t, c, p)
	if got := string(load(t, name)); got != "{\n  \"n\": 2\n}\n" {
		t.Errorf("got %q", got)
	}
	if change := uninstall(t, c, p); !change.None() {
		t.Errorf("uninstalled twice: %q", change.After)
	}
}

// TestRace refuses to write over what another program wrote since the file was read.
func TestRace(t *testing.T) {
	t.Parallel()
	c, p := find(t, "claude"), placeIn(t)
	name := c.files(p, false)[0]
	change, err := c.Install(p, false, ours)
	if err != nil {
		t.Fatal(err)
	}
	store(t, name, []byte("{}"), 0o600)
	if err := change.Write(); fault.CodeOf(err) != "client_file_changed" {
		t.Errorf("got %v, want client_file_changed", err)
	}
	if got := string(load(t, name)); got != "{}" {
		t.Errorf("got %q", got)
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	c, p := find(t, "cursor"), placeIn(t)
	name := c.files(p, false)[0]
	store(t, filepath.Join(p.Home, "dotfiles", "mcp.json"), []byte("{}\n"), 0o600)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"mcp.json", "none.json"} {
		_ = os.Remove(name)
		link(t, filepath.Join("..", "dotfiles", target), name)
		install(t, c, p, ours)
		if to, err := os.Readlink(name); err != nil || filepath.Base(to) != target {
			t.Errorf("%s: the link is gone: %q, %v", target, to, err)
		}
		if !bytes.Contains(load(t, filepath.Join(p.Home, "dotfiles", target)), []byte("/usr/bin/hermes")) {
			t.Errorf("%s: no entry in the target", target)
		}
		uninstall(t, c, p)
	}
	_ = os.Remove(name)
	link(t, name, name)
	if _, err := c.Install(p, false, ours); fault.CodeOf(err) != "client_file_unreadable" {
		t.Errorf("a link to itself: got %v", err)
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	env := map[string]string{}
	for _, tc := range []struct{ os, client, variable, value, want string }{
		{"linux", "claude", "", "", "/h/.claude.json"},
		{"linux", "claude", "CLAUDE_CONFIG_DIR", "/c", "/c/.claude.json"},
		{"linux", "claude-desktop", "", "", "/h/.config/Claude/claude_desktop_config.json"},
		{"darwin", "claude-desktop", "", "", "/h/Library/Application Support/Claude/claude_desktop_config.json"},
		{"windows", "claude-desktop", "APPDATA", "/h/AppData/Roaming", "/h/AppData/Roaming/Claude/claude_desktop_config.json"},
		{"windows", "codex", "", "", "/h/.codex/config.toml"},
		{"linux", "codex", "CODEX_HOME", "/x", "/x/config.toml"},
		{"darwin", "cursor", "", "", "/h/.cursor/mcp.json"},
		{"linux", "vscode", "XDG_CONFIG_HOME", "/x", "/x/Code/User/mcp.json"},
		{"linux", "vscode", "XDG_CONFIG_HOME", "relative", "/h/.config/Code/User/mcp.json"},
		{"darwin", "vscode", "", "", "/h/Library/Application Support/Code/User/mcp.json"},
		{"windows", "vscode", "", "", "/h/AppData/Roaming/Code/User/mcp.json"},
		{"darwin", "opencode", "", "", "/h/.config/opencode/opencode.json"},
		{"windows", "opencode", "", "", "/h/.config/opencode/opencode.json"},
		{"linux", "opencode", "XDG_CONFIG_HOME", "/x", "/x/opencode/opencode.json"},
		{"linux", "gemini", "", "", "/h/.gemini/settings.json"},
		{"linux", "gemini", "GEMINI_CLI_HOME", "/g", "/g/.gemini/settings.json"},
		{"windows", "windsurf", "", "", "/h/.codeium/windsurf/mcp_config.json"},
		{"darwin", "zed", "", "", "/h/.config/zed/settings.json"},
		{"linux", "zed", "XDG_CONFIG_HOME", "/x", "/x/zed/settings.json"},
		{"windows", "zed", "APPDATA", "/a", "/a/Zed/settings.json"},
	} {
		clear(env)
		env[tc.variable] = tc.value
		p := Place{OS: tc.os, Home: "/h", Getenv: func(name string) string { return env[name] }}
		if got := filepath.ToSlash(find(t, tc.client).files(p, false)[0]); got != tc.want {
			t.Errorf("%s %s %s=%s: got %s, want %s", tc.os, tc.client, tc.variable, tc.value, got, tc.want)
		}
	}
}

// TestSecondFile keeps to the file of a client that is in use.
func TestSecondFile(t *testing.T) {
	t.Parallel()
	c, p := find(t, "opencode"), placeIn(t)
	names := c.files(p, false)
	store(t, names[1], []byte("{ /* mine */ }"), 0o600)
	install(t, c, p, ours)
	store(t, names[0], []byte("{}"), 0o600)
	if change := install(t, c, p, ours); !change.None() || change.File != names[1] {
		t.Errorf("got %s, want no change of %s", change.File, names[1])
	}
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	p := placeIn(t)
	program := filepath.Join(p.Home, "bin", "hermes")
	store(t, program, []byte("#!"), 0o700)
	mine := Server{Command: program, Args: ours.Args}
	install(t, find(t, "codex"), p, mine)
	install(t, find(t, "cursor"), p, Server{Command: "/elsewhere/hermes", Args: ours.Args})
	install(t, find(t, "gemini"), p, Server{URL: "http://localhost:11434/k/me/mcp"})
	store(t, filepath.Join(p.Home, ".claude.json"), []byte("{}"), 0o600)
	store(t, filepath.Join(p.Home, ".config", "zed", "settings.json"), []byte("{\n\"x\" 1}"), 0o600)
	if change, err := find(t, "claude").Install(p, true, mine); err != nil {
		t.Fatal(err)
	} else {
		write(t, change)
	}
	got := map[string]State{}
	for _, s := range Statuses(p, program) {
		row := s.Client
		if s.Project {
			row += " project"
		}
		got[row] = s.State
		if s.State == Unreadable && !strings.Contains(s.Error, "settings.json:2: ") {
			t.Errorf("got %q, want file and line", s.Error)
		}
	}
	want := map[string]State{
		"claude": NotInstalled, "claude project": Installed, "claude-desktop": NoFile, "codex": Installed, "cursor": Elsewhere,
		"vscode": NoFile, "opencode": NoFile, "gemini": Installed, "windsurf": NoFile, "zed": Unreadable,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	c, p := find(t, "cursor"), placeIn(t)
	store(t, c.files(p, false)[0], []byte("{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}"), 0o600)
	change, err := c.Install(p, false, ours)
	if err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(change.Diff(), "@@")
	want := " -1,5 +1,9 @@\n {\n   \"mcpServers\": {\n-    \"a\": {}\n+    \"a\": {},\n+    \"hermes\": {\n" +
		"+      \"command\": \"/usr/bin/hermes\",\n+      \"args\": [\"mcp\", \"--session-key\", \"me\"]\n+    }\n   }\n }\n\\ No newline at end of file\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPlacement puts the entry behind the last one, and leaves comments on their lines.
func TestPlacement(t *testing.T) {
	t.Parallel()
	c := find(t, "cursor")
	for _, tc := range []struct{ before, want string }{
		{"{\n \"mcpServers\": {\n  \"a\": 1 // of a\n  // end\n }\n}", "{\n \"mcpServers\": {\n  \"a\": 1, // of a\n  E\n  // end\n }\n}"},
		{"{\n \"mcpServers\": {\n  \"a\": 1, /* of a */ // too\n }\n}", "{\n \"mcpServers\": {\n  \"a\": 1, /* of a */ // too\n  E,\n }\n}"},
		{"{\r\n\t\"mcpServers\": {} // all\r\n}", "{\r\n\t\"mcpServers\": {\r\n\t\tE\r\n\t} // all\r\n}"},
		{`{"mcpServers":{"a":1}}`, `{"mcpServers":{"a":1, E}}`},
		{`{"mcpServers":{"a":1,}}`, `{"mcpServers":{"a":1, E,}}`},
		{`{"mcpServers":{ },"b":1}`, `{"mcpServers":{ E},"b":1}`},
		{`{"b":1}`, `{"b":1, "mcpServers": {E}}`},
	} {
		got, err := jsonc{}.set([]byte(tc.before), c.path(), "x")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.ReplaceAll(tc.want, "E", `"hermes": "x"`), string(got)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tc.before, diff)
		}
		back, err := jsonc{}.remove(got, c.path())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(tc.before, `"a"`) && string(back) != tc.before {
			t.Errorf("removed: got %q, want %q", back, tc.before)
		}
	}
}

// TestRemoval keeps what follows the entry out of the comment before it.
func TestRemoval(t *testing.T) {
	t.Parallel()
	c := find(t, "cursor")
	got, err := jsonc{}.remove([]byte("{\"mcpServers\":{\"a\":1, // of a\n\"hermes\":2}}"), c.path())
	if want := "{\"mcpServers\":{\"a\":1 // of a\n}}"; err != nil || string(got) != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

// link makes a symbolic link. Windows may forbid it.
func link(t *testing.T, target, name string) {
	t.Helper()
	switch err := os.Symlink(target, name); {
	case err != nil && runtime.GOOS == "windows":
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
}
