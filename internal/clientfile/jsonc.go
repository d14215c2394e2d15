package clientfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// syntax is a format of files. Paths name members from the outside in. Documents are
// UTF-8 without a byte order mark; an empty one is a file without members.
type syntax interface {
	// decode returns the members of a document, or a *problem.
	decode(doc []byte) (map[string]any, error)
	// set gives the value at the path, which need not exist.
	set(doc []byte, path []string, value any) ([]byte, error)
	// remove takes out the value at the path, which exists.
	remove(doc []byte, path []string) ([]byte, error)
	// graft replaces the value at the path by the text that it has in another document.
	graft(doc, from []byte, path []string) ([]byte, error)
}

// problem says why a document cannot be changed, and on which line that was found.
type problem struct {
	line int
	says string
}

// Error implements error.
func (p *problem) Error() string { return fmt.Sprintf("line %d: %s", p.line, p.says) }

// at is a problem at an offset of a document.
func at(doc []byte, offset int, format string, args ...any) error {
	return &problem{1 + bytes.Count(doc[:min(offset, len(doc))], []byte("\n")), fmt.Sprintf(format, args...)}
}

// jsonc is JSON with comments and trailing commas. It is changed by cutting and inserting
// text, so that all other bytes stay.
type jsonc struct{}

var parserLine = regexp.MustCompile(`^hujson: line (\d+), column \d+: `)

// parseJSONC parses a document with an object.
func parseJSONC(doc []byte) (*hujson.Value, error) {
	// A comment on the last line needs no newline in a file, but needs one in the parser.
	v, err := hujson.Parse(append(slices.Clip(doc), '\n'))
	if err != nil {
		says := err.Error()
		line := 1
		if m := parserLine.FindStringSubmatch(says); m != nil {
			line, _ = strconv.Atoi(m[1]) // it is digits
			line = min(line, 1+bytes.Count(bytes.TrimSpace(doc), []byte("\n")))
			says = says[len(m[0]):]
		}
		return nil, &problem{line, "not valid JSON: " + says}
	}
	if _, ok := v.Value.(*hujson.Object); !ok {
		return nil, at(doc, v.StartOffset, "not a JSON object")
	}
	return &v, nil
}

// isBare reports whether a document has comments and white space alone. With an empty object
// behind them it is whole.
func isBare(doc []byte) bool {
	_, err := hujson.Parse(append(slices.Clip(doc), "\n{}"...))
	return err == nil
}

func (jsonc) decode(doc []byte) (map[string]any, error) {
	if isBare(doc) {
		return nil, nil
	}
	v, err := parseJSONC(doc)
	if err != nil {
		return nil, err
	}
	v.Standardize()
	d := json.NewDecoder(bytes.NewReader(v.Pack()))
	d.UseNumber()
	var members map[string]any
	if err := d.Decode(&members); err != nil {
		return nil, &problem{1, "not valid JSON: " + err.Error()}
	}
	return members, nil
}

// findJSONC walks to the value at the path. If it does not exist, v is the innermost object
// that does, and missing are the names that it lacks.
func findJSONC(doc []byte, root *hujson.Value, path []string) (v *hujson.Value, missing []string, err error) {
	v = root
	for i, name := range path {
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil, nil, at(doc, v.StartOffset, "the value of %q is not a JSON object", path[i-1])
		}
		k, err := indexOf(doc, o, name)
		if err != nil {
			return nil, nil, err
		}
		if k < 0 {
			return v, path[i:], nil
		}
		v = &o.Members[k].Value
	}
	return v, nil, nil
}

// indexOf is the index of a member; -1 if there is none.
func indexOf(doc []byte, o *hujson.Object, name string) (int, error) {
	found := -1
	for i := range o.Members {
		literal, _ := o.Members[i].Name.Value.(hujson.Literal)
		if literal.String() != name {
			continue
		}
		if found >= 0 {
			return -1, at(doc, o.Members[i].Name.StartOffset, "a second member named %q", name)
		}
		found = i
	}
	return found, nil
}

func (jsonc) set(doc []byte, path []string, value any) ([]byte, error) {
	switch {
	case len(bytes.TrimSpace(doc)) == 0:
		doc = append([]byte("{}"), doc...)
		if len(doc) == 2 {
			doc = append(doc, '\n')
		}
	case isBare(doc):
		newline := newlineOf(doc)
		if doc[len(doc)-1] != '\n' {
			doc = append(slices.Clip(doc), newline...)
		}
		doc = append(slices.Clip(doc), "{}"+newline...)
	}
	root, err := parseJSONC(doc)
	if err != nil {
		return nil, err
	}
	v, missing, err := findJSONC(doc, root, path)
	if err != nil {
		return nil, err
	}
	if len(missing) == 0 {
		l := layoutAt(doc, root, v)
		return splice(doc, cut{v.StartOffset, v.EndOffset, l.render(value, l.outer)}), nil
	}
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, at(doc, v.StartOffset, "the value of %q is not a JSON object", path[len(path)-len(missing)-1])
	}
	for i := len(missing) - 1; i > 0; i-- {
		value = fields{{missing[i], value}}
	}
	return insertJSONC(doc, root, v, o, missing[0], value), nil
}

