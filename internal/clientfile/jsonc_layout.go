package clientfile

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// layout is how the text around a value is laid out, which new text follows.
type layout struct {
	newline      string
	unit         string // one step of indentation
	outer, inner string // indentation of the object's line, and of its members
	compact      bool   // everything stands on one line
}

// layoutOf is the layout of an object that gets a member.
func layoutOf(doc []byte, root, v *hujson.Value, o *hujson.Object) layout {
	l := layout{newline: newlineOf(doc), unit: unitOf(root), outer: indentAt(doc, v.StartOffset)}
	l.inner = l.outer + l.unit
	if len(o.Members) == 0 {
		l.compact = v != root && !bytes.Contains(bytes.TrimSpace(doc), []byte("\n"))
		return l
	}
	before := o.Members[0].Name.BeforeExtra
	if !bytes.Contains(before, []byte("\n")) {
		l.compact = true
		return l
	}
	l.inner = indentAt(doc, o.Members[0].Name.StartOffset)
	return l
}

// before separates a new member from what precedes it: a member, or a comment that may
// end with its line.
func (l layout) before(member, comment bool) string {
	switch {
	case !l.compact || comment:
		return l.newline + l.inner
	case member:
		return " "
	}
	return ""
}

// layoutAt is the layout of a value that is replaced.
func layoutAt(doc []byte, root, v *hujson.Value) layout {
	l := layout{newline: newlineOf(doc), unit: unitOf(root), outer: indentAt(doc, v.StartOffset)}
	l.compact = !bytes.Contains(doc[v.StartOffset:v.EndOffset], []byte("\n"))
	return l
}

// newlineOf is the newline of a document's first line.
func newlineOf(doc []byte) string {
	if i := bytes.IndexByte(doc, '\n'); i > 0 && doc[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// unitOf is the indentation of a document's first member.
func unitOf(root *hujson.Value) string {
	o, _ := root.Value.(*hujson.Object)
	if o != nil && len(o.Members) > 0 {
		before := o.Members[0].Name.BeforeExtra
		if i := bytes.LastIndexByte(before, '\n'); i >= 0 && i+1 < len(before) && len(bytes.Trim(before[i+1:], " \t")) == 0 {
			return string(before[i+1:])
		}
	}
	return "  "
}

// indentAt is the white space at the start of the line of an offset.
func indentAt(doc []byte, offset int) string {
	line := doc[bytes.LastIndexByte(doc[:offset], '\n')+1 : offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// render is a value as JSON. Lists stand on one line.
func (l layout) render(value any, indent string) string {
	switch v := value.(type) {
	case bool:
		return strconv.FormatBool(v)
	case string:
		return string(hujson.String(v))
	case []string:
		var list []string
		for _, one := range v {
			list = append(list, string(hujson.String(one)))
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	f, _ := value.(fields)
	start, between, end := l.newline+indent+l.unit, ","+l.newline+indent+l.unit, l.newline+indent
	if l.compact {
		start, between, end = "", ", ", ""
	}
	var members []string
	for _, one := range f {
		members = append(members, string(hujson.String(one.name))+": "+l.render(one.value, indent+l.unit))
	}
	return "{" + start + strings.Join(members, between) + end + "}"
}
