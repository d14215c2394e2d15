package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// scope reads the scope of a request about memory: session_id and session_key of the
// query, else the headers. as_of selects the memory as it was known at a time.
func (s *server) scope(r *http.Request) (memory.Scope, error) {
	h, err := memoryHeaders(r)
	if err != nil {
		return memory.Scope{}, err
	}
	if r.URL.Query().Has("session_id") { // as in a path, a prefix is enough
		tip, err := s.named(r, h.id)
		switch {
		case err == nil:
			h.id = tip.ID
		case fault.KindOf(err) != fault.NotFound:
			return memory.Scope{}, err
		}
	}
	scope, err := s.Curator.Scope(r.Context(), ownerOf(r), h.id, h.key)
	if err != nil {
		return scope, err
	}
	scope.AsOf, err = instant(r.URL.Query().Get("as_of"), "as_of", "invalid_as_of", bound.DayEnd)
	return scope, err
}

// memoryHeaders reads the session id and key of a request about memory.
func memoryHeaders(r *http.Request) (sessionHeaders, error) {
	h, err := parseSessionHeaders(r)
	if err != nil {
		return h, err
	}
	q := r.URL.Query()
	if text := q.Get("session_id"); text != "" {
		if h.id, err = session.ParseID(text); err != nil {
			return h, err
		}
	}
	if text := q.Get("session_key"); text != "" {
		if h.key, err = session.ParseKey(text); err != nil {
			return h, err
		}
	}
	return h, nil
}

// instant reads a time of the query, or a day; zero if there is none. code is the code of
// the fault for an invalid time.
func instant(text, name, code string, of bound.Day) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := bound.ParseMoment(text, of)
	if err != nil {
		return at, fault.New(fault.Invalid, code, fmt.Sprintf("%q must be %s.", name, bound.AllowedDay)).At(name)
	}
	return at, nil
}

// The axes of time: what was known at a time, and what was true then.
const (
	axisKnown = "known"
	axisValid = "valid"
)

// listFacts answers GET /api/memory: the facts of a scope in the order they were
// learnt. With axis=valid, as_of is the time at which facts held, instead of the time
// at which they were known.
func (s *server) listFacts(w http.ResponseWriter, r *http.Request) error {
	scope, err := s.scope(r)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	query, err := parseFactQuery(q)
	if err != nil {
		return err
	}
	switch q.Get("axis") {
	case "", axisKnown:
	case axisValid:
		query.HeldAt, scope.AsOf = scope.AsOf, time.Time{}
	default:
		return fault.New(fault.Invalid, "invalid_axis", "\"axis\" is known or valid.").At("axis")
	}
	if !pagesFacts(q) {
		return s.writeFacts(w, r, scope, &query)
	}
	page, err := s.Curator.FactPage(r.Context(), ownerOf(r), scope, query)
	if err != nil {
		return err
	}
	out := factListOf(&page)
	out.Counts = countsOf(&page.Counts)
	return writeJSON(w, http.StatusOK, out)
}

// writeFacts answers with all facts of a scope that a query selects.
func (s *server) writeFacts(w http.ResponseWriter, r *http.Request, scope memory.Scope, query *memory.FactQuery) error {
	facts, err := s.Curator.Facts(r.Context(), ownerOf(r), scope)
	if err != nil {
		return err
	}
	data := []factJSON{}
	for i := range facts {
		if query.Wants(&facts[i]) {
			data = append(data, factOf(&facts[i]))
		}
	}
	return writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": data})
}

// getFact answers GET /api/memory/{fact_id}.
func (s *server) getFact(w http.ResponseWriter, r *http.Request) error {
	scope, err := s.scope(r)
	if err != nil {
		return err
	}
	fact, err := s.Curator.Fact(r.Context(), ownerOf(r), scope, memory.FactID(r.PathValue("fact_id")))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, factOf(&fact))
}

// recalledJSON is a message that answers a question.
type recalledJSON struct {
	MessageID int64        `json:"message_id"`
	FactID    *string      `json:"fact_id,omitempty"`
	SessionID session.ID   `json:"session_id"`
	Seq       int64        `json:"seq"`
	Role      session.Role `json:"role"`
	Speaker   string       `json:"speaker,omitempty"`
	Quote     string       `json:"quote"`
	SaidAt    time.Time    `json:"said_at"`
	Score     float64      `json:"score"`
	Reasons   []reasonJSON `json:"reasons,omitempty"`
}

// reasonJSON is one part of a score.
type reasonJSON struct {
	Feature string  `json:"feature"`
	Weight  float64 `json:"weight"`
	Detail  string  `json:"detail,omitempty"`
}

