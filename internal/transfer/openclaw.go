package transfer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

// openclawFormat reads the transcripts of OpenClaw: files of JSON lines, or its database.
func openclawFormat() format {
	return format{
		name: "openclaw",
		fits: func(s *sample) string {
			switch {
			case s.sqlite() && bytes.Contains(s.head, []byte("transcript_events")):
				return `has a table "transcript_events"`
			case s.base() == "openclaw-agent.sqlite-wal":
				return "is the log of OpenClaw's database"
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
	o := &openclaw{reading: in, keys: make(map[string]string)}
	for _, f := range files {
		if path.Base(f.Name) == "sessions.json" {
			if err := o.index(f); err != nil && !in.report.blame(f.Name, err) {
				return err
			}
		}
	}
	return eachFile(ctx, in, files, func(f *File) error {
		base := path.Base(strings.ReplaceAll(f.Name, ":", "/"))
		switch {
		case base == "sessions.json", strings.HasSuffix(base, "-wal"):
			return nil
		case strings.Contains(base, ".deleted"):
			in.report.omit("deleted transcript", f.Name)
			return nil
		case sqliteFile([]*File{f}):
			return o.database(ctx, f, files)
		}
		return o.transcript(f, base)
	})
}

// openclaw reads transcripts of OpenClaw.
type openclaw struct {
	*reading
	keys map[string]string // by session id
}

// index reads which key leads to which session.
func (o *openclaw) index(f *File) error {
	found := make(map[string]string)
	err := o.eachValue(f, func(raw []byte) error {
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
	})
	if !spoilt(err) {
		maps.Copy(o.keys, found)
	}
	return err
}

type clawEvent struct {
	Type      string      `json:"type"`
	ID        string      `json:"id"`
	Parent    *string     `json:"parentId"`
	Timestamp stamp       `json:"timestamp"`
	Message   clawMessage `json:"message"`
}

type clawMessage struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Timestamp stamp           `json:"timestamp"`
	Model     string          `json:"model"`
	CallID    string          `json:"toolCallId"`
	ToolName  string          `json:"toolName"`
	IsError   bool            `json:"isError"`
}

type clawPart struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// clawLog is a transcript while it is read.
type clawLog struct {
	id     string
	at     time.Time
	events []clawEvent
	nodes  map[string]*node
	linked bool
}

func newClawLog(id string) *clawLog { return &clawLog{id: id, nodes: make(map[string]*node)} }

// add adds an event.
func (l *clawLog) add(e clawEvent) {
	if e.Type == "session" {
		l.id, l.at = cmp.Or(e.ID, l.id), e.Timestamp.Time
		return
	}
	e.ID = cmp.Or(e.ID, fmt.Sprintf("#%d", len(l.events)))
	n := &node{at: e.Timestamp.Time}
	if e.Parent != nil {
		n.parent, l.linked = *e.Parent, true
	}
	l.nodes[e.ID] = n
	l.events = append(l.events, e)
}

// transcript reads a file of JSON lines.
func (o *openclaw) transcript(f *File, base string) error {
	// A transcript that was reset is packed later: it stays the same conversation.
	stem, reset, _ := strings.Cut(strings.TrimSuffix(base, ".zst"), ".jsonl")
	l := newClawLog(stem)
	err := o.eachLine(f, func(n int, line []byte) error {
		var e clawEvent
		if !parsed(line, &e) {
			o.report.unknown("line that is no JSON", fmt.Sprintf("%s, line %d", f.Name, n))
			return nil
		}
		l.add(e)
		return nil
	})
	if err != nil {
		return err
	}
	key := o.keys[l.id]
	l.id += reset // ".reset.<time>": what the session was before
	return o.finish(f, l, key)
}

// database reads the transcripts of a database.
func (o *openclaw) database(ctx context.Context, f *File, files []*File) error {
	db, err := openCopy(ctx, f, files)
	if err != nil {
		return err
	}
	defer db.close()
	for _, table := range []string{"sessions", "session_windows"} {
		if err := o.tableKeys(ctx, db, table); err != nil {
			return err
		}
	}
	var l *clawLog
	flush := func() error {
		if l == nil {
			return nil
		}
		return o.finish(f, l, o.keys[l.id])
	}
	err = db.each(ctx, `SELECT session_id, seq, event_json, created_at FROM transcript_events ORDER BY session_id, seq`, func(row map[string]any) error {
		id := textOf(row["session_id"])
		if l == nil || l.id != id {
			if err := flush(); err != nil {
				return err
			}
			l = newClawLog(id)
		}
		var e clawEvent
		if !parsed([]byte(textOf(row["event_json"])), &e) {
			o.report.unknown("event that is no JSON", f.Name+", session "+id)
			return nil
		}
		if e.Timestamp.IsZero() {
			e.Timestamp.Time = parseStamp(textOf(row["created_at"]))
		}
		if e.Type == "session" {
			e.ID = id
		}
		l.add(e)
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// tableKeys reads which key leads to which session from a table that may not be there.
func (o *openclaw) tableKeys(ctx context.Context, db *database, table string) error {
	names, err := db.columns(ctx, table)
	if err != nil {
		return err
	}
	key, id := firstOf(names, "session_key", "key"), firstOf(names, "session_id", "current_session_id", "id")
	if key == "" || id == "" {
		return nil
	}
	return db.each(ctx, `SELECT `+key+` AS k, `+id+` AS id FROM `+table, func(row map[string]any) error { // names from the list above
		o.keys[textOf(row["id"])] = textOf(row["k"])
		return nil
	})
}

// firstOf is the first of some names that a list has; "" for none.
func firstOf(list []string, names ...string) string {
	for _, name := range names {
		if slices.Contains(list, name) {
			return name
		}
	}
	return ""
}

// finish takes a transcript that was read.
func (o *openclaw) finish(f *File, l *clawLog, key string) error {
	where := f.Name + ", conversation " + l.id
	if scheduled(key) && !o.opt.All {
		o.report.omit("scheduled conversation", where)
		return nil
	}
	out := &Conversation{System: "openclaw", ID: l.id, Key: key, Started: l.at, File: f}
	shown := l.shown()
	beat := false
	for i := range l.events {
		e := &l.events[i]
		switch {
		case !shown[e.ID]:
			o.report.omit("message of another branch", where)
			continue
		case e.Type != "message":
			o.other(e.Type, where)
			continue
		case e.Message.Role == roleUser:
			beat = !o.opt.All && strings.HasPrefix(strings.TrimSpace(texts(e.Message.Content)), "Read HEARTBEAT.md")
		}
		if beat {
			o.report.omit("heartbeat", where)
			continue
		}
		o.message(out, e, where)
	}
	return o.take(out)
}

// scheduled reports whether a key is that of a schedule or of a hook.
func scheduled(key string) bool {
	parts := strings.Split(key, ":")
	return slices.Contains(parts, "cron") || slices.Contains(parts, "hook")
}

// shown are the events of the branch of the last event; all if they are not linked.
func (l *clawLog) shown() map[string]bool {
	out := make(map[string]bool)
	if !l.linked {
		for id := range l.nodes {
			out[id] = true
		}
		return out
	}
	for _, id := range branch(l.nodes, l.leaf()) {
		out[id] = true
	}
	return out
}

// leaf is the last event of the conversation. Marks that stand apart from it, without a parent,
// do not count.
func (l *clawLog) leaf() string {
	for i := len(l.events) - 1; i > 0; i-- {
		if e := &l.events[i]; e.Parent != nil || e.Type == "message" {
			return e.ID
		}
	}
	return l.events[0].ID
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
	if json.Unmarshal(m.Content, &parts) != nil {
		said.Text = texts(m.Content)
	}
	for _, p := range parts {
		switch p.Type {
		case "text":
			said.Text = joinNonEmpty(said.Text, p.Text)
		case "thinking":
			o.report.omit("thinking", where)
		case "toolCall":
			said.Calls = append(said.Calls, Call{ID: p.ID, Name: p.Name, Arguments: string(p.Arguments)})
		case "image":
			said.Text = joinNonEmpty(said.Text, picture)
		default:
			o.report.unknown("part "+p.Type, where)
		}
	}
	out.Messages = append(out.Messages, said)
}
