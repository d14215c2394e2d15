package httpapi

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/session"
)

// archiveHead is a line of an export up to its messages: all columns of the lineage's
// newest session, and the rows of all its sessions. The messages come last in a line.
type archiveHead struct {
	sessionJSON
	// Hash is the hash of the newest message. It covers the whole transcript.
	Hash     string       `json:"hash,omitempty"`
	Sessions []archiveRow `json:"sessions"`
	// Origin says that the line is a conversation of another program; nil for an export of
	// this one.
	Origin *archiveOrigin `json:"origin,omitempty"`
	// ImportedFrom is, in an export of this program, the conversation of another program that the
	// lineage holds; nil for none.
	ImportedFrom *archiveSource `json:"imported_from,omitempty"`
}

// archiveRow is a session with every column.
type archiveRow struct {
	ID            session.ID `json:"id"`
	ParentID      session.ID `json:"parent_session_id,omitempty"`
	SessionKey    string     `json:"session_key,omitempty"`
	Source        string     `json:"source"`
	UserID        string     `json:"user_id,omitempty"`
	Model         string     `json:"model,omitempty"`
	SystemPrompt  string     `json:"system_prompt,omitempty"`
	Title         string     `json:"title,omitempty"`
	TitleSource   string     `json:"title_source,omitempty"`
	Summary       string     `json:"summary,omitempty"`
	Metadata      string     `json:"metadata,omitempty"`
	StartedAt     when       `json:"started_at"`
	EndedAt       when       `json:"ended_at,omitzero"`
	EndReason     string     `json:"end_reason,omitempty"`
	LastActive    when       `json:"last_active,omitzero"`
	MessageCount  int        `json:"message_count"`
	ToolCallCount int        `json:"tool_call_count"`
	InputTokens   int64      `json:"input_tokens"`
	OutputTokens  int64      `json:"output_tokens"`
	NextSeq       int64      `json:"next_seq"`
	TailFrom      int64      `json:"tail_from"`
	LineageTokens int64      `json:"lineage_tokens"`
}

// numbers returns the numeric columns of a row by name.
func (a *archiveRow) numbers() map[string]int64 {
	return map[string]int64{
		"message_count": int64(a.MessageCount), "tool_call_count": int64(a.ToolCallCount), "input_tokens": a.InputTokens,
		"output_tokens": a.OutputTokens,
		"next_seq":      a.NextSeq, "tail_from": a.TailFrom, "lineage_tokens": a.LineageTokens,
	}
}

// archiveMessage is a message of an export without its raw parts. Other programs call
// said_at timestamp or created_at.
type archiveMessage struct {
	ID           int64           `json:"id"`
	SessionID    session.ID      `json:"session_id"`
	Seq          int64           `json:"seq"`
	SessionKey   string          `json:"session_key,omitempty"`
	Role         session.Role    `json:"role"`
	Name         string          `json:"name,omitempty"`
	Content      *string         `json:"content"`
	ToolCallID   string          `json:"tool_call_id,omitempty"`
	ToolName     string          `json:"tool_name,omitempty"`
	ReplyTo      int64           `json:"reply_to,omitempty"`
	Note         string          `json:"note,omitempty"`
	SaidAt       when            `json:"said_at,omitzero"`
	CreatedAt    when            `json:"created_at,omitzero"`
	Timestamp    when            `json:"timestamp,omitzero"`
	RecordedAt   when            `json:"recorded_at,omitzero"`
	TokenCount   int             `json:"token_count"`
	FinishReason string          `json:"finish_reason,omitempty"`
	Model        string          `json:"model,omitempty"`
	UndoneAt     when            `json:"undone_at,omitzero"`
	ReceiptID    string          `json:"receipt_id,omitempty"`
	ToolCalls    json.RawMessage `json:"tool_calls,omitempty"`
	Wire         json.RawMessage `json:"wire,omitempty"`
	Receipt      json.RawMessage `json:"receipt,omitempty"`
}

// when is a time in any format that this program or another writes; "" is the zero
// time.
type when struct{ time.Time }

// UnmarshalJSON implements json.Unmarshaler.
func (t *when) UnmarshalJSON(text []byte) error {
	if string(text) == `""` {
		return nil
	}
	at, err := bound.JSONTime(text)
	if err != nil {
		return fmt.Errorf("%.40s: %w", text, err)
	}
	t.Time = at
	return nil
}

