package transfer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// hermesFormat reads a home of Hermes Agent: state.db, MEMORY.md, USER.md and transcripts.
func hermesFormat() format {
	return format{
		name: "hermes",
		fits: func(s *sample) string {
			switch {
			case s.sqlite() && s.stateDB():
				return "is a database with sessions and messages"
			case s.notes():
				return "has the notes of an agent"
			case s.agentTranscript():
				return "has a message a line"
			}
			return ""
		},
		read: readHermes,
	}
}

// stateDB reports whether a database has the tables of Hermes Agent.
func (s *sample) stateDB() bool {
	return s.says("sessions", "parent_session_id", "tool_call_id")
}

// notes reports whether a file has the notes of an agent.
func (s *sample) notes() bool {
	if !slices.Contains([]string{"memory.md", "user.md"}, s.base()) {
		return false
	}
	text := bytes.ReplaceAll(s.head, []byte("\r\n"), []byte("\n"))
	return bytes.Contains(text, []byte("\n§\n")) || s.directory() == "memories"
}

// agentTranscript reports whether a file is a transcript with a message a line.
func (s *sample) agentTranscript() bool {
	return strings.HasSuffix(s.base(), ".jsonl") && s.directory() == "sessions" && s.has("role") && !s.has("session")
}

// directory is the name of the directory that the file is in.
func (s *sample) directory() string {
	return path.Base(path.Dir(strings.ReplaceAll(s.file.Name, ":", "/")))
}

func readHermes(ctx context.Context, in *reading, files []*File) error {
	h := &hermes{reading: in, known: make(map[string]bool)}
	rank := func(f *File) int { // transcripts last: the database has most of them, too
		switch path.Ext(f.Name) {
		case ".jsonl":
			return 2
		case ".md":
			return 1
		}
		return 0
	}
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b *File) int { return rank(a) - rank(b) })
	return eachFile(ctx, in, files, func(f *File) error {
		switch {
		case strings.HasSuffix(f.Name, "-wal"):
			return nil
		case rank(f) == 2:
			return h.transcript(f)
		case rank(f) == 1:
			return h.notes(f)
		}
		return h.database(ctx, f, files)
	})
}

// hermes reads a home of Hermes Agent.
type hermes struct {
	*reading
	known map[string]bool // sessions that the database has
}

// agentSession is a session of the database.
type agentSession struct {
	id, source, parent, title, model, key, endReason string
	started                                          stamp
	root                                             *agentSession
	// prefix are the hashes of the messages, by which a branch finds where it parts.
	branch bool
}

// database reads the sessions of a database.
func (h *hermes) database(ctx context.Context, f *File, files []*File) error {
	db, err := openCopy(ctx, f, files)
	if err != nil {
		return err
	}
	defer db.close()
	list, err := h.sessions(ctx, db)
	if err != nil {
		return err
	}
	byRoot := make(map[string][]*agentSession)
	for _, s := range list {
		h.known[s.id] = true
		byRoot[s.root.id] = append(byRoot[s.root.id], s)
	}
	columns, err := db.columns(ctx, "messages")
	if err != nil {
		return err
	}
	for _, s := range list {
		if s.root != s {
			continue
		}
		if err := h.lineage(ctx, f, db, byRoot[s.id], columns); err != nil {
			return err
		}
	}
	return nil
}

// sessions reads the table of sessions, oldest first, and finds the lineage of each: a
// session that follows a compressed one belongs to the lineage of that one.
func (h *hermes) sessions(ctx context.Context, db *database) ([]*agentSession, error) {
	var list []*agentSession
	byID := make(map[string]*agentSession)
	err := db.each(ctx, `SELECT * FROM sessions ORDER BY started_at, id`, func(row map[string]any) error {
		s := &agentSession{
			id: textOf(row["id"]), source: textOf(row["source"]), parent: textOf(row["parent_session_id"]), title: textOf(row["title"]),
			model: textOf(row["model"]), key: textOf(row["session_key"]), endReason: textOf(row["end_reason"]),
		}
		s.started.Time = parseStamp(textOf(row["started_at"]))
		list, byID[s.id] = append(list, s), s
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		root, seen := s, map[string]bool{}
		for !seen[root.id] {
			seen[root.id] = true
			p := byID[root.parent]
			if p == nil {
				break
			}
			if p.endReason != "compression" {
				root.branch = true
				break
			}
			root = p
		}
		s.root = root
	}
	for _, s := range list { // a cycle of parents has no root of its own
		if s.root.root != s.root {
			s.root = s
		}
	}
	return list, nil
}

// lineage takes the sessions of a lineage as one conversation.
func (h *hermes) lineage(ctx context.Context, f *File, db *database, sessions []*agentSession, columns []string) error {
	root := sessions[0].root
	where := f.Name + ", session " + root.id
	if background(root.source) && !h.opt.All {
		h.report.omit("session of a schedule or a subagent", where)
		return nil
	}
	last := sessions[len(sessions)-1]
	out := &Conversation{
		System: "hermes", ID: root.id, Title: cmp.Or(last.title, root.title), Model: last.model, Key: root.key,
		Started: root.started.Time, File: f,
	}
	var told repeats
	omit := func(kind string) { h.report.omit(kind, where) }
	for _, s := range sessions {
		ms, err := h.messages(ctx, db, s, columns, where)
		if err != nil {
			return err
		}
		if s == root && root.branch {
			if ms, err = h.parted(ctx, db, s, ms, columns, where, &told); err != nil {
				return err
			}
		}
		out.Messages = append(out.Messages, told.without(ms, omit)...)
		if err := h.say(out); err != nil {
			return err
		}
	}
	return h.take(out)
}

// background reports whether sessions of a source are no conversations of a person.
func background(source string) bool {
	return slices.Contains([]string{"cron", "delegate", "subagent", "batch"}, source)
}

// withoutPictures is a text that a branch may repeat without its pictures.
func withoutPictures(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(text, picture, ""))
}

