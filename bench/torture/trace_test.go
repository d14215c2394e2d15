package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

func TestReadTrace(t *testing.T) {
	t.Parallel()
	x := func(text string) string {
		out := ""
		for _, c := range []byte(text) {
			out += fmt.Sprintf(`\x%02x`, c)
		}
		return out
	}
	name := filepath.Join(t.TempDir(), "trace")
	lines := `12 execve("` + x("/bin/hermes") + `", ["` + x("serve") + `"], 0x7ffc /* 9 vars */) = 0
12 openat(AT_FDCWD<` + x("/work") + `>, "` + x("a/../../etc/x") + `", O_RDONLY) = -1 ENOENT (No such file or directory)
13 openat(7<` + x("/home/skills") + `>, "` + x("one") + `", O_RDONLY|O_NOFOLLOW <unfinished ...>
13 <... openat resumed>)                   = 9</home/skills/one>
12 stat("` + x("/home/state.db") + `", {st_mode=S_IFREG|0600, st_size=0, ...}) = 0
12 readlinkat(AT_FDCWD<` + x("/work") + `>, "` + x("/proc/self/exe") + `", "` + x("/bin/hermes") + `", 128) = 11
12 renameat(AT_FDCWD<` + x("/work") + `>, "` + x("/home/a") + `", AT_FDCWD<` + x("/work") + `>, "` + x("/home/b") + `") = 0
12 stat("` + x("/home/state.db") + `", 0x7f) = -1 ENOENT (No such file or directory)
12 +++ exited with 0 +++
`
	if err := os.WriteFile(name, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := readTrace(name)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"/etc/x": 1, "/home/skills/one": 1, "/home/state.db": 2, "/proc/self/exe": 1, "/home/a": 1, "/home/b": 1}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestForbidden(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, why string }{
		{"/h/.hermes/state.db-wal", ""},
		{"/h/.hermes", ""},
		{"/h", ""},
		{"/h/.hermes/sessions/" + mark + "00000a", "within"},
		{"/h/.hermes/skills/" + mark + "00000a/SKILL.md", ""},
		{"/h/.hermes-other", "outside"},
		{"/etc/passwd", "outside"},
		{"/tmp", "outside"},
		{"/proc/" + mark + "00000a", "outside"},
		{"/proc/self/cgroup", ""},
		{"/proc/self/environ", "outside"},
		{"/proc/12/stat", ""},
		{"/proc/12/environ", "outside"},
		{"/usr/share/zoneinfo/" + mark + "00000a", ""},
		{"/usr/share/zoneinfo", ""},
		{"/usr/share/zoneinfo-x", "outside"},
		{"/bin/hermes", ""},
	} {
		if got := forbidden(c.path, "/h/.hermes", "/bin/hermes"); got != c.why {
			t.Errorf("%s: got %q, want %q", c.path, got, c.why)
		}
	}
}