// archiveOf is a lineage's line without its messages.
func archiveOf(tip *session.Session, rows []session.Session, hash []byte, from *lineage.Origin) archiveHead {
	out := archiveHead{sessionJSON: sessionOf(tip), Hash: hex.EncodeToString(hash), Sessions: []archiveRow{}, ImportedFrom: sourceOf(from)}
	out.Object = "hermes.session.export"
	for i := range rows {
		s := &rows[i]
		out.Sessions = append(out.Sessions, archiveRow{
			ID: s.ID, ParentID: s.ParentID, SessionKey: string(s.Key), Source: string(s.Source), UserID: s.UserID, Model: s.Model,
			SystemPrompt: s.SystemPrompt, Title: s.Title, TitleSource: string(s.TitleSource), Summary: s.Summary, Metadata: s.Metadata,
			StartedAt: when{s.StartedAt},
			EndedAt:   when{s.EndedAt},
			EndReason: string(s.EndReason), LastActive: when{s.LastActive}, MessageCount: s.MessageCount, ToolCallCount: s.ToolCallCount,
			InputTokens: s.InputTokens, OutputTokens: s.OutputTokens, NextSeq: s.NextSeq, TailFrom: s.TailFrom, LineageTokens: s.LineageTokens,
		})
	}
	return out
}

// appendArchived appends a message in JSON. Raw bytes are kept unchanged, unless a line
// break in them would break the line.
func appendArchived(out []byte, m *session.Message) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(archiveMessage{
		ID: m.ID, SessionID: m.SessionID, Seq: m.Seq, SessionKey: string(m.Key), Role: m.Role, Name: m.Name, Content: &m.Content,
		ToolCallID: m.ToolCallID, ToolName: m.ToolName, ReplyTo: m.ReplyTo, Note: m.Note, SaidAt: when{m.SaidAt}, RecordedAt: when{m.RecordedAt},
		TokenCount: m.Tokens, FinishReason: m.FinishReason, Model: m.Model, UndoneAt: when{m.UndoneAt}, ReceiptID: m.ReceiptID,
	})
	if err != nil {
		return out, err
	}
	out = append(out, bytes.TrimSuffix(buf.Bytes(), []byte("}\n"))...)
	for _, part := range []struct {
		name string
		raw  []byte
	}{{"tool_calls", m.ToolCalls}, {"wire", m.Wire}, {"receipt", m.Receipt}} {
		if len(part.raw) == 0 {
			continue
		}
		raw := part.raw
		if bytes.ContainsAny(raw, "\n\r") {
			buf.Reset()
			if err := json.Compact(&buf, raw); err != nil {
				return out, err
			}
			raw = buf.Bytes()
		}
		out = append(append(out, `,"`+part.name+`":`...), raw...)
	}
	return append(out, '}'), nil
}

// message is an archived message as it is stored.
func (a *archiveMessage) message(fallback *session.Session) (session.Message, error) {
	m := session.Message{
		ID: a.ID, SessionID: a.SessionID, Role: a.Role, Name: a.Name, ToolCallID: a.ToolCallID, ToolName: a.ToolName,
		ReplyTo: a.ReplyTo, Note: a.Note, SaidAt: a.SaidAt.Time, RecordedAt: a.RecordedAt.Time, FinishReason: a.FinishReason, Model: a.Model,
		UndoneAt: a.UndoneAt.Time, ReceiptID: a.ReceiptID, ToolCalls: rawOf(a.ToolCalls), Wire: rawOf(a.Wire), Receipt: rawOf(a.Receipt),
	}
	if a.Content != nil {
		m.Content = *a.Content
	}
	switch a.Role {
	case session.User, session.Assistant, session.Tool:
	default:
		return m, fault.New(fault.Invalid, "unsupported_role", fmt.Sprintf("A message has the role %q; transcripts hold user, assistant and tool.", a.Role))
	}
	if a.ReplyTo != bound.Count(a.ReplyTo) {
		return m, fault.New(fault.Invalid, "invalid_export", fmt.Sprintf("A message has a \"reply_to\" of %d; it must be a number from 0 to 2^53.", a.ReplyTo)).At("reply_to")
	}
	if a.SessionKey != "" {
		key, err := session.ParseKey(a.SessionKey)
		if err != nil {
			return m, err
		}
		m.Key = key
	}
	if m.SessionID == "" {
		m.SessionID = fallback.ID
	}
	for _, at := range []time.Time{a.CreatedAt.Time, a.Timestamp.Time, fallback.StartedAt} {
		if m.SaidAt.IsZero() {
			m.SaidAt = at
		}
	}
	if m.RecordedAt.IsZero() {
		m.RecordedAt = m.SaidAt
	}
	checkRaw(&m)
	return m, nil
}

