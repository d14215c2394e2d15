package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// The parts of a line of strace -f -y -xx: the call, and its arguments. A path may
// follow a directory it is relative to.
var (
	traceCall = regexp.MustCompile(`^\d+ +(\w+)\((.*)$`)
	tracePath = regexp.MustCompile(`(?:(?:AT_FDCWD|\d+)<((?:\\x[0-9a-f]{2})*)>, )?"((?:\\x[0-9a-f]{2})*)"`)
)

// readTrace returns the paths of a trace, how often each was asked for, cleaned, and
// made absolute where the trace says by what.
func readTrace(name string) (map[string]int, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	seen := make(map[string]int)
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		call := traceCall.FindStringSubmatch(lines.Text())
		if call == nil || call[1] == "execve" {
			continue // the rest of a call that was told of, or the command itself
		}
		for i, m := range tracePath.FindAllStringSubmatch(call[2], -1) {
			if i > 0 && strings.HasPrefix(call[1], "readlink") {
				break // its answer
			}
			path, err := unhex(m[2])
			if err != nil {
				return nil, err
			}
			dir, err := unhex(m[1])
			if err != nil {
				return nil, err
			}
			if !filepath.IsAbs(path) {
				path = filepath.Join(dir, path)
			}
			seen[filepath.Clean(path)]++
		}
	}
	return seen, lines.Err()
}

// unhex reads a text that strace has written with -xx.
func unhex(text string) (string, error) {
	out, err := strconv.Unquote(`"` + text + `"`)
	if err != nil {
		return "", fmt.Errorf("trace: %.100q: %w", text, err)
	}
	return out, nil
}
