package clientfile

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlFile is TOML. Whole lines are changed, so that all other bytes stay.
type tomlFile struct{}

func (tomlFile) decode(doc []byte) (map[string]any, error) {
	var members map[string]any
	err := toml.Unmarshal(doc, &members)
	if wrong, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ := wrong.Position()
		return nil, &problem{line, "not valid TOML: " + strings.TrimPrefix(wrong.Error(), "toml: ")}
	}
	if err != nil {
		return nil, &problem{1, "not valid TOML: " + err.Error()}
	}
	return members, nil
}

// statement is a table's header, or a key with its value.
type statement struct {
	kind       unstable.Kind
	path       []string // from the root of the document
	table      []string // of a key: the table whose header it stands under; none at the root
	start, end int      // its lines, with the newline
	keyEnd     int      // the end of the key
	valueEnd   int      // the end of the value
}

// statementsOf lists the statements of a valid document.
func statementsOf(doc []byte) ([]statement, error) {
	var (
		p     unstable.Parser
		out   []statement
		table []string
	)
	p.Reset(doc)
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.KeyValue && e.Kind != unstable.Table && e.Kind != unstable.ArrayTable {
			continue
		}
		s := statement{kind: e.Kind}
		start := -1
		for it := e.Key(); it.Next(); {
			raw := it.Node().Raw
			if start < 0 {
				start = int(raw.Offset)
			}
			s.keyEnd = int(raw.Offset + raw.Length)
			s.path = append(s.path, string(it.Node().Data))
		}
		s.valueEnd = s.keyEnd
		if e.Kind == unstable.KeyValue {
			s.table, s.path = table, append(slices.Clone(table), s.path...)
			s.valueEnd = int(e.Raw.Offset + e.Raw.Length)
		} else {
			table = s.path
		}
		s.start = bytes.LastIndexByte(doc[:start], '\n') + 1
		s.end = len(doc)
		if n := bytes.IndexByte(doc[s.valueEnd:], '\n'); n >= 0 {
			s.end = s.valueEnd + n + 1
		}
		out = append(out, s)
	}
	if err := p.Error(); err != nil {
		return nil, &problem{1, "not valid TOML: " + err.Error()}
	}
	return out, nil
}

// below reports whether a path is another one or leads on from it.
func below(path, top []string) bool {
	return len(path) >= len(top) && slices.Equal(path[:len(top)], top)
}

// editable are the statements of a document whose entry at the path consists of whole
// statements, with those of the entry alone as own.
func editable(doc []byte, path []string) (all, own []statement, err error) {
	if _, err := (tomlFile{}).decode(doc); err != nil {
		return nil, nil, err
	}
	if all, err = statementsOf(doc); err != nil {
		return nil, nil, err
	}
	for _, s := range all {
		switch {
		case below(s.path, path):
			own = append(own, s)
		case below(path, s.path) && s.kind == unstable.KeyValue:
			return nil, nil, at(doc, s.start, "%q is written as a value; write it as tables, such as [%s]", strings.Join(s.path, "."), header(path))
		case below(path, s.path) && s.kind == unstable.ArrayTable:
			return nil, nil, at(doc, s.start, "%q is a list of tables", strings.Join(s.path, "."))
		}
	}
	return all, own, nil
}

func (t tomlFile) set(doc []byte, path []string, value any) ([]byte, error) {
	if f, ok := value.(fields); ok {
		return t.setTable(doc, path, f)
	}
	parent := path[:len(path)-1]
	all, own, err := editable(doc, path)
	if err != nil {
		return nil, err
	}
	if len(own) == 1 && own[0].kind == unstable.KeyValue {
		return splice(doc, cut{own[0].keyEnd, own[0].valueEnd, " = " + tomlValue(value)}), nil
	}
	if len(own) > 0 {
		if doc, err = t.remove(doc, path); err != nil {
			return nil, err
		}
		if all, err = statementsOf(doc); err != nil {
			return nil, err
		}
	}
	place := tableEnd(all, parent)
	if place < 0 {
		return t.setTable(doc, parent, fields{{path[len(path)-1], value}})
	}
	return lineAt(doc, place, tomlKey(path[len(path)-1])+" = "+tomlValue(value)), nil
}

// lineAt adds a line behind the one that ends at a place. The text may have its end of line.
func lineAt(doc []byte, place int, text string) []byte {
	newline := newlineOf(doc)
	if place > 0 && doc[place-1] != '\n' {
		text = newline + text
	}
	if !strings.HasSuffix(text, "\n") {
		text += newline
	}
	return splice(doc, cut{place, place, text})
}

// tableEnd is where a table with a header, or the root, gets another key; -1 if there is no
// header.
func tableEnd(all []statement, table []string) int {
	place := -1
	if len(table) == 0 {
		place = 0
	}
	for _, s := range all {
		switch {
		case s.kind == unstable.Table && slices.Equal(s.path, table):
			place = s.end
		case s.kind == unstable.KeyValue && place >= 0 && below(s.path, table):
			place = s.end
		case place >= 0:
			return place
		}
	}
	return place
}

