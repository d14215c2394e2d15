package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/session"
)

// Has reports whether a path in a home is that of a transcript.
func Has(name string) bool {
	dir, _ := filepath.Split(filepath.ToSlash(name))
	return dir == folder+"/" || strings.HasPrefix(dir, folder+"/"+ownerPrefix)
}

// Texts is a file of a home in the form in which it is searched for what was said. A line
// that is exactly as this package writes it becomes its texts: numbers, times and words of
// the format are left out, because they name nothing. All other lines stay as they are. The
// name is the path in the home.
func Texts(name string, in io.Reader) io.Reader {
	if !Has(name) {
		return in
	}
	switch base := filepath.Base(name); {
	case base == indexName:
		return &texts{in: bufio.NewReader(in), of: routeTexts}
	case base == positionName:
		return &texts{in: bufio.NewReader(in), of: positionTexts}
	case strings.HasSuffix(base, extension):
		return &texts{in: bufio.NewReader(in), of: lineTexts}
	}
	return in
}

// texts reads lines, and returns what is searched of them.
type texts struct {
	in *bufio.Reader
	// of are the texts of a line; ok is false if it is not as this package writes it.
	of   func(line []byte) (list []string, ok bool)
	rest []byte
}

// Read implements io.Reader.
func (t *texts) Read(p []byte) (int, error) {
	for len(t.rest) == 0 {
		line, err := t.in.ReadBytes('\n')
		if len(line) == 0 {
			return 0, err
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		t.rest = t.searched(line)
	}
	n := copy(p, t.rest)
	t.rest = t.rest[n:]
	return n, nil
}

// searched is what is searched of a line. Between two texts is a byte that no text has.
func (t *texts) searched(line []byte) []byte {
	list, ok := t.of(line)
	if !ok {
		return line
	}
	var out []byte
	for _, text := range list {
		raw, err := encode(text)
		if err != nil {
			return line
		}
		out = append(append(out, bytes.TrimSpace(raw)...), 0)
	}
	return append(out, 0)
}

// asWritten reports whether a line is what a value is written as, and so has nothing more.
func asWritten(line []byte, v any) bool {
	again, err := encode(v)
	return err == nil && bytes.Equal(again, line)
}

// lineTexts are the texts of a line of a session's file.
func lineTexts(line []byte) ([]string, bool) {
	var l last
	if json.Unmarshal(line, &l) != nil {
		return nil, false
	}
	switch l.Type {
	case sessionLine:
		var h Head
		ok := json.Unmarshal(line, &h) == nil && asWritten(line, h)
		return []string{
			mention.Chosen(string(h.ID)), mention.Chosen(string(h.Root)), mention.Chosen(string(h.Parent)), mention.Chosen(string(h.Key)),
			mention.ChosenSource(string(h.Source)), h.User, mention.ChosenTitle(h.Title),
		}, ok
	case messageLine:
		var m Message
		ok := json.Unmarshal(line, &m) == nil && asWritten(line, m)
		if m.Role == session.Assistant && mention.IsProgram(m.Name) { // an import wrote it
			m.Name = ""
		}
		return []string{m.Name, m.Content, string(m.ToolCalls), m.ToolCallID, m.ToolName, m.Model, m.Finish}, ok
	case undoneLine:
		var u Undone
		return nil, json.Unmarshal(line, &u) == nil && asWritten(line, u)
	case endLine:
		var e End
		ok := json.Unmarshal(line, &e) == nil && asWritten(line, e)
		return []string{string(e.Reason)}, ok
	}
	return nil, false
}

// routeTexts are the texts of a line of sessions.json.
func routeTexts(line []byte) ([]string, bool) {
	text := strings.TrimSuffix(strings.TrimSpace(string(line)), ",")
	if text == "{" || text == "}" || text == "{}" {
		return nil, true
	}
	var one map[string]Entry
	if json.Unmarshal([]byte("{"+text+"}"), &one) != nil || len(one) != 1 {
		return nil, false
	}
	for name, e := range one {
		again, err := route(name, &e)
		o := &e.Origin
		list := []string{
			mention.Chosen(name), mention.Chosen(string(e.Key)), mention.Chosen(string(e.Session)), o.Chat, o.ChatName, o.Thread, o.User,
		}
		if e.Display != nil {
			list = append(list, mention.ChosenTitle(*e.Display))
		}
		return list, err == nil && again == text
	}
	return nil, false
}

// positionTexts are the texts of the position: none.
func positionTexts(line []byte) ([]string, bool) {
	_, ok := parsePosition(line)
	return nil, ok
}
