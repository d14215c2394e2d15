package tool

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// callSkills calls the tool with members of its arguments, name and value by turns.
func callSkills(home string, g *run.Grant, args ...string) run.ToolResult {
	in := make(map[string]string)
	for i := 0; i+1 < len(args); i += 2 {
		in[args[i]] = args[i+1]
	}
	raw, _ := json.Marshal(in)
	return Skills{Home: home}.Call(nil, g, run.ToolRequest{Name: SkillsName, Arguments: raw}) //nolint:staticcheck // not looked at
}

func localGrant(key session.Key) *run.Grant { return &run.Grant{Owner: owner.Local(), Key: key} }

// aliceGrant is that of another owner's key with all scopes.
func aliceGrant(t *testing.T, key session.Key) *run.Grant {
	t.Helper()
	return &run.Grant{Owner: someone(t, "alice"), Key: key}
}

func TestSkillsSaveAndView(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	g := localGrant("")
	if got := callSkills(home, g, "action", "list"); got.Failed || got.Text != "There are no skills yet." {
		t.Errorf("list of nothing: got %+v", got)
	}
	for _, text := range []string{"Push.", "Push, then wait."} {
		got := callSkills(home, g, "action", "save", "name", "deploy", "description", "How we\ndeploy.", "instructions", text)
		if got.Failed {
			t.Fatalf("save: got %+v", got)
		}
		if got := callSkills(home, g, "action", "view", "name", "deploy"); got.Failed || !strings.HasSuffix(got.Text, "---\n\n"+text+"\n") {
			t.Errorf("view: got %+v, want %q", got, text)
		}
	}
	if got := callSkills(home, g, "action", "list"); got.Text != "- deploy: How we deploy.\n" {
		t.Errorf("list: got %+v", got)
	}
	_ = filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		info, _ := d.Info()
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[d.IsDir()]; path != home && info.Mode().Perm() != want {
			t.Errorf("%s: got the mode %v, want %v", path, info.Mode().Perm(), want)
		}
		if !d.IsDir() && d.Name() != skillFile {
			t.Errorf("%s was left behind", path)
		}
		return err
	})
}

