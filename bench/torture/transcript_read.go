package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// archived is a session with its messages, as a database or a file has it.
type archived struct {
	ID, Root, Parent, Key, Source, Title, End string

	messages []archivedMessage
}

// archivedMessage is one message of it.
type archivedMessage struct {
	Seq                               int64
	Role, Name, Content, Tool, Finish string
	Undone                            bool
}

// archivedRoute is where a session key leads.
type archivedRoute struct{ Key, Session, Platform, Type, Active string }

// archive is all that transcripts show of the local owner.
type archive struct {
	sessions map[string]*archived
	routes   map[string]archivedRoute
}

// String is the archive as a text that changes with it.
func (a *archive) String() string {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(a.sessions)) {
		fmt.Fprintf(&b, "%+v %+v\n", *a.sessions[id], a.sessions[id].messages)
	}
	for _, name := range slices.Sorted(maps.Keys(a.routes)) {
		fmt.Fprintf(&b, "%s %+v\n", name, a.routes[name])
	}
	return b.String()
}

// differs says what another archive has otherwise; "" for nothing.
func (a *archive) differs(got *archive) string {
	for id, want := range a.sessions {
		s := got.sessions[id]
		if s == nil {
			return fmt.Sprintf("session %q has no file", id)
		}
		x, y := *want, *s
		x.messages, y.messages = nil, nil
		if fmt.Sprint(x) != fmt.Sprint(y) {
			return fmt.Sprintf("session %q: %+v in the database, %+v in the file", id, x, y)
		}
		if !slices.Equal(want.messages, s.messages) {
			return fmt.Sprintf("session %q: %d messages in the database, %d in the file, or others", id, len(want.messages), len(s.messages))
		}
	}
	for id := range got.sessions {
		if a.sessions[id] == nil {
			return fmt.Sprintf("session %q has a file, and is not in the database", id)
		}
	}
	if !maps.Equal(a.routes, got.routes) {
		for name, r := range a.routes {
			if got.routes[name] != r {
				return fmt.Sprintf("route %q: %+v in the database, %+v in the file", name, r, got.routes[name])
			}
		}
		return "the file has routes that are not in the database"
	}
	return ""
}

