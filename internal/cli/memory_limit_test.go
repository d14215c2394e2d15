package cli

import (
	"testing"
	"testing/fstest"
)

// TestControlGroupLimit has the files of the kernel as they are on machines and in containers.
func TestControlGroupLimit(t *testing.T) {
	t.Parallel()
	const v1None = "9223372036854771712\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  memoryLimit
	}{
		{"no control groups", nil, memoryLimit{}},
		{"version 2, a container", map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "536870912\n",
		}, memoryLimit{512 << 20, "/sys/fs/cgroup/memory.max"}},
		{"version 2, a unit of systemd", map[string]string{
			"proc/self/cgroup": "0::/system.slice/hermes.service\n",
			"sys/fs/cgroup/system.slice/hermes.service/memory.max": "1073741824\n",
			"sys/fs/cgroup/system.slice/memory.max":                "max\n",
		}, memoryLimit{1 << 30, "/sys/fs/cgroup/system.slice/hermes.service/memory.max"}},
		{"version 2, the group around is smaller", map[string]string{
			"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "1073741824\n", "sys/fs/cgroup/a/memory.max": "268435456\n",
		}, memoryLimit{256 << 20, "/sys/fs/cgroup/a/memory.max"}},
		{"version 2, no limit", map[string]string{
			"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n",
		}, memoryLimit{}},
		{"version 1, a container that sees the path outside", map[string]string{
			"proc/self/cgroup": "5:cpu:/docker/1\n4:memory:/docker/1\n0::/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "134217728\n",
		}, memoryLimit{128 << 20, "/sys/fs/cgroup/memory/memory.limit_in_bytes"}},
		{"version 1, no limit", map[string]string{
			"proc/self/cgroup": "4:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": v1None,
		}, memoryLimit{}},
		{"not understood", map[string]string{
			"proc/self/cgroup": "memory\n\n0::/../..\n", "sys/fs/cgroup/memory.max": "-5\n",
		}, memoryLimit{}},
	} {
		root := make(fstest.MapFS)
		for name, text := range c.files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := findMemoryLimit(0, "", root); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
		if got, want := findMemoryLimit(1<<30, "", root), (memoryLimit{1 << 30, "memory.limit"}); got != want {
			t.Errorf("%s, with the setting: got %+v, want %+v", c.name, got, want)
		}
	}
}

// FuzzControlGroup reads files of control groups. A limit is positive, and has an origin.
func FuzzControlGroup(f *testing.F) {
	f.Add("0::/a/b\n", "max\n", "1073741824\n")
	f.Add("4:memory:/../..//\n0::\n", "-1", "9223372036854775808")
	f.Fuzz(func(t *testing.T, groups, second, first string) {
		l := controlGroupLimit(fstest.MapFS{
			"proc/self/cgroup":                           {Data: []byte(groups)},
			"sys/fs/cgroup/memory.max":                   {Data: []byte(second)},
			"sys/fs/cgroup/memory/memory.limit_in_bytes": {Data: []byte(first)},
		})
		if l.bytes < 0 || l.bytes >= unlimited || (l.bytes > 0) != (l.origin != "") {
			t.Errorf("got %+v", l)
		}
	})
}