// parted are the messages of a branch from where it parts from its parent. told learns those before.
func (h *hermes) parted(
	ctx context.Context, db *database, s *agentSession, ms []Message, columns []string, where string, told *repeats,
) ([]Message, error) {
	began := h.report.tally()
	parent, err := h.messages(ctx, db, &agentSession{id: s.parent}, columns, where)
	h.report.less(h.report.since(began)) // it is counted with the parent's own conversation
	if err != nil {
		return nil, err
	}
	n := 0
	for n < min(len(ms), len(parent)) && ms[n].Role == parent[n].Role && withoutPictures(ms[n].Text) == withoutPictures(parent[n].Text) {
		n++
	}
	told.learn(ms[:n])
	repeated, rest := n, ms[n:]
	if len(rest) > 0 && compression(rest[0].Text) {
		if more := told.inherit(parent, rest[1:]); more > 0 {
			h.report.omit("summary of a compression", where)
			repeated, rest = n+more, rest[1+more:]
		}
	}
	for range repeated {
		h.report.omit("message that a branch repeats", where)
	}
	return rest, nil
}

// messages reads the messages of a session that stand.
func (h *hermes) messages(ctx context.Context, db *database, s *agentSession, columns []string, where string) ([]Message, error) {
	order := cmp.Or(firstOf(columns, "id"), "rowid")
	var ms []Message
	err := db.each(ctx, `SELECT * FROM messages WHERE session_id = ? ORDER BY `+order, func(row map[string]any) error { // one of two names
		if textOf(row["active"]) == "0" && textOf(row["compacted"]) != "1" {
			h.report.omit("undone message", where)
			return nil
		}
		if textOf(row["display_kind"]) == "hidden" {
			h.report.omit("hidden message", where)
			return nil
		}
		at := parseStamp(textOf(row["timestamp"]))
		text, earlier := h.agentText(textOf(row["content"]), where)
		m := Message{
			ID: s.id + "/" + textOf(row["id"]), Role: textOf(row["role"]), Text: text, Earlier: earlier, At: at,
			CallID: textOf(row["tool_call_id"]), Name: textOf(row["tool_name"]), Calls: h.calls([]byte(textOf(row["tool_calls"])), where),
		}
		if h.speaks(&m, where) {
			ms = append(ms, m)
			if thought(textOf(row["reasoning"]), textOf(row["reasoning_content"]), textOf(row["reasoning_details"])) {
				h.report.omit(thinking, where)
			}
		}
		return nil
	}, s.id)
	return ms, err
}

// speaks checks the role of a message, and counts one that is left out.
func (in *reading) speaks(m *Message, where string) bool {
	switch m.Role {
	case roleUser, roleAssistant:
		m.CallID = ""
		return true
	case roleTool:
		return true
	case "system", "developer", "session_meta":
		in.report.omit("system text", where)
	default:
		in.report.unknown("role "+m.Role, where)
	}
	return false
}

// agentText is the text of a message; one with parts is JSON behind a mark.
func (h *hermes) agentText(content, where string) (text, earlier string) {
	raw, packed := strings.CutPrefix(content, "\x00json:")
	switch {
	case !packed:
		return content, ""
	case wellFormed([]byte(raw)) != nil:
		h.report.unknown("message that is no JSON", where)
		return "", ""
	}
	return h.spoken(json.RawMessage(raw), where)
}

// notes takes the entries of MEMORY.md or USER.md, dated by the file.
func (h *hermes) notes(f *File) error {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	text, err := io.ReadAll(io.LimitReader(r, maxConversation))
	if err != nil {
		return err
	}
	base := path.Base(strings.ReplaceAll(f.Name, ":", "/"))
	out := &Conversation{
		System: "hermes", ID: base, Title: base, Started: f.Modified, Changed: f.Modified, File: f, Memories: true, Undated: true,
	}
	for _, entry := range strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n§\n") {
		if entry = strings.TrimSpace(entry); entry != "" {
			out.Messages = append(out.Messages, Message{ID: hashID(entry), Role: roleAssistant, Name: "hermes", Text: entry, At: f.Modified})
		}
	}
	return h.take(out)
}

// transcript takes a file with a message a line, unless the database has the session.
func (h *hermes) transcript(f *File) error {
	id := strings.TrimSuffix(path.Base(strings.ReplaceAll(f.Name, ":", "/")), ".jsonl")
	if h.known[id] {
		h.report.omit("transcript of a session that the database has", f.Name)
		return nil
	}
	out := &Conversation{System: "hermes", ID: id, File: f}
	err := h.eachLine(f, func(n int, line []byte) error {
		var m plainMessage
		if !h.parsed(line, &m, "line", fmt.Sprintf("%s, line %d", f.Name, n)) {
			out.Damaged++
			return nil
		}
		if said := h.plain(&m, f.Name); h.speaks(&said, f.Name) {
			out.Messages = append(out.Messages, said)
		}
		return h.say(out)
	})
	if err != nil {
		return err
	}
	return h.take(out)
}
