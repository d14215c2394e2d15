package httpapi

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// runDetail is the data that this door stores with a run, in addition to its turn.
type runDetail struct {
	Metadata json.RawMessage `json:"metadata,omitempty"`
}

// runJSON is a run on the wire.
type runJSON struct {
	Object      string          `json:"object"`
	RunID       string          `json:"run_id"`
	Kind        live.Kind       `json:"kind"`
	Status      live.State      `json:"status"`
	SessionID   session.ID      `json:"session_id"`
	RootID      *string         `json:"lineage_root_id"`
	SessionKey  *string         `json:"session_key"`
	Model       *string         `json:"model"`
	Output      *string         `json:"output"`
	ToolCalls   json.RawMessage `json:"tool_calls,omitempty"`
	Usage       json.RawMessage `json:"usage"`
	Hermes      json.RawMessage `json:"hermes"`
	Error       json.RawMessage `json:"error"`
	Approvals   []live.Approval `json:"approvals"`
	Metadata    json.RawMessage `json:"metadata"`
	OnRestart   live.OnRestart  `json:"on_restart"`
	Attempts    int             `json:"attempts"`
	FirstSeq    *int64          `json:"first_seq"`
	EndSeq      *int64          `json:"end_seq"`
	LastEventID int64           `json:"last_event_id"`
	CreatedAt   time.Time       `json:"created_at"`
	StartedAt   *time.Time      `json:"started_at"`
	FinishedAt  *time.Time      `json:"finished_at"`
}

func runOf(r *live.Run) runJSON {
	out := runJSON{
		Object: "hermes.run", RunID: r.ID, Kind: r.Kind, Status: r.State, SessionID: r.Session, RootID: optional(r.Root),
		SessionKey: optional(r.Key),
		Model:      optional(r.Model), Approvals: some(r.Approvals), OnRestart: r.OnRestart, Attempts: r.Attempts, LastEventID: r.Events,
		CreatedAt: r.CreatedAt, StartedAt: optionalTime(r.StartedAt), FinishedAt: optionalTime(r.FinishedAt),
	}
	var detail runDetail
	if json.Unmarshal(r.Request, &detail) == nil {
		out.Metadata = detail.Metadata
	}
	if r.EndSeq > 0 {
		out.FirstSeq, out.EndSeq = &r.FirstSeq, &r.EndSeq
	}
	outcomeOf(r, &out)
	return out
}

// outcomeOf fills in the outcome of a run.
func outcomeOf(r *live.Run, out *runJSON) {
	if r.Failure != nil {
		out.Error = bareError(r.Failure.Fault())
	}
	if r.Result == nil {
		return
	}
	text := r.Output()
	out.Output, out.ToolCalls = &text, r.Result.Answer.ToolCalls
	out.Usage, out.Hermes = usage(r.Result), hermesObject(r.Result)
}

// bareError is the "error" member of an error's body.
func bareError(f *fault.Error) json.RawMessage {
	var body struct {
		Error json.RawMessage `json:"error"`
	}
	_ = json.Unmarshal(errorBody(f), &body) // it was just encoded
	return body.Error
}

// runInput holds the fields of a run request, except the parameters of its turn.
type runInput struct {
	Input        json.RawMessage `json:"input"`
	Messages     json.RawMessage `json:"messages"`
	Instructions string          `json:"instructions"`
	SessionID    string          `json:"session_id"`
	SessionKey   string          `json:"session_key"`
	Metadata     json.RawMessage `json:"metadata"`
	OnRestart    live.OnRestart  `json:"on_restart"`

	chat *openai.ChatRequest // the turn
}

// maxMetadata bounds the metadata of a run, in bytes.
const maxMetadata = 16 << 10

// parseRun reads the body of a run: the run's own fields, and the chat completion that
// it asks for.
func parseRun(body []byte) (*runInput, error) {
	var in runInput
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, invalidJSON(err)
	}
	switch in.OnRestart {
	case "", live.Retry, live.Interrupt:
	default:
		return nil, fault.New(fault.Invalid, "invalid_on_restart", "\"on_restart\" is \"retry\" or \"interrupt\".").At("on_restart")
	}
	var metadata map[string]any
	if in.Metadata != nil && (json.Unmarshal(in.Metadata, &metadata) != nil || len(in.Metadata) > maxMetadata) {
		return nil, fault.New(fault.Invalid, "invalid_metadata", "\"metadata\" must be an object of at most 16 KiB.").At("metadata")
	}
	messages, err := in.messages()
	if err != nil {
		return nil, err
	}
	in.Input, in.Messages = nil, nil // frees the memory: they may be large
	sets := []openai.Set{{Name: "messages", Value: messages}}
	for _, own := range []string{"input", "instructions", "session_id", "session_key", "metadata", "on_restart"} {
		sets = append(sets, openai.Set{Name: own}) // not a parameter of the upstream
	}
	chat, err := openai.Splice(body, sets...)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, "invalid_json", "The request body is not a JSON object, or it names a member twice.", err)
	}
	in.chat, err = openai.ParseChat(chat)
	return &in, err
}

