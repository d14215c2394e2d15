package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/secret"
	"github.com/hermes-memory/hermes/internal/session"
)

// sessionJSON is a session on the wire. Absent values are null.
type sessionJSON struct {
	Object        string     `json:"object"`
	ID            session.ID `json:"id"`
	RootID        session.ID `json:"_lineage_root_id"`
	ParentID      *string    `json:"parent_session_id"`
	SessionKey    *string    `json:"session_key"`
	Source        string     `json:"source"`
	UserID        *string    `json:"user_id"`
	Model         *string    `json:"model"`
	Title         *string    `json:"title"`
	TitleSource   *string    `json:"title_source"`
	SystemPrompt  *string    `json:"system_prompt"`
	StartedAt     time.Time  `json:"started_at"`
	EndedAt       *time.Time `json:"ended_at"`
	EndReason     *string    `json:"end_reason"`
	LastActive    time.Time  `json:"last_active"`
	MessageCount  int        `json:"message_count"`
	LineageCount  int64      `json:"lineage_message_count"`
	UndoneCount   int        `json:"undone_message_count,omitempty"` // if it was asked for
	ToolCallCount int        `json:"tool_call_count"`
	InputTokens   int64      `json:"input_tokens"`
	OutputTokens  int64      `json:"output_tokens"`
	Compressions  int        `json:"compressions"`
	Preview       *string    `json:"preview,omitempty"`
}

// optional is null for an empty text.
func optional[S ~string](s S) *string {
	if s == "" {
		return nil
	}
	text := string(s)
	return &text
}

func optionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func sessionOf(s *session.Session) sessionJSON {
	return sessionJSON{
		Object: "hermes.session", ID: s.ID, RootID: s.RootID, ParentID: optional(s.ParentID), SessionKey: optional(s.Key),
		Source: string(s.Source), UserID: optional(s.UserID), Model: optional(s.Model), Title: optional(s.Title),
		TitleSource:  optional(s.TitleSource),
		SystemPrompt: optional(s.SystemPrompt), StartedAt: s.StartedAt, EndedAt: optionalTime(s.EndedAt),
		EndReason: optional(s.EndReason), LastActive: s.LastActive, MessageCount: s.MessageCount, LineageCount: s.NextSeq,
		ToolCallCount: s.ToolCallCount, InputTokens: s.InputTokens, OutputTokens: s.OutputTokens, Compressions: s.Generation,
	}
}

// listSessions answers GET /api/sessions: one row per lineage, newest first.
func (s *server) listSessions(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	limit, err := number(q.Get("limit"), "limit", 50, 200)
	if err != nil {
		return err
	}
	f := session.Filter{
		Source: session.Source(q.Get("source")), Query: q.Get("q"), Title: q.Get("title"), State: session.State(q.Get("state")), Limit: limit + 1,
	}
	if f.State != "" && f.State != session.Active && f.State != session.Ended {
		return fault.New(fault.Invalid, "invalid_state", "\"state\" is active or ended.").At("state")
	}
	if key := q.Get("session_key"); key != "" {
		if f.Key, err = session.ParseKey(key); err != nil {
			return err
		}
	}
	if cursor := q.Get("cursor"); cursor != "" {
		if f.Before, err = parseCursor(cursor); err != nil {
			return err
		}
	}
	rows, err := s.Sessions.Sessions(r.Context(), ownerOf(r), f)
	if err != nil {
		return err
	}
	rows, next := cutPage(rows, limit, func(last *session.Session) string {
		return formatCursor(session.Cursor{LastActive: last.LastActive, ID: last.RootID})
	})
	roots := make([]session.ID, len(rows))
	for i := range rows {
		roots[i] = rows[i].RootID
	}
	openings, err := s.Catalog.Previews(r.Context(), ownerOf(r), roots)
	if err != nil {
		return err
	}
	undone, err := s.undoneCounts(r, roots)
	if err != nil {
		return err
	}
	page := pageOf(rows, next, func(l *session.Session) sessionJSON {
		row := sessionOf(l)
		row.UndoneCount = undone[l.RootID]
		row.Preview = optional(preview(openings[l.RootID]))
		return row
	})
	return writeJSON(w, http.StatusOK, page)
}

