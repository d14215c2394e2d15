package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/hermes-memory/hermes/internal/session"
)

// The types of lines.
const (
	sessionLine = "session"
	messageLine = "message"
	undoneLine  = "undone"
	endLine     = "end"
)

// Head is the first line of a file. Its beginning marks the file as one of this package.
type Head struct {
	Type   string     `json:"type"`
	Mirror int        `json:"mirror"` // the version of the format
	ID     session.ID `json:"id"`
	Root   session.ID `json:"root_id"`
	Parent session.ID `json:"parent_session_id,omitempty"`
	// Generation counts the compressions before this session.
	Generation int                 `json:"generation,omitempty"`
	Key        session.Key         `json:"session_key,omitempty"`
	Source     session.Source      `json:"source"`
	User       string              `json:"user_id,omitempty"`
	Title      string              `json:"title,omitempty"`
	TitledBy   session.TitleSource `json:"title_source,omitempty"`
	Started    time.Time           `json:"started_at"`
}

// format is the version of the format.
const format = 1

// marker begins the files of this package.
const marker = `{"type":"session","mirror":`

// Message is the line of a message.
type Message struct {
	Type       string          `json:"type"`
	Seq        int64           `json:"seq"`
	ID         int64           `json:"id"`
	Role       session.Role    `json:"role"`
	Name       string          `json:"name,omitempty"`
	Content    string          `json:"content"`
	ToolCalls  json.RawMessage `json:"tool_calls,omitempty"`
	ToolCallID string          `json:"tool_call_id,omitempty"`
	ToolName   string          `json:"tool_name,omitempty"`
	Model      string          `json:"model,omitempty"`
	Finish     string          `json:"finish_reason,omitempty"`
	Said       time.Time       `json:"said_at"`
}

// Undone is the line that follows messages which were undone together.
type Undone struct {
	Type string    `json:"type"`
	From int64     `json:"from"`
	To   int64     `json:"to"` // the first message after them
	At   time.Time `json:"undone_at"`
}

// End is the last line of a session that has ended.
type End struct {
	Type   string            `json:"type"`
	Reason session.EndReason `json:"reason"`
	At     time.Time         `json:"ended_at"`
}

// encode is a value as one line of JSON.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode a line: %w", err)
	}
	return b.Bytes(), nil
}

// headOf is the first line of a session's file.
func headOf(s *session.Session) ([]byte, error) {
	return encode(Head{
		Type: sessionLine, Mirror: format, ID: s.ID, Root: s.RootID, Parent: s.ParentID, Generation: s.Generation, Key: s.Key,
		Source: s.Source, User: s.UserID, Title: s.Title, TitledBy: s.TitleSource, Started: s.StartedAt,
	})
}

// headOfID is how the first line of a session's file begins.
func headOfID(id session.ID) ([]byte, error) {
	name, err := encode(id)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `%s%d,"id":%s,`, marker, format, bytes.TrimSpace(name)), nil
}

// lines writes the lines of messages.
type lines struct {
	out io.Writer
	// undone are the messages last written, if they were undone together.
	undone Undone
}

func (l *lines) put(v any) error {
	line, err := encode(v)
	if err != nil {
		return err
	}
	_, err = l.out.Write(line)
	return err
}

// message writes a message, behind the line of earlier ones that were undone at another
// time.
func (l *lines) message(m *session.Message) error {
	if !m.UndoneAt.Equal(l.undone.At) {
		if err := l.close(); err != nil {
			return err
		}
		l.undone = Undone{Type: undoneLine, From: m.Seq, At: m.UndoneAt}
	}
	l.undone.To = m.Seq + 1
	return l.put(Message{
		Type: messageLine, Seq: m.Seq, ID: m.ID, Role: m.Role, Name: m.Name, Content: m.Content, ToolCalls: m.ToolCalls,
		ToolCallID: m.ToolCallID, ToolName: m.ToolName, Model: m.Model, Finish: m.FinishReason, Said: m.SaidAt,
	})
}

// close writes the line of undone messages, if the last ones are.
func (l *lines) close() error {
	done := l.undone
	l.undone = Undone{}
	if done.At.IsZero() {
		return nil
	}
	return l.put(done)
}

// end writes what follows the messages of a session.
func (l *lines) end(s *session.Session) error {
	if err := l.close(); err != nil || !s.Ended() {
		return err
	}
	return l.put(End{Type: endLine, Reason: s.EndReason, At: s.EndedAt})
}

// last is what the last line of a file tells.
type last struct {
	Type string `json:"type"`
	Seq  int64  `json:"seq"`
}

// nextAfter is the number of the first message that a file lacks, by its last line, and
// first if the file has no message. It is negative if messages cannot be added behind that
// line.
func nextAfter(line []byte, first int64) int64 {
	var l last
	if json.Unmarshal(line, &l) != nil {
		return -1
	}
	switch l.Type {
	case sessionLine:
		return first
	case messageLine:
		return l.Seq + 1
	}
	return -1
}