// messages are the messages of the turn in JSON.
func (in *runInput) messages() (json.RawMessage, error) {
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	if (in.Input == nil) == (in.Messages == nil) {
		return nil, fault.New(fault.Invalid, "missing_input", "Say what the run is about: \"input\" with a text, or \"messages\".").At("input")
	}
	given := in.Messages
	if in.Input != nil {
		given = in.Input
	}
	var first []byte
	if in.Instructions != "" {
		first, _ = json.Marshal(message{"system", in.Instructions}) // strings only: cannot fail
	}
	if in.Input != nil && given[0] == '"' { // a text is content unchanged
		return inList(first, []byte(`{"role":"user","content":`), given, []byte(`}`)), nil
	}
	list, err := openai.Elements(given)
	if err != nil {
		return nil, fault.New(fault.Invalid, "invalid_input",
			"\"input\" is a text or a list of messages, \"messages\" a list of messages.").At("input")
	}
	if len(list) == 0 {
		return inList(first), nil
	}
	from := bytes.IndexByte(given, '[') + 1
	return inList(first, given[from:len(given)-1]), nil
}

// inList is a JSON array: first, if it is not empty, and one element joined from the
// other texts.
func inList(first []byte, rest ...[]byte) json.RawMessage {
	parts := [][]byte{[]byte("["), first}
	if first != nil && len(rest) > 0 {
		parts = append(parts, []byte(","))
	}
	return slices.Concat(append(append(parts, rest...), []byte("]"))...)
}

// createRun answers POST /v1/runs.
func (s *server) createRun(w http.ResponseWriter, r *http.Request) error {
	t, in, err := readTurn(s, w, r, parseRun)
	if err != nil {
		return err
	}
	if t.sessionHeaders, err = runSession(t.r, t.sessionHeaders, in); err != nil {
		return err
	}
	req, err := t.chat(in.chat)
	if err != nil {
		return err
	}
	key, err := parseIdempotencyKey(r)
	if err != nil {
		return err
	}
	spec := live.Spec{ID: newRunID(), Kind: live.KindRun, Turn: req, OnRestart: in.OnRestart}
	if key != "" { // the run is idempotent already
		spec.ClientKey, spec.ClientHash = key, t.hash()
	}
	if in.Metadata != nil {
		spec.Request, _ = json.Marshal(runDetail{in.Metadata}) // valid JSON: cannot fail
	}
	parsed(r)
	rec, err := s.startLive(r, spec)
	if err != nil {
		return err
	}
	out := runOf(&rec)
	if rec.State == live.Running {
		out.Status = "started"
	}
	s.setRun(w.Header(), &rec, rec.ID != spec.ID)
	w.Header().Set("Location", "/v1/runs/"+rec.ID)
	return writeJSON(w, http.StatusAccepted, out)
}

func newRunID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return "run_" + hex.EncodeToString(b[:])
}

// runSession is the session of a run: from the body, else from the headers.
func runSession(r *http.Request, h sessionHeaders, in *runInput) (sessionHeaders, error) {
	err := errors.Join(refuseSession(r, "session_id", in.SessionID), refuseSession(r, "session_key", in.SessionKey))
	if err != nil {
		return h, err
	}
	if in.SessionID != "" {
		if h.id, err = session.ParseID(in.SessionID); err != nil {
			return h, err
		}
	}
	if in.SessionKey != "" {
		h.key, err = session.ParseKey(in.SessionKey)
	}
	return h, err
}

// startLive starts a run for a turn, which must be a stored one. A session without a
// name gets one.
func (s *server) startLive(r *http.Request, spec live.Spec) (live.Run, error) {
	req := spec.Turn
	if req.OffRecord || !req.AsOf.IsZero() {
		return live.Run{}, fault.New(fault.Invalid, "run_off_record",
			"A turn that goes on without its client is kept. Leave out "+storeHeader+", "+taskHeader+" and "+asOfHeader+".")
	}
	req, err := s.Runner.Locate(r.Context(), req)
	if err != nil {
		return live.Run{}, err
	}
	if req.Session == "" {
		req.Session = session.NewID(s.Now())
	}
	spec.Turn = req
	rec, err := s.Live.Start(r.Context(), ownerOf(r), spec)
	digested(r)
	return rec, err
}

