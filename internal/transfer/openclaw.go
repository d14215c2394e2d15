package transfer

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// openclawFormat reads the transcripts of OpenClaw: files of JSON lines, or its database.
func openclawFormat() format {
	return format{
		name: "openclaw",
		fits: func(s *sample) string {
			switch {
			case s.sqlite() && s.says("transcript_events"):
				return `has a table "transcript_events"`
			case s.kind == "session" && !s.list:
				return `begins with a line of the type "session"`
			case s.base() == "sessions.json" && slices.ContainsFunc(s.list0(), func(n string) bool { return strings.HasSuffix(n, ".sessionId") }):
				return "lists keys with their sessions"
			}
			return ""
		},
		read: readOpenClaw,
	}
}

// list0 are all names of the sample.
func (s *sample) list0() []string {
	var names []string
	for name := range s.names {
		names = append(names, name)
	}
	return names
}

func readOpenClaw(ctx context.Context, in *reading, files []*File) error {
	o := &openclaw{reading: in, keys: make(map[string]string), begun: make(map[string][]string)}
	for _, f := range files {
		if path.Base(f.Name) == "sessions.json" {
			if err := o.index(f); err != nil && !in.report.blame(f.Name, err) {
				return err
			}
		}
	}
	return eachFile(ctx, in, slices.SortedStableFunc(slices.Values(files), byReset), func(f *File) error {
		base := path.Base(strings.ReplaceAll(f.Name, ":", "/"))
		_, archived := clawName(base)
		switch {
		case base == "sessions.json", strings.HasSuffix(base, "-wal"):
			return nil
		case strings.HasPrefix(archived, ".deleted."):
			in.report.omit("deleted transcript", f.Name)
			return nil
		case strings.HasPrefix(archived, ".bak"): // from before a repair; the repaired one is there, too
			in.report.omit("copy of a transcript from before a repair", f.Name)
			return nil
		case sqliteFile([]*File{f}):
			return o.database(ctx, f, files)
		}
		return o.transcript(f, base)
	})
}

// clawName takes the name of a transcript apart: what stands before its ending, and what OpenClaw adds behind
// that when it puts the transcript away, such as ".reset.<time>". It may pack the file then.
func clawName(name string) (stem, archived string) {
	stem, archived, _ = strings.Cut(strings.TrimSuffix(name, ".zst"), ".jsonl")
	return stem, archived
}

// byReset orders the files of a session: first those that were reset, in the order of the resets, and then the
// one that goes on.
func byReset(a, b *File) int {
	first, reset := clawName(a.Name)
	second, later := clawName(b.Name)
	switch {
	case first != second:
		return strings.Compare(first, second)
	case (reset == "") != (later == ""):
		return strings.Compare(later, reset)
	}
	return strings.Compare(reset, later)
}

// openclaw reads transcripts of OpenClaw.
type openclaw struct {
	*reading
	keys map[string]string // by session id
	log  *bulk             // the events of the transcript that is being read
	// begun are the first messages of the sessions that were read from files, by session id.
	begun map[string][]string
}

// index reads which key leads to which session.
func (o *openclaw) index(f *File) error {
	found := make(map[string]string)
	err := o.eachValue(f, whole(func(raw []byte) error {
		var keys map[string]struct {
			ID string `json:"sessionId"`
		}
		if err := o.decode(raw, &keys, f.Name); err != nil {
			return err
		}
		for key, s := range keys {
			found[s.ID] = key
		}
		return nil
	}))
	if !spoilt(err) {
		maps.Copy(o.keys, found)
	}
	return err
}

// transcript reads a file of JSON lines.
func (o *openclaw) transcript(f *File, base string) error {
	stem, archived := clawName(base)
	l := o.newLog(f, stem)
	err := o.eachLine(f, func(n int, line []byte) error {
		var e clawEvent
		if !o.parsed(line, &e, "line", fmt.Sprintf("%s, line %d", f.Name, n)) {
			l.skip()
			return nil
		}
		return l.add(e, line)
	})
	if err != nil {
		return err
	}
	key := o.keys[l.id]
	o.name(l, archived)
	return o.finish(f, l, key)
}

