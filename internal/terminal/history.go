package terminal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// History are the inputs at a prompt, oldest first. It is a file with one JSON string
// per line, readable by this account only.
type History struct {
	path  string
	lines []string
}

const (
	// maxHistory is the maximum number of entries.
	maxHistory = 1000
	// maxEntry is the maximum length of an entry, in bytes: a pasted log is not worth
	// keeping.
	maxEntry = 8 << 10
)

// OpenHistory reads the history from a file, which need not exist, and drops entries
// over the bound.
func OpenHistory(path string) (*History, error) {
	lines, err := readHistory(path)
	if err != nil {
		return nil, err
	}
	h := &History{path: path, lines: lines}
	if len(lines) > maxHistory {
		h.lines = lines[len(lines)-maxHistory:]
		return h, writeHistory(path, h.lines)
	}
	return h, nil
}

// Add stores a text, unless it begins with a blank, is too long, or equals the previous
// entry.
func (h *History) Add(text string) error {
	if strings.TrimSpace(text) == "" || text[0] == ' ' || len(text) > maxEntry {
		return nil
	}
	if n := len(h.lines); n > 0 && h.lines[n-1] == text {
		return nil
	}
	h.lines = append(h.lines, text)
	f, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("keep history: %w", err)
	}
	_, err = f.Write(historyLine(text))
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("keep history: %w", err)
	}
	return nil
}

// EraseHistory removes every text that matches from a history's file.
func EraseHistory(path string, about func(text string) bool) error {
	lines, err := readHistory(path)
	if err != nil {
		return err
	}
	kept := make([]string, 0, len(lines))
	for _, text := range lines {
		if !about(text) {
			kept = append(kept, text)
		}
	}
	if len(kept) == len(lines) {
		return nil
	}
	return writeHistory(path, kept)
}

func historyLine(text string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // so that a search of the file finds the text
	_ = enc.Encode(text)     // a string: cannot fail
	return b.Bytes()
}

// readHistory reads the entries, and skips a line that a crash left incomplete.
func readHistory(path string) ([]string, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	defer func() { _ = f.Close() }()
	var lines []string
	in := bufio.NewScanner(f)
	in.Buffer(nil, 8*maxEntry)
	for in.Scan() {
		var text string
		if json.Unmarshal(in.Bytes(), &text) == nil && text != "" {
			lines = append(lines, text)
		}
	}
	if err := in.Err(); err != nil && !errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("read history: %w", err)
	}
	return lines, nil
}

// writeHistory replaces the file atomically.
func writeHistory(path string, lines []string) error {
	var b strings.Builder
	for _, text := range lines {
		b.Write(historyLine(text))
	}
	temp := path + ".tmp"
	err := os.WriteFile(temp, []byte(b.String()), 0o600)
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	return nil
}
