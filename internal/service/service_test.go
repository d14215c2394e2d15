package service

import (
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hermes-memory/hermes/internal/fault"
)

func key() string { return "the-key" }

// TestInstallSystem checks the service of the machine: its account, its key, its unit.
func TestInstallSystem(t *testing.T) {
	t.Parallel()
	plan, err := Install(Place{OS: "linux", System: true}, Server{Program: "/opt/my $x 5%/hermes", HomeDir: "/ignored"}, key)
	if err != nil {
		t.Fatalf("Install: %v", err)
	}
	unit := plan.Files[2].Body
	for _, want := range []string{
		`ExecStart="/opt/my $$x 5%%/hermes" serve` + "\n", "User=hermes\n", "Environment=HERMES_HOME=/var/lib/hermes\n",
		"ProtectSystem=strict\n", "CapabilityBoundingSet=\n", "SystemCallFilter=~@privileged @resources\n", "TimeoutStopSec=45\n",
	} {
		if !strings.Contains(unit, want) {
			t.Errorf("the unit lacks %q:\n%s", want, unit)
		}
	}
	if strings.Contains(unit, "/ignored") {
		t.Errorf("the unit has the home of an account:\n%s", unit)
	}
	env := plan.Files[1]
	if !env.Secret || env.Mode != 0o600 || !strings.Contains(env.Body, "\nAPI_SERVER_KEY=the-key\n") {
		t.Errorf("got the settings %+v, want a private file with the key", env)
	}
}

// TestInstallUser checks the unit of an account, also without HERMES_HOME.
func TestInstallUser(t *testing.T) {
	t.Parallel()
	for home, want := range map[string]string{
		"":              "ExecStart=\"/usr/bin/hermes\" serve\nEnvironmentFile=",
		`/a "b" \c 9%`:  `Environment="HERMES_HOME=/a \"b\" \\c 9%%"` + "\n",
		"/home/me/data": `Environment="HERMES_HOME=/home/me/data"` + "\n",
	} {
		plan, err := Install(Place{OS: "linux", Config: "/home/me/.config"}, Server{Program: "/usr/bin/hermes", HomeDir: home}, key)
		if err != nil {
			t.Fatalf("Install: %v", err)
		}
		if f := plan.Files[0]; f.Name != "/home/me/.config/systemd/user/hermes.service" || !strings.Contains(f.Body, want) || strings.Contains(f.Body, "%HOME%") {
			t.Errorf("home %q: got %s with\n%s\nwant %q", home, f.Name, f.Body, want)
		}
	}
}

// TestAgent checks that the property list of macOS is XML that has the paths as they are.
func TestAgent(t *testing.T) {
	t.Parallel()
	at := Place{OS: "darwin", Home: "/Users/me", UID: 501}
	plan, err := Install(at, Server{Program: "/opt/<a> & b/hermes", HomeDir: "/Users/me/d&d"}, key)
	if err != nil {
		t.Fatalf("Install: %v", err)
	}
	var texts []string
	for dec := xml.NewDecoder(strings.NewReader(plan.Files[0].Body)); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the property list is no XML: %v\n%s", err, plan.Files[0].Body)
		}
		if text, is := token.(xml.CharData); is {
			texts = append(texts, string(text))
		}
	}
	all := strings.Join(texts, "|")
	for _, want := range []string{"/opt/<a> & b/hermes", "/Users/me/d&d", label} {
		if !strings.Contains(all, "|"+want+"|") {
			t.Errorf("the property list lacks %q: %s", want, all)
		}
	}
	if got := strings.Join(plan.Commands[0], " "); got != "launchctl bootstrap gui/501 /Users/me/Library/LaunchAgents/"+label+".plist" {
		t.Errorf("got the command %q", got)
	}
}

