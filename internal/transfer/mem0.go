package transfer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// mem0Format reads the memories of Mem0: a list, a page of its API, or its Markdown export.
// They are statements that a model wrote, and no one's words.
func mem0Format() format {
	return format{
		name: "mem0",
		fits: func(s *sample) string {
			switch {
			case s.has("memory", "id"), s.has("results.memory"):
				return `has objects with an id and a "memory"`
			case strings.HasPrefix(s.base(), "mem0-export-") && strings.HasSuffix(s.base(), ".md"):
				return "is named as a Markdown export of Mem0"
			}
			return ""
		},
		read: readMem0,
	}
}

type mem0Memory struct {
	ID        word   `json:"id"`
	Memory    string `json:"memory"`
	CreatedAt stamp  `json:"created_at"`
	UpdatedAt stamp  `json:"updated_at"`
	UserID    word   `json:"user_id"`
	AgentID   word   `json:"agent_id"`
	file      *File
}

func readMem0(ctx context.Context, in *reading, files []*File) error {
	in.entire = true // a page has more than its list
	byUser := make(map[string][]mem0Memory)
	err := eachFile(ctx, in, files, func(f *File) error {
		found, err := in.mem0File(f)
		if spoilt(err) {
			return err
		}
		for _, m := range found {
			user := string(cmp.Or(m.UserID, m.AgentID))
			byUser[user] = append(byUser[user], m)
		}
		return err
	})
	if err != nil {
		return err
	}
	return in.statements("mem0", "", byUser)
}

// mem0File are the memories of a file.
func (in *reading) mem0File(f *File) (found []mem0Memory, err error) {
	keep := func(m *mem0Memory) {
		m.file = f
		found = append(found, *m)
	}
	if strings.HasSuffix(strings.ToLower(f.Name), ".md") {
		err = in.mem0Markdown(f, keep)
		return found, err
	}
	err = in.eachValue(f, whole(func(raw []byte) error { return in.mem0Value(f, raw, keep) }))
	return found, err
}

// mem0Value reads a memory, or a page of them.
func (in *reading) mem0Value(f *File, raw []byte, keep func(*mem0Memory)) error {
	var page struct {
		mem0Memory
		Results   []mem0Memory      `json:"results"`
		Relations []json.RawMessage `json:"relations"`
	}
	if err := in.decode(raw, &page, f.Name); err != nil {
		return err
	}
	for range page.Relations { // they have neither a user nor a time, and tell what memories tell
		in.report.omit("relation of the graph", f.Name)
	}
	for _, m := range append(page.Results, page.mem0Memory) {
		switch {
		case m.Memory != "":
			keep(&m)
		case m.ID != "":
			in.report.unknown("a memory without text", f.Name)
		}
	}
	return nil
}

// mem0Markdown reads a Markdown export: each item of a list is a memory, dated by the last
// day that its headings or it name. A line right behind an item goes on with it. Other texts are counted.
func (in *reading) mem0Markdown(f *File, keep func(*mem0Memory)) error {
	l := &mem0List{
		keep: keep, day: regexp.MustCompile(`\d{4}-\d{2}-\d{2}`), item: regexp.MustCompile(`^(?:[-*+]|\d+[.)])\s+(.*)$`),
		layout: regexp.MustCompile(`^(?:#.*|[-*_=\s]+)$`),
	}
	err := in.eachLine(f, func(n int, line []byte) error {
		if !l.line(n, string(line)) {
			in.report.unknown("a line that is no item of a list", fmt.Sprintf("%s, line %d", f.Name, n))
		}
		return nil
	})
	l.end()
	return err
}

// mem0List is a Markdown export while it is read.
type mem0List struct {
	keep func(*mem0Memory)
	// day finds a day, item is an item of a list, and layout is a line without words of its own: a heading, or a rule.
	day, item, layout *regexp.Regexp

	at   string // the last day that a line between the items names
	text string // the item that is being read; "" for none
	last int    // the line in which it ends
}

// line reads the n-th line. It reports whether the line is understood.
func (l *mem0List) line(n int, line string) bool {
	found := l.item.FindStringSubmatch(line)
	switch {
	case l.layout.MatchString(line):
		l.between(line)
	case found != nil:
		l.end()
		l.text, l.last = found[1], n
	case l.text != "" && n == l.last+1:
		l.text, l.last = l.text+" "+line, n
	default:
		l.between(line)
		return false
	}
	return true
}

// between notes a line that stands between the items.
func (l *mem0List) between(line string) {
	l.end()
	l.at = cmp.Or(l.day.FindString(line), l.at)
}

// end keeps the item that was read.
func (l *mem0List) end() {
	if l.text != "" {
		at := parseStamp(cmp.Or(l.day.FindString(l.text), l.at))
		l.keep(&mem0Memory{ID: word(hashID(l.text)), Memory: l.text, CreatedAt: stamp{at}})
	}
	l.text = ""
}

// byDate orders memories by their dates. Those without a date are last.
func (in *reading) byDate(a, b mem0Memory) int {
	first, second := in.dated(&a), in.dated(&b)
	switch {
	case first.IsZero() == second.IsZero():
		return first.Compare(second)
	case first.IsZero():
		return 1
	}
	return -1
}

// dated is when a memory got the text that it has: when it was changed last, if it was changed.
func (in *reading) dated(m *mem0Memory) time.Time {
	made, changed := in.within(m.CreatedAt.Time), in.within(m.UpdatedAt.Time)
	if changed.After(made) {
		return changed
	}
	return made
}

// newestOfEach leaves one memory of each id: the one that was changed last, and of several such ones
// the one that was read last. Old and new exports in one directory have most memories twice.
func (in *reading) newestOfEach(list []mem0Memory) []mem0Memory {
	var out []mem0Memory
	at := make(map[string]int)
	for _, m := range list {
		id := m.id()
		i, twice := at[id]
		if !twice {
			at[id] = len(out)
			out = append(out, m)
			continue
		}
		in.report.omit("older or equal copy of a memory", m.file.Name)
		if !m.changed().Before(out[i].changed()) {
			out[i] = m
		}
	}
	return out
}

// id is the memory's id, or one that is made of its text.
func (m *mem0Memory) id() string { return cmp.Or(string(m.ID), hashID(m.Memory)) }

// changed is when the memory was changed last.
func (m *mem0Memory) changed() time.Time {
	if m.UpdatedAt.IsZero() {
		return m.CreatedAt.Time
	}
	return m.UpdatedAt.Time
}

// statements takes the memories of a user as a conversation in which another program speaks. Its id
// is that of the user behind a prefix.
func (in *reading) statements(system, prefix string, byUser map[string][]mem0Memory) error {
	for _, user := range slices.Sorted(maps.Keys(byUser)) {
		list := slices.DeleteFunc(in.newestOfEach(byUser[user]), func(m mem0Memory) bool { return !in.belongs(user, "memory", m.file.Name) })
		if len(list) == 0 {
			continue
		}
		slices.SortStableFunc(list, in.byDate)
		c := &Conversation{
			System: system, ID: prefix + cmp.Or(user, "memories"), Title: "Memories of " + system, File: list[0].file, Adds: true, Memories: true,
		}
		for _, m := range list {
			if at := in.dated(&m); at.After(c.Changed) {
				c.Changed = at
			}
			c.Messages = append(c.Messages, Message{
				ID: m.id(), Role: roleAssistant, Name: system, Text: m.Memory, At: in.dated(&m),
			})
			if err := in.say(c); err != nil {
				return err
			}
		}
		if err := in.take(c); err != nil {
			return err
		}
	}
	return nil
}