// TestSkillsStayInTheirFolder: no name, file or link leads out of it.
func TestSkillsStayInTheirFolder(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	secret := filepath.Join(home, "secret.md")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(secret, "CANARY")
	folder := filepath.Join(home, "skills", "deploy")
	write(filepath.Join(folder, skillFile), "---\nname: deploy\ndescription: d\n---\n")
	write(filepath.Join(folder, "references", "more.md"), "more")
	write(filepath.Join(home, "skills", "other", skillFile), "---\nname: deploy\ndescription: CANARY\n---\n")
	for name, to := range map[string]string{"link.md": secret, "up.md": "../../secret.md", "side.md": "../other/SKILL.md"} {
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(home, filepath.Join(home, "skills", "linked")); err != nil {
		t.Fatal(err)
	}
	g := localGrant("")
	if got := callSkills(home, g, "action", "view", "name", "deploy", "file", "references/more.md"); got.Text != "more" {
		t.Errorf("a file of the skill: got %+v", got)
	}
	for _, tt := range [][2]string{
		{"deploy", "../../secret.md"}, {"deploy", "/etc/passwd"}, {"deploy", "link.md"}, {"deploy", "up.md"}, {"deploy", "side.md"},
		{"deploy", "."}, {"deploy", "references"}, {"deploy", "a\x00b"}, {"..", "secret.md"}, {"../..", ""}, {"deploy/..", "x"},
		{"linked", "secret.md"}, {".scopes", "x"}, {"", "secret.md"}, {"deploy", `..\..\secret.md`},
	} {
		if got := callSkills(home, g, "action", "view", "name", tt[0], "file", tt[1]); !got.Failed || strings.Contains(got.Text, "CANARY") {
			t.Errorf("view %q: got %+v, want it refused", tt, got)
		}
	}
	if got := callSkills(home, g, "action", "list"); got.Text != "- deploy: d\n" {
		t.Errorf("list: got %+v, want the one valid skill", got)
	}
	for _, name := range []string{"../x", "a/b", "", ".", "..", "X", "a\x00", strings.Repeat("a", 65)} {
		if got := callSkills(home, g, "action", "save", "name", name, "description", "d", "instructions", "i"); !got.Failed {
			t.Errorf("save %q: got %+v, want it refused", name, got)
		}
	}
	if entries, _ := os.ReadDir(home); len(entries) != 2 {
		t.Errorf("got %v next to the skills", entries)
	}
}

// TestSkillsAreTheirOwners: skills written in turns of one owner or key are visible to
// that owner or key only. Skills that a person put into the directory are visible to
// all turns of the local owner.
func TestSkillsAreTheirOwners(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	grants := map[string]*run.Grant{
		"local": localGrant(""), "local-key": localGrant("user:1"), "local-other-key": localGrant("user:2"),
		"alice": aliceGrant(t, ""), "alice-key": aliceGrant(t, "user:1"),
	}
	for name, g := range grants {
		if got := callSkills(home, g, "action", "save", "name", "of-"+name, "description", "canary of "+name, "instructions", "i"); got.Failed {
			t.Fatalf("%s: got %+v", name, got)
		}
	}
	sees := map[string][]string{"local-key": {"local"}, "local-other-key": {"local"}}
	for name, g := range grants {
		list := callSkills(home, g, "action", "list").Text
		for other := range grants {
			want := other == name
			for _, seen := range sees[name] {
				want = want || seen == other
			}
			if got := strings.Contains(list, "of-"+other+":"); got != want {
				t.Errorf("%s sees the skill of %s: %v, want %v", name, other, got, want)
			}
			if got := callSkills(home, g, "action", "view", "name", "of-"+other); got.Failed == want {
				t.Errorf("%s views the skill of %s: got %+v, want %v", name, other, got, want)
			}
		}
	}
}

// TestSkillsRefuse: what may not be saved, and by whom.
func TestSkillsRefuse(t *testing.T) {
	t.Parallel()
	readOnly, outside := localGrant(""), localGrant("")
	readOnly.ReadOnly, outside.Outside = "this turn is off the record", true
	unscoped := &run.Grant{Owner: owner.Stored(owner.LocalID)}
	for _, tt := range []struct {
		name  string
		grant *run.Grant
		args  []string
		want  string
	}{
		{"off the record", readOnly, nil, "off the record"},
		{"text of others in sight", outside, nil, "text of other programs"},
		{"no scope", unscoped, nil, "may not use skills"},
		{"a secret", localGrant(""), []string{"instructions", "the password is hunter2-XK9-abc, sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"}, "password or a key"},
		{"too long", localGrant(""), []string{"instructions", strings.Repeat("x", maxSkillFile)}, "bytes"},
		{"no description", localGrant(""), []string{"description", " "}, "description"},
		{"another argument", localGrant(""), []string{"path", "/"}, "schema"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			args := append([]string{"action", "save", "name", "deploy", "description", "d", "instructions", "i"}, tt.args...)
			if got := callSkills(home, tt.grant, args...); !got.Failed || !strings.Contains(got.Text, tt.want) {
				t.Errorf("got %+v, want it refused because of %q", got, tt.want)
			}
			if entries, _ := os.ReadDir(home); len(entries) > 0 {
				t.Errorf("got %v, want nothing written", entries)
			}
		})
	}
}

// TestTooManySkills: a shelf has an end, but what is on it can be changed.
func TestTooManySkills(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for i := range maxSkills {
		if err := os.MkdirAll(filepath.Join(home, "skills", "s"+strings.Repeat("x", i%60)+string(rune('a'+i/60))), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	g := localGrant("")
	if got := callSkills(home, g, "action", "save", "name", "one-more", "description", "d", "instructions", "i"); !got.Failed {
		t.Errorf("got %+v, want it refused", got)
	}
	if got := callSkills(home, g, "action", "save", "name", "sa", "description", "d", "instructions", "i"); got.Failed {
		t.Errorf("got %+v, want it saved", got)
	}
}
