package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/session"
)

// messageJSON is a message on the wire.
type messageJSON struct {
	ID           int64           `json:"id"`
	SessionID    session.ID      `json:"session_id"`
	Seq          int64           `json:"seq"`
	Role         session.Role    `json:"role"`
	Name         string          `json:"name,omitempty"`
	Content      string          `json:"content"`
	ToolCalls    json.RawMessage `json:"tool_calls,omitempty"`
	ToolCallID   string          `json:"tool_call_id,omitempty"`
	ToolName     string          `json:"tool_name,omitempty"`
	ReplyTo      int64           `json:"reply_to,omitempty"`
	CreatedAt    time.Time       `json:"created_at"`
	RecordedAt   time.Time       `json:"recorded_at"`
	TokenCount   int             `json:"token_count"`
	FinishReason string          `json:"finish_reason,omitempty"`
	Model        string          `json:"model,omitempty"`
	UndoneAt     *time.Time      `json:"undone_at,omitempty"`
	shownJSON
}

func messageOf(m *session.Message) messageJSON {
	return messageJSON{
		ID: m.ID, SessionID: m.SessionID, Seq: m.Seq, Role: m.Role, Name: m.Name, Content: m.Content,
		ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID, ToolName: m.ToolName, ReplyTo: m.ReplyTo, CreatedAt: m.SaidAt,
		RecordedAt: m.RecordedAt, TokenCount: m.Tokens, FinishReason: m.FinishReason, Model: m.Model,
		UndoneAt: optionalTime(m.UndoneAt),
	}
}

// messageList is a page of a transcript.
type messageList struct {
	Object    string        `json:"object"`
	SessionID session.ID    `json:"session_id"`
	RootID    session.ID    `json:"_lineage_root_id"`
	Data      []messageJSON `json:"data"`
	HasMore   bool          `json:"has_more"`
	NextFrom  *int64        `json:"next_from,omitempty"`
}

// listMessages answers GET /api/sessions/{id}/messages: the transcript of the whole
// lineage, oldest first. "from" is the first seq wanted, "before" the first one not wanted
// after the page; order=latest gives the newest page, include=undone also the undone
// messages.
func (s *server) listMessages(w http.ResponseWriter, r *http.Request) error {
	tip, err := s.find(r)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	limit, err := number(q.Get("limit"), "limit", 500, 1000)
	if err != nil {
		return err
	}
	show, err := parseShowing(q)
	if err != nil {
		return err
	}
	window := session.Range{Limit: limit + 1, Newest: q.Get("order") == "latest" || q.Has("before"), Receipts: true}
	window.Standing = q.Get("include") != "undone"
	if window.From, err = seqOf(q, "from"); err != nil {
		return err
	}
	if window.To, err = seqOf(q, "before"); err != nil {
		return err
	}
	ms, err := s.Sessions.Messages(r.Context(), ownerOf(r), tip.RootID, window)
	if err != nil {
		return err
	}
	out := messageList{Object: "list", SessionID: tip.ID, RootID: tip.RootID, Data: []messageJSON{}}
	if out.HasMore = len(ms) > limit; out.HasMore {
		if window.Newest {
			ms = ms[1:]
		} else {
			ms = ms[:limit]
			next := ms[limit-1].Seq + 1
			out.NextFrom = &next
		}
	}
	for i := range ms {
		out.Data = append(out.Data, show.message(&ms[i]))
	}
	setSession(w.Header(), tip.ID, tip.RootID)
	return writeTagged(w, r, out)
}

// importMessages answers POST /api/sessions/{id}/messages: messages said elsewhere are
// added to the transcript with their own times. A session that does not exist is
// created.
func (s *server) importMessages(w http.ResponseWriter, r *http.Request) error {
	headers, err := parseSessionHeaders(r)
	if err != nil {
		return err
	}
	id, err := session.ParseID(r.PathValue("id"))
	if err != nil {
		return err
	}
	ms, err := parseImport(r)
	if err != nil {
		return err
	}
	parsed(r)
	tip, stored, err := s.Curator.Append(r.Context(), &curate.Addition{
		Owner: ownerOf(r), Session: id, Key: headers.key, Source: session.SourceAPI, Messages: ms,
		Restore: r.URL.Query().Get("restore") == "true", // include forgotten content
	})
	if err != nil {
		return err
	}
	digested(r)
	out := messageList{Object: "list", SessionID: tip.ID, RootID: tip.RootID, Data: []messageJSON{}}
	setSession(w.Header(), tip.ID, tip.RootID)
	if sizeOf(stored) > smallBody {
		return writeLarge(w, out, stored)
	}
	for i := range stored {
		out.Data = append(out.Data, messageOf(&stored[i]))
	}
	return writeJSON(w, http.StatusOK, out)
}

// parseImport reads the messages of an import.
func parseImport(r *http.Request) ([]session.Message, error) {
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	list, err := openai.List(body, "messages")
	if err != nil {
		return nil, invalidJSON(err)
	}
	if len(list) == 0 {
		return nil, fault.New(fault.Invalid, "no_messages", "'messages' must be a non-empty array.").At("messages")
	}
	out := make([]session.Message, len(list))
	for i, raw := range list {
		at := fmt.Sprintf("messages[%d]", i)
		m, problem := openai.ParseMessage(raw)
		if problem != nil {
			return nil, fault.New(fault.Invalid, problem.Code, at+": "+problem.Msg).At(at + problem.Param)
		}
		if m.Role == "system" || m.Role == "developer" {
			return nil, fault.New(fault.Invalid, "unsupported_role", at+": system messages belong to requests, not to transcripts. Set the session's system_prompt instead.").At(at + ".role")
		}
		out[i] = message(&m)
		said, err := parseTime(raw)
		if err != nil {
			return nil, fault.Wrap(fault.Invalid, "invalid_created_at", at+": 'created_at' must be "+bound.Allowed+".", err).At(at + ".created_at")
		}
		out[i].SaidAt = said
		if m.Name != "" || !said.IsZero() {
			out[i].Wire = wireOf(&m, out[i].Wire)
		}
	}
	return out, nil
}

// wireOf drops the raw form of a message if only its date required it.
func wireOf(m *openai.Message, wire []byte) []byte {
	clean, err := openai.Splice(m.Raw, openai.Set{Name: "created_at"})
	if err != nil {
		return wire
	}
	again, problem := openai.ParseMessage(clean)
	if problem != nil || again.Plain {
		return nil
	}
	return clean
}

// parseTime reads the time of a message; zero if it has none.
func parseTime(raw []byte) (time.Time, error) {
	var in struct {
		CreatedAt json.RawMessage `json:"created_at"`
	}
	if err := json.Unmarshal(raw, &in); err != nil || len(in.CreatedAt) == 0 {
		return time.Time{}, err
	}
	return bound.JSONTime(in.CreatedAt)
}