// setTable writes a table in the place of the one that has its name, or at the end.
func (t tomlFile) setTable(doc []byte, path []string, f fields) ([]byte, error) {
	_, own, err := editable(doc, path)
	if err != nil {
		return nil, err
	}
	newline := newlineOf(doc)
	text := section(path, f, newline)
	if len(own) > 0 && own[0].kind == unstable.Table {
		cuts := cutsOf(doc, own)
		cuts[0].text = text
		return splice(doc, cuts...), nil
	}
	doc = splice(doc, cutsOf(doc, own)...)
	if len(doc) > 0 {
		if doc[len(doc)-1] != '\n' {
			text = newline + text
		}
		text = newline + text
	}
	return append(slices.Clip(doc), text...), nil
}

// section is a table with its header. The tables in it follow, so that their keys can be
// changed one by one.
func section(path []string, f fields, newline string) string {
	text, inner := "["+header(path)+"]"+newline, ""
	for _, one := range f {
		if table, ok := one.value.(fields); ok {
			inner += newline + section(append(slices.Clone(path), one.name), table, newline)
			continue
		}
		text += tomlKey(one.name) + " = " + tomlValue(one.value) + newline
	}
	return text + inner
}

// cutsOf takes out the lines of statements, and the empty lines between them.
func cutsOf(doc []byte, list []statement) []cut {
	var cuts []cut
	for _, s := range list {
		if n := len(cuts) - 1; n >= 0 && len(bytes.TrimSpace(doc[cuts[n].until:s.start])) == 0 {
			cuts[n].until = s.end
			continue
		}
		cuts = append(cuts, cut{at: s.start, until: s.end})
	}
	return cuts
}

func (tomlFile) remove(doc []byte, path []string) ([]byte, error) {
	_, own, err := editable(doc, path)
	if err != nil {
		return nil, err
	}
	if len(own) == 0 {
		return nil, errors.New("no lines to remove")
	}
	cuts := cutsOf(doc, own)
	// The empty line that separates a section from the one before goes with it.
	blank := regexp.MustCompile(`\n\r?\n$`).FindIndex(doc[:cuts[0].at])
	if blank != nil && own[0].kind == unstable.Table && endsSection(doc[cuts[len(cuts)-1].until:]) {
		cuts[0].at = blank[0] + 1
	}
	return splice(doc, cuts...), nil
}

// endsSection reports whether nothing or an empty line follows.
func endsSection(rest []byte) bool {
	return len(rest) == 0 || bytes.HasPrefix(rest, []byte("\n")) || bytes.HasPrefix(rest, []byte("\r\n"))
}

func (t tomlFile) graft(doc, from []byte, path []string) ([]byte, error) {
	_, source, err := editable(from, path)
	if err != nil {
		return nil, err
	}
	_, own, err := editable(doc, path)
	if err != nil {
		return nil, err
	}
	if len(source) == 0 || len(own) == 0 {
		return nil, errors.New("nothing to graft, or no place for it")
	}
	var sections []statement // with a header of their own
	var keys []statement     // of an outer table
	for _, s := range source {
		if s.kind == unstable.KeyValue && !below(s.table, path) {
			keys = append(keys, s)
		} else {
			sections = append(sections, s)
		}
	}
	if len(sections) == 0 {
		doc, err = t.remove(doc, path)
	} else {
		cuts := cutsOf(doc, own)
		for _, s := range cutsOf(from, sections) {
			cuts[0].text += string(from[s.at:s.until])
		}
		doc = splice(doc, cuts...)
	}
	for i := 0; i < len(keys) && err == nil; i++ {
		doc, err = insertLine(doc, keys[i].table, string(from[keys[i].start:keys[i].end]))
	}
	return doc, err
}

// insertLine adds a line with a key at the end of a table, which gets a header if it has none.
func insertLine(doc []byte, table []string, line string) ([]byte, error) {
	all, err := statementsOf(doc)
	if err != nil {
		return nil, err
	}
	place := tableEnd(all, table)
	if place < 0 {
		newline := newlineOf(doc)
		place, line = len(doc), newline+"["+header(table)+"]"+newline+line
	}
	return lineAt(doc, place, line), nil
}

// header is a path as it stands between brackets.
func header(path []string) string {
	var words []string
	for _, name := range path {
		words = append(words, tomlKey(name))
	}
	return strings.Join(words, ".")
}

var bareKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func tomlKey(name string) string {
	if bareKey.MatchString(name) {
		return name
	}
	return tomlString(name)
}

// tomlValue is a value on one line; tables have sections of their own.
func tomlValue(value any) string {
	switch v := value.(type) {
	case bool:
		return strconv.FormatBool(v)
	case string:
		return tomlString(v)
	case []string:
		var list []string
		for _, one := range v {
			list = append(list, tomlString(one))
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	return ""
}

// tomlString is a basic string, with its special characters escaped.
func tomlString(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