// rawOf is a raw part of a message. Other programs write it as a text.
func rawOf(raw json.RawMessage) []byte {
	var text string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil && json.Valid([]byte(text)) {
		return []byte(text)
	}
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	return raw
}

// rows are the sessions of a line. A line of another program may list no sessions; the
// line itself then counts as the only one.
func (a *archiveHead) rows() ([]session.Session, error) {
	list := a.Sessions
	if len(list) == 0 {
		list = []archiveRow{{
			ID: a.ID, SessionKey: text(a.SessionKey), Source: a.Source, UserID: text(a.UserID), Model: text(a.Model), Title: text(a.Title),
			TitleSource:  text(a.TitleSource),
			SystemPrompt: text(a.SystemPrompt), StartedAt: when{a.StartedAt}, EndReason: text(a.EndReason), LastActive: when{a.LastActive},
			InputTokens: a.InputTokens, OutputTokens: a.OutputTokens,
		}}
		if a.EndedAt != nil {
			list[0].EndedAt = when{*a.EndedAt}
		}
	}
	out := make([]session.Session, len(list))
	seen := make(map[session.ID]bool, len(list))
	for i := range list {
		s, err := list[i].session()
		if err != nil {
			return nil, err
		}
		if seen[s.ID] {
			return nil, fault.New(fault.Invalid, "invalid_export", fmt.Sprintf("The line lists the session %q twice.", s.ID))
		}
		seen[s.ID] = true
		s.RootID, s.Generation = list[0].ID, i
		if i > 0 {
			s.ParentID = list[i-1].ID
		}
		out[i] = s
	}
	return out, nil
}

// session converts a row to a session.
func (a *archiveRow) session() (session.Session, error) {
	s := session.Session{
		Source: session.Source(a.Source), UserID: a.UserID, Model: a.Model, SystemPrompt: a.SystemPrompt, Summary: a.Summary,
		Metadata:  a.Metadata,
		StartedAt: a.StartedAt.Time, EndedAt: a.EndedAt.Time, EndReason: session.EndReason(a.EndReason), LastActive: a.LastActive.Time,
		MessageCount: a.MessageCount, ToolCallCount: a.ToolCallCount, InputTokens: a.InputTokens, OutputTokens: a.OutputTokens,
		NextSeq: a.NextSeq, TailFrom: a.TailFrom, LineageTokens: a.LineageTokens,
	}
	var err error
	if openai.CheckMetadata([]byte(a.Metadata), "metadata") != nil {
		s.Metadata = ""
	}
	if s.ID, err = session.ParseID(string(a.ID)); err != nil {
		return s, err
	}
	if a.ParentID != "" {
		if s.ParentID, err = session.ParseID(string(a.ParentID)); err != nil {
			return s, err
		}
	}
	if a.SessionKey != "" {
		if s.Key, err = session.ParseKey(a.SessionKey); err != nil {
			return s, err
		}
	}
	if s.Title, err = parseTitle(a.Title); err != nil {
		return s, err
	}
	s.TitleSource = a.titleSource()
	if s.StartedAt.IsZero() {
		return s, fault.New(fault.Invalid, "invalid_export", fmt.Sprintf("The session %q has no start.", a.ID))
	}
	for name, n := range a.numbers() {
		if n != bound.Count(n) {
			return s, fault.New(fault.Invalid, "invalid_export", fmt.Sprintf("The session %q has a %q of %d; it must be a number from 0 to 2^53.", a.ID, name, n)).At(name)
		}
	}
	if s.Source == "" {
		s.Source = session.SourceImport
	}
	if s.LastActive.IsZero() {
		s.LastActive = s.StartedAt
	}
	return s, nil
}

// titleSource is who gave the title. A row without a title source counts as titled by a
// person: such a title is never replaced automatically.
func (a *archiveRow) titleSource() session.TitleSource {
	switch from := session.TitleSource(a.TitleSource); {
	case a.Title == "":
		return ""
	case from == session.TitleDerived, from == session.TitleModel:
		return from
	}
	return session.TitlePerson
}

// text is the value of an optional text.
func text(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}