// TestUnsupported checks that other systems are told what to do.
func TestUnsupported(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		at   Place
		want string
	}{
		{Place{OS: "windows"}, `"\"C:\x\hermes.exe\" serve"`},
		{Place{OS: "darwin", System: true}, "Leave out --system"},
		{Place{OS: "freebsd"}, "hermes serve"},
	} {
		_, err := Install(c.at, Server{Program: `C:\x\hermes.exe`}, key)
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.at.OS, err, c.want)
		}
	}
	if _, err := Install(Place{OS: "linux"}, Server{Program: "/x/her\nmes"}, key); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a path with a line break: got %v", err)
	}
}

// TestFiles checks that a key is made once and stays, and that files of other origin stay.
// TestUnseen: the unit of the machine's service hides some directories. A program in one of them is refused, and
// the service of an account runs it.
func TestUnseen(t *testing.T) {
	t.Parallel()
	for program, seen := range map[string]bool{
		"/home/me/go/bin/hermes": false, "/root/hermes": false, "/tmp/hermes": false, "/usr/local/bin/hermes": true, "/homes/hermes": true,
	} {
		_, err := Install(Place{OS: "linux", System: true}, Server{Program: program}, key)
		if (err == nil) != seen || !seen && (fault.CodeOf(err) != "service_path" || !strings.Contains(err.Error(), program)) {
			t.Errorf("%s: got %v", program, err)
		}
		if _, err := Install(Place{OS: "linux", Config: "/c"}, Server{Program: program}, key); err != nil {
			t.Errorf("%s, of an account: got %v", program, err)
		}
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secret, unit := filepath.Join(dir, "etc", "hermes.env"), filepath.Join(dir, "unit")
	files := func(key string) []File {
		return []File{{Name: secret, Mode: 0o600, Body: key, Secret: true}, {Name: unit, Mode: 0o644, Body: "# " + Mark + " " + key}}
	}
	for _, key := range []string{"one", "two"} {
		if _, err := Write(files(key)); err != nil {
			t.Fatalf("Write: %v", err)
		}
	}
	if got := read(t, secret); got != "one" {
		t.Errorf("the key of the first installation became %q", got)
	}
	if got := read(t, unit); !strings.HasSuffix(got, "two") {
		t.Errorf("the unit was not written again: %q", got)
	}
	if info, err := os.Stat(secret); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key: %v, %v, want mode 0600", info, err)
	}
	if err := os.WriteFile(unit, []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, refused := Write(files("three"))
	for _, err := range []error{refused, Remove(files("three")[1:])} {
		if fault.CodeOf(err) != "service_foreign" {
			t.Errorf("got %v, want service_foreign", err)
		}
	}
	if got := read(t, unit); got != "other" {
		t.Errorf("the unit of another program became %q", got)
	}
	if err := os.WriteFile(unit, []byte(Mark), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Remove(files("x")[1:]); err != nil {
		t.Errorf("Remove: %v", err)
	}
	if _, err := os.Stat(unit); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the unit is still there: %v", err)
	}
}

// TestRemoveDirectories: directories that a removal leaves empty go, too, but only below the
// one that is named, and no link to a directory.
func TestRemoveDirectories(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		prepare func(home string) error
		want    []string // what stays
	}{
		{"made by the installation", nil, nil},
		{"one with another file", func(home string) error {
			return os.WriteFile(filepath.Join(home, "config", "mine"), nil, 0o600)
		}, []string{"config", "config/mine"}},
		{"one with another directory", func(home string) error {
			return os.Mkdir(filepath.Join(home, "config", "units", "other"), 0o700)
		}, []string{"config", "config/units", "config/units/other"}},
		{"a link to a directory", func(home string) error {
			if err := os.Rename(filepath.Join(home, "config"), filepath.Join(home, "dotfiles")); err != nil {
				return err
			}
			return os.Symlink("dotfiles", filepath.Join(home, "config"))
		}, []string{"config", "dotfiles"}},
	} {
		home := t.TempDir()
		files := []File{{Name: filepath.Join(home, "config", "units", "unit"), Mode: 0o600, Body: Mark, Under: home}}
		_, err := Write(files)
		if err == nil && tc.prepare != nil {
			err = tc.prepare(home)
		}
		if err := errors.Join(err, Remove(files)); err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		var left []string
		err = filepath.WalkDir(home, func(path string, _ fs.DirEntry, err error) error {
			if path != home {
				name, _ := filepath.Rel(home, path)
				left = append(left, filepath.ToSlash(name))
			}
			return err
		})
		if err != nil || !slices.Equal(left, tc.want) {
			t.Errorf("%s: left are %q (%v), want %q", tc.name, left, err, tc.want)
		}
	}
}