// archive reads what the transcripts must show from the database.
func (s *subject) archive(ctx context.Context) (*archive, error) {
	db, err := openFile(s.file(), true)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("look into the database: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	a := &archive{sessions: make(map[string]*archived), routes: make(map[string]archivedRoute)}
	tips, err := a.readSessions(ctx, tx)
	if err == nil {
		err = a.readMessages(ctx, tx)
	}
	if err == nil {
		err = a.readRoutes(ctx, tx, tips)
	}
	return a, err
}

// lineageTip is a session as far as routes need it.
type lineageTip struct {
	id, root, key, source, started string
	active                         int64
	isTip                          bool
}

func (a *archive) readSessions(ctx context.Context, tx *sql.Tx) ([]lineageTip, error) {
	rows, err := tx.QueryContext(ctx, `SELECT id, root_id, coalesce(parent_session_id, ''), coalesce(session_key, ''), source, coalesce(title, ''),
		coalesce(end_reason, ''), is_tip, last_active, started_at FROM sessions WHERE owner_id = 'local'`)
	if err != nil {
		return nil, fmt.Errorf("read sessions: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var tips []lineageTip
	for rows.Next() {
		var s archived
		var t lineageTip
		var started int64
		if err := rows.Scan(&s.ID, &s.Root, &s.Parent, &s.Key, &s.Source, &s.Title, &s.End, &t.isTip, &t.active, &started); err != nil {
			return nil, err
		}
		t.id, t.root, t.key, t.source, t.started = s.ID, s.Root, s.Key, s.Source, fmt.Sprintf("%020d", started)
		tips = append(tips, t)
		a.sessions[s.ID] = &s
	}
	return tips, rows.Err()
}

func (a *archive) readMessages(ctx context.Context, tx *sql.Tx) error {
	rows, err := tx.QueryContext(ctx, `SELECT session_id, seq, role, coalesce(name, ''), content, coalesce(tool_call_id, ''), coalesce(finish_reason, ''),
		undone_at IS NOT NULL FROM messages WHERE owner_id = 'local' ORDER BY root_id, seq`)
	if err != nil {
		return fmt.Errorf("read messages: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id string
		var m archivedMessage
		if err := rows.Scan(&id, &m.Seq, &m.Role, &m.Name, &m.Content, &m.Tool, &m.Finish, &m.Undone); err != nil {
			return err
		}
		if s := a.sessions[id]; s != nil {
			s.messages = append(s.messages, m)
		}
	}
	return rows.Err()
}

// readRoutes finds where keys lead.
func (a *archive) readRoutes(ctx context.Context, tx *sql.Tx, all []lineageTip) error {
	rows, err := tx.QueryContext(ctx, `SELECT session_key, thread_id, platform, type, coalesce(session_id, '') FROM chats WHERE owner_id = 'local'
		ORDER BY active_at DESC, platform, account, chat_id, thread_id`)
	if err != nil {
		return fmt.Errorf("read chats: %w", err)
	}
	defer func() { _ = rows.Close() }()
	ofChats := make(map[string]bool)
	for rows.Next() {
		var r archivedRoute
		var thread string
		if err := rows.Scan(&r.Key, &thread, &r.Platform, &r.Type, &r.Session); err != nil {
			return err
		}
		ofChats[r.Key] = true
		a.addChat(r, thread, all)
	}
	a.addKeys(ofChats, all)
	return rows.Err()
}

// addChat adds the route of a chat: to the tip of its session's lineage. Of two chats with one
// name, the one that was active last comes first.
func (a *archive) addChat(r archivedRoute, thread string, all []lineageTip) {
	name := r.Key
	if thread != "" {
		name += ":" + thread
	}
	s := a.sessions[r.Session]
	if _, known := a.routes[name]; known || s == nil {
		return
	}
	for _, t := range all {
		if t.isTip && t.root == s.Root {
			r.Session, r.Active = t.id, instant(t.active)
			a.routes[name] = r
		}
	}
}

// addKeys adds the routes of keys that no chat has: to the session that was used last.
func (a *archive) addKeys(ofChats map[string]bool, all []lineageTip) {
	newest := make(map[string]lineageTip)
	for _, t := range all {
		if before, known := newest[t.key]; t.isTip && (!known || t.after(&before)) {
			newest[t.key] = t
		}
	}
	delete(newest, "")
	for key, t := range newest {
		if !ofChats[key] {
			a.routes[key] = archivedRoute{key, t.id, t.source, "", instant(t.active)}
		}
	}
}

// after reports whether a session was used later than another one.
func (t *lineageTip) after(other *lineageTip) bool {
	if t.active != other.active {
		return t.active > other.active
	}
	if t.started != other.started {
		return t.started > other.started
	}
	return t.id > other.id
}

// instant is a time of the database as the files write it.
func instant(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339Nano) }

// readMirror reads the files.
func readMirror(dir string) (*archive, error) {
	a := &archive{sessions: make(map[string]*archived), routes: make(map[string]archivedRoute)}
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		s, err := readTranscript(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			s = &archived{ID: filepath.Base(name) + ": " + err.Error()}
		}
		a.sessions[s.ID] = s
	}
	return a, a.readIndex(filepath.Join(dir, "sessions.json"))
}

func (a *archive) readIndex(name string) error {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var all map[string]struct {
		Key      string  `json:"session_key"`
		Session  string  `json:"session_id"`
		Active   string  `json:"updated_at"`
		Platform string  `json:"platform"`
		Type     *string `json:"chat_type"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		a.routes["sessions.json cannot be read"] = archivedRoute{}
		return nil //nolint:nilerr // it differs then
	}
	for key, r := range all {
		kind := ""
		if r.Type != nil {
			kind = *r.Type
		}
		a.routes[key] = archivedRoute{r.Key, r.Session, r.Platform, kind, r.Active}
	}
	return nil
}

// transcriptLine is any line of a transcript.
type transcriptLine struct {
	Type    string `json:"type"`
	ID      any    `json:"id"`
	Root    string `json:"root_id"`
	Parent  string `json:"parent_session_id"`
	Key     string `json:"session_key"`
	Source  string `json:"source"`
	Title   string `json:"title"`
	Seq     int64  `json:"seq"`
	Role    string `json:"role"`
	Name    string `json:"name"`
	Content string `json:"content"`
	Tool    string `json:"tool_call_id"`
	Finish  string `json:"finish_reason"`
	From    int64  `json:"from"`
	To      int64  `json:"to"`
	Reason  string `json:"reason"`
}

// readTranscript reads one file.
func readTranscript(name string) (*archived, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	s := &archived{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var l transcriptLine
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("a line is no JSON: %w", err)
		}
		s.add(&l)
	}
	return s, lines.Err()
}

// add adds a line.
func (s *archived) add(l *transcriptLine) {
	switch l.Type {
	case "session":
		s.ID, _ = l.ID.(string)
		s.Root, s.Parent, s.Key, s.Source, s.Title = l.Root, l.Parent, l.Key, l.Source, l.Title
	case "message":
		s.messages = append(s.messages, archivedMessage{l.Seq, l.Role, l.Name, l.Content, l.Tool, l.Finish, false})
	case "undone":
		for i := range s.messages {
			if m := &s.messages[i]; m.Seq >= l.From && m.Seq < l.To {
				m.Undone = true
			}
		}
	case "end":
		s.End = l.Reason
	}
}