// setRun sets the headers of the run and its session.
func (s *server) setRun(h http.Header, rec *live.Run, replayed bool) {
	h.Set(runIDHeader, rec.ID)
	h.Set(sessionIDHeader, string(rec.Session))
	if rec.Root != "" {
		h.Set(rootIDHeader, string(rec.Root))
	}
	if rec.Key != "" {
		h.Set(sessionKeyHeader, string(rec.Key))
	}
	if replayed {
		h.Set(replayedHeader, "true")
	}
}

// listTurns answers GET /v1/runs, newest first.
func (s *server) listTurns(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	limit, err := number(q.Get("limit"), "limit", 20, 100)
	if err != nil {
		return err
	}
	f, err := s.runFilter(r)
	if err != nil {
		return err
	}
	f.Limit = limit + 1
	if cursor := q.Get("cursor"); cursor != "" {
		at, err := parseCursor(cursor)
		if err != nil {
			return err
		}
		f.Before = live.Cursor{CreatedAt: at.LastActive, ID: string(at.ID)}
	}
	rows, err := s.Live.Runs(r.Context(), ownerOf(r), f)
	if err != nil {
		return err
	}
	rows, next := cutPage(rows, limit, func(last *live.Run) string {
		return formatCursor(session.Cursor{LastActive: last.CreatedAt, ID: session.ID(last.ID)})
	})
	return writeJSON(w, http.StatusOK, pageOf(rows, next, runOf))
}

// runFilter reads which runs a query selects: status, "open" for all that are not over, and
// session_id, any id of a lineage.
func (s *server) runFilter(r *http.Request) (live.Filter, error) {
	var f live.Filter
	q := r.URL.Query()
	switch state := live.State(q.Get("status")); state {
	case "open":
		f.Open = true
	case "", live.Queued, live.Running, live.Waiting, live.Stopping, live.Completed, live.Failed, live.Cancelled, live.Interrupted:
		f.State = state
	default:
		return f, fault.New(fault.Invalid, "invalid_status", "\"status\" is open, or a state of a run: queued, running, waiting_for_approval, "+
			"stopping, completed, failed, cancelled, interrupted.").At("status")
	}
	text := q.Get("session_id")
	if text == "" {
		return f, nil
	}
	id, err := session.ParseID(text)
	if err != nil {
		return f, err
	}
	f.Session = id
	tip, err := s.named(r, id) // a prefix is enough; a session that has no turn yet is unknown
	if err == nil {
		f.Session = tip.ID
	} else if fault.KindOf(err) != fault.NotFound {
		return f, err
	}
	return f, nil
}

// getTurn answers GET /v1/runs/{id}.
func (s *server) getTurn(w http.ResponseWriter, r *http.Request) error {
	rec, err := s.Live.Run(r.Context(), ownerOf(r), r.PathValue("id"))
	if err != nil {
		return err
	}
	return s.writeTurn(w, &rec)
}

func (s *server) writeTurn(w http.ResponseWriter, rec *live.Run) error {
	s.setRun(w.Header(), rec, false)
	return writeJSON(w, http.StatusOK, runOf(rec))
}

// stopTurn answers POST /v1/runs/{id}/stop.
func (s *server) stopTurn(w http.ResponseWriter, r *http.Request) error {
	rec, err := s.Live.Stop(r.Context(), ownerOf(r), r.PathValue("id"))
	if err != nil {
		return err
	}
	return s.writeTurn(w, &rec)
}

// approveCall answers POST /v1/runs/{id}/approval.
func (s *server) approveCall(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Approve *bool  `json:"approve"`
		CallID  string `json:"call_id"`
	}
	if err := decode(r, &in); err != nil {
		return err
	}
	if in.Approve == nil {
		return fault.New(fault.Invalid, "missing_approve", "Say whether the call may be run: {\"approve\": true} or false.").At("approve")
	}
	rec, err := s.Live.Approve(r.Context(), ownerOf(r), r.PathValue("id"), in.CallID, *in.Approve)
	if err != nil {
		return err
	}
	return s.writeTurn(w, &rec)
}

// deleteTurn answers DELETE /v1/runs/{id}. Its messages stay in the session.
func (s *server) deleteTurn(w http.ResponseWriter, r *http.Request) error {
	if err := s.Live.Delete(r.Context(), ownerOf(r), r.PathValue("id")); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{"object": "hermes.run", "run_id": r.PathValue("id"), "deleted": true})
}

// resultOf is the result of a run, or the fault with which it ended.
func resultOf(rec *live.Run) (*run.Result, error) {
	if rec.Failure != nil {
		return rec.Result, rec.Failure.Fault()
	}
	if rec.Result == nil {
		return nil, fault.New(fault.Internal, "internal_error", "The turn ended without a result.")
	}
	return rec.Result, nil
}