// TestUninstallDirectories: a removal of files names the directories that stay.
func TestUninstallDirectories(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		place Place
		want  []string // of each file
	}{
		{Place{OS: "linux", System: true}, []string{"", "/etc"}},
		{Place{OS: "linux", Home: "/home/me", Config: "/home/me/.config"}, []string{"/home/me"}},
		{Place{OS: "linux", Home: "/home/me", Config: "/settings/me"}, []string{"/settings/me"}},
		{Place{OS: "linux", Home: "/home/me", Config: "/home/me2/.config"}, []string{"/home/me2/.config"}},
		{Place{OS: "linux", Home: "/home/me", Config: "/home/me"}, []string{"/home/me"}},
		{Place{OS: "darwin", Home: "/Users/me", Config: "/Users/me/.config"}, []string{"/Users/me/Library"}},
	} {
		plan, err := Uninstall(tc.place)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range plan.Files {
			if f.Under != tc.want[i] || f.Under != "" && !strings.HasPrefix(f.Name, f.Under+"/") {
				t.Errorf("%+v: %s is removed with the directories below %q, want %q", tc.place, f.Name, f.Under, tc.want[i])
			}
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	body, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestRemedy says what to do by what the machine has.
func TestRemedy(t *testing.T) {
	t.Parallel()
	booted := fstest.MapFS{"run/systemd/system/x": {}}
	login := fstest.MapFS{"run/systemd/system/x": {}, "run/user/1000/systemd/private": {}}
	for _, c := range []struct {
		name string
		at   Place
		root fs.FS
		want string
	}{
		{"a container", Place{OS: "linux", UID: 1000}, fstest.MapFS{}, "init system run: hermes serve"},
		{"a container, the machine", Place{OS: "linux", System: true}, fstest.MapFS{}, "init system run: hermes serve"},
		{"after su", Place{OS: "linux", UID: 1000}, booted, "loginctl enable-linger"},
		{"another account", Place{OS: "linux", UID: 1001}, login, "loginctl enable-linger"},
		{"a login", Place{OS: "linux", UID: 1000}, login, "Correct that"},
		{"the machine", Place{OS: "linux", System: true}, booted, "Correct that"},
		{"macOS", Place{OS: "darwin", UID: 501}, fstest.MapFS{}, "Correct that"},
	} {
		c.at.Root = c.root
		if got := Remedy(c.at); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestPackaged leaves the service of the machine to a package that has brought it.
func TestPackaged(t *testing.T) {
	t.Parallel()
	machine := fstest.MapFS{"usr/lib/systemd/system/hermes.service": {}}
	server := Server{Program: "/usr/local/bin/hermes"}
	packaged := Place{OS: "linux", Home: "/home/ada", Config: "/home/ada/.config", System: true, Root: machine}
	if _, err := Install(packaged, server, key); fault.CodeOf(err) != "service_packaged" || !strings.Contains(fault.MessageOf(err), "systemctl enable --now hermes") {
		t.Errorf("got %v, want service_packaged", err)
	}
	mine, bare := packaged, packaged
	mine.System, bare.Root = false, fstest.MapFS{}
	for _, p := range []Place{mine, bare} {
		if plan, err := Install(p, server, key); err != nil || len(plan.Files) == 0 || Packaged(p) != "" {
			t.Errorf("%+v: got %+v, %v", p, plan, err)
		}
	}
}