func recalledOf(c *curate.Recalled) recalledJSON {
	d := &c.Quote
	out := recalledJSON{
		MessageID: d.MessageID, FactID: optional(c.Fact), SessionID: d.SessionID, Seq: d.Seq, Role: d.Role,
		Speaker: d.Speaker, Quote: d.Text, SaidAt: d.SaidAt, Score: c.Score,
	}
	for _, reason := range c.Reasons {
		out.Reasons = append(out.Reasons, reasonJSON{reason.Feature, reason.Weight, reason.Detail})
	}
	return out
}

// recall answers GET /api/memory/recall: the facts and quotes that a turn asking q
// would be given.
func (s *server) recall(w http.ResponseWriter, r *http.Request) error {
	scope, err := s.scope(r)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	if q.Get("q") == "" {
		return fault.New(fault.Invalid, "query_required", "Say what to look for in \"q\".").At("q")
	}
	limit, err := number(q.Get("limit"), "limit", 10, 100)
	if err != nil {
		return err
	}
	found, err := s.Curator.Recall(r.Context(), ownerOf(r), scope, ranking.Query{
		Text: q.Get("q"), Limit: limit, At: scope.AsOf, Explain: q.Get("explain") == "true",
	})
	if err != nil {
		return err
	}
	data := []recalledJSON{}
	for i := range found {
		data = append(data, recalledOf(&found[i]))
	}
	return writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": data})
}

// timeline answers GET /api/sessions/{id}/timeline?topic=.
func (s *server) timeline(w http.ResponseWriter, r *http.Request) error {
	h, err := parseSessionHeaders(r)
	if err != nil {
		return err
	}
	tip, err := s.find(r)
	if err != nil {
		return err
	}
	facts, err := s.Curator.Timeline(r.Context(), ownerOf(r), curate.ScopeOf(&tip, h.key), r.URL.Query().Get("topic"))
	if err != nil {
		return err
	}
	data := []factJSON{}
	for i := range facts {
		data = append(data, factOf(&facts[i]))
	}
	setSession(w.Header(), tip.ID, tip.RootID)
	return writeJSON(w, http.StatusOK, map[string]any{"object": "list", "session_id": tip.ID, "data": data})
}

// asJSON is a text that is JSON; nil if it is empty or no longer valid JSON.
func asJSON(text string) json.RawMessage {
	if !json.Valid([]byte(text)) {
		return nil
	}
	return json.RawMessage(text)
}

// receipt answers GET /api/receipts/{id}: the facts and messages that a reply was
// given, with their words.
func (s *server) receipt(w http.ResponseWriter, r *http.Request) error {
	show, err := parseShowing(r.URL.Query())
	if err != nil {
		return err
	}
	why, err := s.Curator.Why(r.Context(), ownerOf(r), r.PathValue("id"))
	if err != nil {
		return err
	}
	out := struct {
		Object    string            `json:"object"`
		ID        string            `json:"id"`
		SessionID session.ID        `json:"session_id"`
		RootID    session.ID        `json:"_lineage_root_id"`
		At        time.Time         `json:"at"`
		Model     string            `json:"model"`
		Responder lineage.Responder `json:"responder"`
		Answer    messageJSON       `json:"answer"`
		Facts     []factJSON        `json:"facts"`
		Recalled  []recalledJSON    `json:"recalled"`
		Sent      []messageJSON     `json:"sent"`
		External  *lineage.External `json:"external_memory,omitempty"`
		Tools     []lineage.ToolUse `json:"tools,omitempty"`
		Context   lineage.Context   `json:"context"`
		System    string            `json:"system,omitempty"`
		Offered   json.RawMessage   `json:"tool_definitions,omitempty"`
		Settings  json.RawMessage   `json:"settings,omitempty"`
	}{
		Object: "hermes.receipt", ID: why.ID, SessionID: why.SessionID, RootID: why.RootID, At: why.At, Model: why.Model,
		Responder: why.Responder, Answer: messageOf(&why.Answer), Facts: []factJSON{}, Recalled: []recalledJSON{},
		Sent: []messageJSON{}, External: why.External, Tools: why.Tools, Context: why.Context,
		System: why.Frame.System, Offered: asJSON(why.Frame.Tools), Settings: asJSON(why.Frame.Settings),
	}
	for i := range why.Facts {
		out.Facts = append(out.Facts, factOf(&why.Facts[i]))
	}
	for i := range why.Recalled {
		out.Recalled = append(out.Recalled, recalledOf(&curate.Recalled{Quote: why.Recalled[i]}))
	}
	for i := range why.Sent {
		out.Sent = append(out.Sent, messageOf(&why.Sent[i]))
		show.shape(&out.Sent[i])
	}
	show.shape(&out.Answer)
	return writeJSON(w, http.StatusOK, out)
}
