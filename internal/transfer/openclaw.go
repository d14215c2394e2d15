package transfer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

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

// clawLog is a transcript while it is read: its events, and their tree.
type clawLog struct {
	tree

	id     string
	former []string // other ids that an import may have stored the transcript under
	at     time.Time
	first  string // stands for the first message
	events shelf[clawEvent]
	marks  []clawMark
	leaf   string // the last event of the conversation
	linked bool
}

// clawMark is what an event lacks in itself.
type clawMark struct {
	id string
	at time.Time
}

// newLog returns a transcript without events.
func (o *openclaw) newLog(f *File, id string) *clawLog {
	if o.log == nil {
		o.log = o.newBulk()
	}
	o.log.empty()
	l := &clawLog{id: id}
	l.events.open(o.reading, o.log, "", f.Name)
	return l
}

// add adds an event, which was read from raw.
func (l *clawLog) add(e clawEvent, raw []byte) error {
	if e.Type == "session" {
		l.id, l.at = cmp.Or(e.ID, l.id), e.Timestamp.Time
		return nil
	}
	i := l.events.len()
	e.ID = cmp.Or(e.ID, fmt.Sprintf("#%d", i))
	n := node{id: e.ID, said: e.Timestamp.Time, item: i}
	if e.Parent != nil {
		n.parent, l.linked = *e.Parent, true
	}
	l.tree.add(n)
	l.marks = append(l.marks, clawMark{e.ID, e.Timestamp.Time})
	if e.Type == "message" && l.first == "" {
		l.first = hashID(e.ID + "\x00" + e.Message.Role + "\x00" + string(e.Message.Content))[:8]
	}
	// Marks that stand apart from the conversation, without a parent, are not its end.
	if i == 0 || e.Parent != nil || e.Type == "message" {
		l.leaf = e.ID
	}
	return l.events.keep(&e, raw)
}

// transcript reads a file of JSON lines.
func (o *openclaw) transcript(f *File, base string) error {
	stem, archived := clawName(base)
	l := o.newLog(f, stem)
	err := o.eachLine(f, func(n int, line []byte) error {
		var e clawEvent
		if !o.parsed(line, &e, "line", fmt.Sprintf("%s, line %d", f.Name, n)) {
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
			l = o.newLog(f, id)
		}
		var e clawEvent
		raw := []byte(textOf(row["event_json"]))
		if !o.parsed(raw, &e, "event", f.Name+", session "+id) {
			return nil
		}
		if e.Timestamp.IsZero() {
			e.Timestamp.Time = parseStamp(textOf(row["created_at"]))
		}
		if e.Type == "session" {
			e.ID = id
		}
		return l.add(e, raw)
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
	t := &clawTalk{
		openclaw: o, where: where, shown: l.shown(),
		out: &Conversation{System: "openclaw", ID: l.id, Former: l.former, Key: key, Started: l.at, File: f},
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

// clawTalk makes a conversation of events.
type clawTalk struct {
	*openclaw
	out   *Conversation
	where string
	shown map[string]bool
	beat  bool // the event belongs to a heartbeat
}

// event adds an event, or counts why it is left out.
func (t *clawTalk) event(e *clawEvent) {
	switch {
	case !t.shown[e.ID]:
		t.report.omit("message of another branch", t.where)
		return
	case e.Type != "message":
		t.other(e.Type, t.where)
		return
	case e.Message.Role == roleUser:
		t.beat = !t.opt.All && strings.HasPrefix(strings.TrimSpace(texts(e.Message.Content)), "Read HEARTBEAT.md")
	}
	if t.beat {
		t.report.omit("heartbeat", t.where)
		return
	}
	t.message(t.out, e, t.where)
}

// scheduled reports whether a key is that of a schedule or of a hook.
func scheduled(key string) bool {
	parts := strings.Split(key, ":")
	return slices.Contains(parts, "cron") || slices.Contains(parts, "hook")
}

// shown are the events of the branch of the last event; all if they are not linked.
func (l *clawLog) shown() map[string]bool {
	nodes := l.nodes
	if l.linked {
		nodes = l.branch(l.leaf)
	}
	out := make(map[string]bool, len(nodes))
	for _, n := range nodes {
		out[n.id] = true
	}
	return out
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