// undoneCounts are how many messages of lineages were undone; none unless the request asks for them.
func (s *server) undoneCounts(r *http.Request, roots []session.ID) (map[session.ID]int, error) {
	if r.URL.Query().Get("include") != "undone" {
		return nil, nil
	}
	return s.Catalog.UndoneCounts(r.Context(), ownerOf(r), roots)
}

// previewLength is the length of a preview, in characters.
const previewLength = 60

// preview is the beginning of a text on one line, with secrets hidden.
func preview(text string) string {
	line := []rune(strings.Join(strings.Fields(secret.Mask(text)), " "))
	if len(line) > previewLength {
		line = append(line[:previewLength-1], '…')
	}
	return string(line)
}

// generatedID is the beginning of a generated id. Only generated ids may be shortened:
// "user:4" must never open the session "user:42".
var generatedID = regexp.MustCompile(`^\d{4,8}$|^\d{8}_\d{0,6}(_[0-9a-f]{0,8})?$`)

// find resolves the id of a path to the lineage's tip.
func (s *server) find(r *http.Request) (session.Session, error) {
	id, err := session.ParseID(r.PathValue("id"))
	if err != nil {
		return session.Session{}, err
	}
	return s.named(r, id)
}

// named resolves an id to the lineage's tip. A unique prefix of a generated id is
// enough.
func (s *server) named(r *http.Request, id session.ID) (session.Session, error) {
	tip, err := s.Sessions.Tip(r.Context(), ownerOf(r), id)
	if fault.KindOf(err) != fault.NotFound || !generatedID.MatchString(string(id)) {
		return tip, err
	}
	found, listErr := s.Sessions.Sessions(r.Context(), ownerOf(r), session.Filter{Prefix: string(id), Limit: 6})
	switch {
	case listErr != nil:
		return tip, listErr
	case len(found) == 0:
		return tip, err
	case len(found) == 1:
		return found[0], nil
	}
	names := make([]string, len(found))
	for i := range found {
		names[i] = string(found[i].ID)
	}
	return tip, fault.New(fault.Conflict, "ambiguous_session_id", "Several sessions begin with this: "+strings.Join(names, ", ")+".").At("id")
}

// createSession answers POST /api/sessions.
func (s *server) createSession(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		ID           string `json:"id"`
		SessionID    string `json:"session_id"`
		SessionKey   string `json:"session_key"`
		Source       string `json:"source"`
		Title        string `json:"title"`
		Model        string `json:"model"`
		SystemPrompt string `json:"system_prompt"`
	}
	if err := decode(r, &in); err != nil {
		return err
	}
	now := s.Now().UTC()
	row := session.Session{
		ID: session.NewID(now), Source: session.SourceAPI, Model: in.Model, SystemPrompt: in.SystemPrompt,
		StartedAt: now, LastActive: now,
	}
	var err error
	if in.ID == "" {
		in.ID = in.SessionID
	}
	if in.ID != "" {
		if row.ID, err = session.ParseID(in.ID); err != nil {
			return err
		}
	}
	if in.SessionKey != "" {
		if row.Key, err = session.ParseKey(in.SessionKey); err != nil {
			return err
		}
	}
	if in.Source != "" {
		row.Source = session.Source(in.Source)
	}
	if row.Title, err = parseTitle(in.Title); err != nil {
		return err
	}
	if row.Title != "" {
		row.TitleSource = session.TitlePerson
	}
	row.RootID = row.ID
	if err := s.Curator.Create(r.Context(), ownerOf(r), row); err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, oneSession(&row, nil))
}

// maxTitle is the longest title, in characters.
const maxTitle = 100

// parseTitle folds white space and refuses titles that no list could show.
func parseTitle(text string) (string, error) {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) > maxTitle || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", fault.New(fault.Invalid, "invalid_title", "A title is at most 100 characters without control characters.").At("title")
	}
	return text, nil
}

// sessionReply is a session with the sessions of its lineage. The session appears
// twice: as the object itself, and under "session" for clients of the public Hermes
// server.
type sessionReply struct {
	sessionJSON
	Session sessionJSON   `json:"session"`
	Lineage []lineageLink `json:"lineage,omitempty"`
}