// insertJSONC adds a member after the last one and the comments on its line.
func insertJSONC(doc []byte, root, v *hujson.Value, o *hujson.Object, name string, value any) []byte {
	l := layoutOf(doc, root, v, o)
	brace := v.EndOffset - 1
	comments := lineComments(o.AfterExtra)
	place := brace - len(o.AfterExtra) + comments
	if isBlank(o.AfterExtra) && len(o.Members) == 0 {
		place = brace
	}
	text := l.before(len(o.Members) > 0, comments > 0) + string(hujson.String(name)) + ": " + l.render(value, l.inner)
	if trailingComma(o) {
		text += ","
	}
	if !l.compact && !bytes.Contains(doc[place:brace], []byte("\n")) {
		text += l.newline + l.outer
	}
	if len(o.Members) == 0 || trailingComma(o) {
		return splice(doc, cut{place, place, text})
	}
	end := o.Members[len(o.Members)-1].Value.EndOffset
	return splice(doc, cut{end, end, ","}, cut{place, place, text})
}

// isBlank reports whether a gap is at most blanks of one line.
func isBlank(gap []byte) bool { return len(bytes.Trim(gap, " \t")) == 0 }

// trailingComma reports whether a comma follows the last member.
func trailingComma(o *hujson.Object) bool {
	n := len(o.Members)
	return n > 0 && o.Members[n-1].Value.AfterExtra != nil
}

// lineComments is the length of the comments at the start of a gap that stand on the line
// of what precedes the gap.
func lineComments(gap []byte) int {
	end := 0
	for i := 0; i < len(gap); {
		switch {
		case gap[i] == ' ' || gap[i] == '\t':
			i++
		case bytes.HasPrefix(gap[i:], []byte("//")):
			line := bytes.TrimRight(gap[i:i+bytes.IndexByte(gap[i:], '\n')], "\r")
			return i + len(line)
		case bytes.HasPrefix(gap[i:], []byte("/*")):
			i += 2 + bytes.Index(gap[i+2:], []byte("*/")) + 2
			end = i
		default:
			return end
		}
	}
	return end
}

func (jsonc) remove(doc []byte, path []string) ([]byte, error) {
	root, err := parseJSONC(doc)
	if err != nil {
		return nil, err
	}
	last := len(path) - 1
	v, missing, err := findJSONC(doc, root, path[:last])
	if err != nil {
		return nil, err
	}
	o, ok := v.Value.(*hujson.Object)
	if !ok || len(missing) > 0 {
		return nil, errors.New("no member to remove")
	}
	i, err := indexOf(doc, o, path[last])
	if err != nil {
		return nil, err
	}
	if i < 0 {
		return nil, errors.New("no member to remove")
	}
	return splice(doc, removal(doc, v, o, i)...), nil
}

// comments are the comments before a member, without the white space behind them. The space
// at the end of a comment's line is the comment's.
func comments(before []byte) []byte {
	text := bytes.TrimRight(before, " \t\r\n")
	if len(text) == 0 {
		return nil
	}
	if eol := bytes.IndexByte(before[len(text):], '\n'); eol > 0 {
		return bytes.TrimRight(before[:len(text)+eol], "\r")
	}
	return text
}

// removal cuts a member out of an object, with the comma that is one too many then.
func removal(doc []byte, v *hujson.Value, o *hujson.Object, i int) []cut {
	m := &o.Members[i]
	start, end := m.Name.StartOffset, m.Value.EndOffset
	space := comments(m.Name.BeforeExtra)
	if len(o.Members) == 1 && len(space)+len(bytes.TrimSpace(o.AfterExtra)) == 0 {
		return []cut{{v.StartOffset + 1, v.EndOffset - 1, ""}}
	}
	start -= len(m.Name.BeforeExtra) - len(space)
	if len(space) > 0 && !startsLine(doc[end:]) {
		// What follows must not become a part of the comment before.
		start += 1 + bytes.IndexByte(doc[start:m.Name.StartOffset], '\n')
	}
	last := i == len(o.Members)-1
	switch {
	case !last || trailingComma(o):
		comma := end + len(m.Value.AfterExtra)
		return []cut{{start, end, ""}, {comma, comma + 1, ""}}
	case i > 0:
		before := &o.Members[i-1].Value
		comma := before.EndOffset + len(before.AfterExtra)
		return []cut{{comma, comma + 1, ""}, {start, end, ""}}
	}
	return []cut{{start, end, ""}}
}

// startsLine reports whether nothing but a comma and blanks precede the end of the line.
func startsLine(rest []byte) bool {
	rest = bytes.TrimLeft(rest, ", \t\r")
	return len(rest) == 0 || rest[0] == '\n'
}

func (jsonc) graft(doc, from []byte, path []string) ([]byte, error) {
	root, err := parseJSONC(from)
	if err != nil {
		return nil, err
	}
	source, missing, err := findJSONC(from, root, path)
	if err != nil || len(missing) > 0 {
		return nil, errors.Join(err, errors.New("nothing to graft"))
	}
	target, err := parseJSONC(doc)
	if err != nil {
		return nil, err
	}
	v, missing, err := findJSONC(doc, target, path)
	if err != nil || len(missing) > 0 {
		return nil, errors.Join(err, errors.New("no place to graft"))
	}
	return splice(doc, cut{v.StartOffset, v.EndOffset, string(from[source.StartOffset:source.EndOffset])}), nil
}

// cut replaces the bytes from at up to until.
type cut struct {
	at, until int
	text      string
}

// splice makes cuts that are in order and do not overlap.
func splice(doc []byte, cuts ...cut) []byte {
	var b strings.Builder
	end := 0
	for _, c := range cuts {
		b.Write(doc[end:c.at])
		b.WriteString(c.text)
		end = c.until
	}
	b.Write(doc[end:])
	return []byte(b.String())
}