// name gives a transcript its id. It is that of the session, whatever the file is called: a reset renames the
// file. Two files of one session with the same first message are copies. With different ones, the session
// was begun again: the oldest has the session's id, and the others are told apart by their first message.
func (o *openclaw) name(l *clawLog, archived string) {
	id := l.id
	if archived != "" { // so earlier versions named it
		l.former = append(l.former, id+archived)
	}
	if l.first == "" {
		return
	}
	if l.firstEarlier != l.first {
		l.former = append(l.former, id+"~"+l.firstEarlier)
	}
	apart := id + "~" + l.first
	if !slices.Contains(o.begun[id], l.first) {
		o.begun[id] = append(o.begun[id], l.first)
	}
	if o.begun[id][0] == l.first { // an earlier import may have had an older one
		l.former = append(l.former, apart)
		return
	}
	l.id = apart
}

// finish takes a transcript that was read.
func (o *openclaw) finish(f *File, l *clawLog, key string) error {
	where := f.Name + ", conversation " + l.id
	if scheduled(key) && !o.opt.All {
		o.report.omit("scheduled conversation", where)
		return nil
	}
	t := &clawTalk{
		openclaw: o, where: where, shown: l.shown(),
		out: &Conversation{System: "openclaw", ID: l.id, Former: l.former, Key: key, Started: l.at, File: f, Damaged: l.damaged},
	}
	err := l.events.each(func(i int, e *clawEvent) error {
		e.ID, e.Timestamp.Time = l.marks[i].id, l.marks[i].at
		t.event(e)
		return o.say(t.out)
	})
	if err != nil {
		return err
	}
	return o.take(t.out)
}

// scheduled reports whether a key is that of a schedule or of a hook.
func scheduled(key string) bool {
	parts := strings.Split(key, ":")
	return slices.Contains(parts, "cron") || slices.Contains(parts, "hook")
}

// other counts an event that is no message.
func (o *openclaw) other(kind, where string) {
	switch kind {
	case "compaction", "branch_summary", "custom", "custom_message", "model_change", "thinking_level_change", "label", "session_info":
		o.report.omit("event "+kind, where)
	default:
		o.report.unknown("event "+kind, where)
	}
}

// message adds a message.
func (o *openclaw) message(out *Conversation, e *clawEvent, where string) {
	m := &e.Message
	at := m.Timestamp.Time
	if at.IsZero() {
		at = e.Timestamp.Time
	}
	said := Message{ID: e.ID, Role: m.Role, At: at, Model: m.Model}
	switch m.Role {
	case roleUser, roleAssistant:
	case "toolResult":
		said.Role, said.CallID, said.Name = roleTool, m.CallID, m.ToolName
	default:
		o.report.unknown("role "+m.Role, where)
		return
	}
	var parts []clawPart
	if jsontext.Value(m.Content).Kind() == '[' {
		_ = decode(m.Content, &parts, func(v odd) { o.odd(v, where) }) // the event is JSON
	} else {
		said.Text = o.texts(m.Content, where)
	}
	for _, p := range parts {
		switch p.Type {
		case "text":
			said.Text = joinNonEmpty(said.Text, p.Text)
		case "thinking":
			o.report.omit(thinking, where)
		case "toolCall":
			said.Calls = append(said.Calls, rawCall(p.ID, p.Name, p.Arguments))
		case "image":
			said.Text = joinNonEmpty(said.Text, picture)
		default:
			o.report.unknown("part "+p.Type, where)
		}
	}
	out.Messages = append(out.Messages, said)
}

// unwrap takes off what OpenClaw wrote around the words of a message. A message without words of anyone is dropped,
// and counted.
func (o *openclaw) unwrap(m *Message, where string) {
	whole, machine := strings.TrimSpace(m.Text), ""
	switch m.Role {
	case roleUser:
		m.Text, m.Name, machine = clawWords(whole, m.At)
	case roleAssistant:
		m.Text, machine = clawAnswer(whole)
	}
	if m.Text == whole {
		return
	}
	m.Earlier = whole
	if m.Text == "" && len(m.Calls) == 0 {
		m.Dropped = true
		o.report.omit(cmp.Or(machine, "message without text"), where)
	}
}
