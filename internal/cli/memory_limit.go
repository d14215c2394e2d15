package cli

import (
	"bytes"
	"io/fs"
	"log/slog"
	"path"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/hermes-memory/hermes/internal/config"
)

// memoryLimit is how many bytes the process may take, and who says so. Zero bytes are no limit.
type memoryLimit struct {
	bytes  int64
	origin string
}

// heapShare is the share of the limit, in percent, that the Go runtime is told. The rest is for
// what it does not count: SQLite's pages in the kernel, stacks of the kernel, the program itself.
const heapShare = 90

// limitMemory tells the Go runtime the limit on the process's memory, so that it collects garbage
// more often near the limit, and bounds the cache by it. GOMEMLIMIT wins: then the runtime has its
// limit already.
func limitMemory(cfg *config.Config, getenv func(string) string, root fs.FS, log *slog.Logger) {
	l := findMemoryLimit(cfg.Memory.Limit, getenv("GOMEMLIMIT"), root)
	if l.bytes == 0 {
		log.Debug("no limit on memory", "cache", cfg.Memory.Cache)
		return
	}
	heap := l.bytes
	if l.origin != environmentLimit {
		heap = l.bytes / 100 * heapShare
		debug.SetMemoryLimit(heap)
	}
	cfg.Memory.Cache = min(cfg.Memory.Cache, l.bytes/4)
	log.Info("limit on memory", "bytes", l.bytes, "origin", l.origin, "heap", heap, "cache", cfg.Memory.Cache)
}

const environmentLimit = "environment GOMEMLIMIT"

// findMemoryLimit finds the limit: what GOMEMLIMIT says, else the setting, else that of the
// control group. root is the file system.
func findMemoryLimit(setting int64, environment string, root fs.FS) memoryLimit {
	switch {
	case environment != "":
		if n := debug.SetMemoryLimit(-1); n < unlimited {
			return memoryLimit{n, environmentLimit}
		}
		return memoryLimit{}
	case setting > 0:
		return memoryLimit{setting, "memory.limit"}
	}
	return controlGroupLimit(root)
}

// unlimited and above is no limit: version 1 of control groups writes a number near 2^63 if there
// is none, and so does the Go runtime.
const unlimited = 1 << 60

// controlGroupLimit is the smallest limit of the process's control group and the groups around
// it, in version 2 or 1.
func controlGroupLimit(root fs.FS) (least memoryLimit) {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return memoryLimit{}
	}
	for line := range strings.Lines(string(groups)) {
		// number:controllers:path; version 2 names no controllers.
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		mount, file := "sys/fs/cgroup", "memory.max"
		if parts[1] == "memory" {
			mount, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		} else if parts[1] != "" {
			continue
		}
		for group := path.Clean("/" + parts[2]); ; group = path.Dir(group) {
			name := path.Join(mount, group, file)
			if n := readLimit(root, name); n > 0 && (least.bytes == 0 || n < least.bytes) {
				least = memoryLimit{n, "/" + name}
			}
			if group == "/" {
				break
			}
		}
	}
	return least
}

// readLimit reads a limit from a file; 0 is none.
func readLimit(root fs.FS, name string) int64 {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	if err != nil || n <= 0 || n >= unlimited {
		return 0 // version 2 writes "max" if there is none
	}
	return n
}