type lineageLink struct {
	ID        session.ID `json:"id"`
	ParentID  *string    `json:"parent_session_id"`
	StartedAt time.Time  `json:"started_at"`
	EndedAt   *time.Time `json:"ended_at"`
	EndReason *string    `json:"end_reason"`
	Messages  int        `json:"message_count"`
}

func oneSession(tip *session.Session, lineage []session.Session) sessionReply {
	out := sessionReply{sessionJSON: sessionOf(tip), Session: sessionOf(tip)}
	for i := range lineage {
		l := &lineage[i]
		out.Lineage = append(out.Lineage, lineageLink{
			ID: l.ID, ParentID: optional(l.ParentID), StartedAt: l.StartedAt, EndedAt: optionalTime(l.EndedAt),
			EndReason: optional(l.EndReason), Messages: l.MessageCount,
		})
	}
	return out
}

// getSession answers GET /api/sessions/{id} with the lineage's tip.
func (s *server) getSession(w http.ResponseWriter, r *http.Request) error {
	tip, err := s.find(r)
	if err != nil {
		return err
	}
	out, _, err := s.represent(r.Context(), ownerOf(r), &tip)
	if err != nil {
		return err
	}
	undone, err := s.undoneCounts(r, []session.ID{tip.RootID})
	if err != nil {
		return err
	}
	setSession(w.Header(), tip.ID, tip.RootID)
	if undone != nil { // without a tag, which is that of the session alone
		out.UndoneCount = undone[tip.RootID]
		return writeJSON(w, http.StatusOK, out)
	}
	return writeTagged(w, r, out)
}

// patchSession answers PATCH /api/sessions/{id}.
func (s *server) patchSession(w http.ResponseWriter, r *http.Request) error {
	var in map[string]json.RawMessage
	if err := decode(r, &in); err != nil {
		return err
	}
	p := session.Patch{At: s.Now().UTC()}
	for _, name := range slices.Sorted(maps.Keys(in)) { // sorted, so that the reported error is always the same one
		var text string
		if json.Unmarshal(in[name], &text) != nil {
			return fault.New(fault.Invalid, "invalid_value", fmt.Sprintf("%q must be a string.", name)).At(name)
		}
		switch name {
		case "title":
			title, err := parseTitle(text)
			if err != nil {
				return err
			}
			p.Title = &title
		case "end_reason":
			reason := session.EndReason(text)
			if text == "" || len(text) > 64 {
				return fault.New(fault.Invalid, "invalid_value", "\"end_reason\" is a text of 1–64 bytes.").At(name)
			}
			p.EndReason = &reason
		case "system_prompt":
			p.SystemPrompt = &text
		default:
			return fault.New(fault.Invalid, "unsupported_session_field", fmt.Sprintf("%q cannot be changed. Change title, system_prompt or end_reason.", name)).At(name)
		}
	}
	tip, err := s.find(r)
	if err != nil {
		return err
	}
	changed, err := s.Curator.Edit(r.Context(), ownerOf(r), tip.ID, p, s.ifMatch(r))
	if err != nil {
		return err
	}
	_, tag, err := s.represent(r.Context(), ownerOf(r), &changed)
	if err != nil {
		return err
	}
	w.Header().Set("ETag", tag)
	return writeJSON(w, http.StatusOK, oneSession(&changed, nil))
}

// deleteSession answers DELETE /api/sessions/{id}: it deletes the whole lineage. A
// prefix of an id is refused: when the request is repeated after the deletion, the
// prefix could name another session.
func (s *server) deleteSession(w http.ResponseWriter, r *http.Request) error {
	tip, err := s.eraseSession(r)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{"object": "hermes.session.deleted", "id": tip.ID, "deleted": true})
}

// eraseSession erases the lineage of the session that a path names.
func (s *server) eraseSession(r *http.Request) (session.Session, error) {
	id, err := session.ParseID(r.PathValue("id"))
	if err != nil {
		return session.Session{}, err
	}
	tip, err := s.Sessions.Tip(r.Context(), ownerOf(r), id)
	if err != nil {
		return tip, err
	}
	if err := s.stopTurnsOf(r, tip.ID); err != nil {
		return tip, err
	}
	_, err = s.Curator.Delete(r.Context(), ownerOf(r), tip.ID, s.ifMatch(r))
	return tip, err
}
