package httpapi

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/session"
)

// runEvents answers GET /v1/runs/{id}/events: the past and future events of the run, as
// server-sent events whose ids are their positions in the log.
func (s *server) runEvents(w http.ResponseWriter, r *http.Request) error {
	after, err := eventsAfter(r)
	if err != nil {
		return err
	}
	nodes, err := asksNodes(r.URL.Query())
	if err != nil {
		return err
	}
	over := false
	err = apart(func() error {
		rec, err := s.Live.Run(r.Context(), ownerOf(r), r.PathValue("id"))
		if err == nil {
			s.setRun(w.Header(), &rec, false)
			over = rec.State.Over() && after >= rec.Events
		}
		return err
	})
	if err != nil {
		return err
	}
	if over {
		w.WriteHeader(http.StatusNoContent) // otherwise a browser's EventSource would reconnect for ever
		return nil
	}
	if onlyHead(w, r) {
		return nil
	}
	if nodes {
		s.tellNodes(newEventWriter(w, 0), r, after)
		return nil
	}
	s.tellRun(newEventWriter(w, 0), r, after)
	return nil
}

// apart runs f in a new goroutine and waits for it. A call of the store needs a deep
// stack, and a goroutine that called it and then waits for days would keep that stack.
// A panic becomes an error.
func apart(f func() error) error {
	return <-recovery.Async(f)
}

// tellRun sends the events of a run until the run is over or the client disconnects.
// There may be ten thousand such clients, so the stack of a waiting goroutine must stay
// small. The goroutine also sends its keep-alives: timers that start a goroutine for
// each would need as much memory again.
func (s *server) tellRun(out *eventWriter, r *http.Request, after int64) {
	defer out.close()
	out.begin()
	id := r.PathValue("id")
	idle := time.NewTimer(s.KeepAlive)
	defer idle.Stop()
	for e, err := range s.Live.Follow(r.Context(), ownerOf(r), id, after, idle.C) {
		if err != nil || !tellEvent(out, id, &e) {
			return // the run was deleted, or the server is stopping: the client reconnects
		}
		idle.Reset(s.KeepAlive)
	}
}

// eventsAfter is the Seq after which a client continues: its last event if it
// reconnects by itself, else the one that it names.
func eventsAfter(r *http.Request) (int64, error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		text = r.URL.Query().Get("after")
	}
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fault.New(fault.Invalid, "invalid_event_id", "Last-Event-ID, or \"after\", is the id of an event of this run.").At("after")
	}
	return n, nil
}

// tellEvent sends one event, or a keep-alive, and reports whether the client is still
// connected.
func tellEvent(out *eventWriter, id string, e *live.Event) bool {
	if e.Seq == 0 {
		return out.keepAlive()
	}
	data, err := eventData(id, e)
	return err == nil && out.numbered(e.Seq, string(e.Type), data)
}

// eventData is an event on the wire: the fields of all events, then the data of this
// one. The last event also has the outcome of the run.
func eventData(id string, e *live.Event) ([]byte, error) {
	data := []byte(e.Data)
	if e.Run != nil {
		var err error
		if data, err = json.Marshal(endOfRun(e.Run)); err != nil {
			return nil, err
		}
	}
	b := make([]byte, 0, 160+len(data))
	b = append(append(b, `{"type":"`...), e.Type...)
	b, err := jsontext.AppendQuote(append(b, `","run_id":`...), id)
	if err != nil {
		return nil, err
	}
	b = strconv.AppendInt(append(b, `,"seq":`...), e.Seq, 10)
	b = e.At.AppendFormat(append(b, `,"at":"`...), time.RFC3339Nano)
	if len(data) <= len("{}") {
		return append(b, `"}`...), nil
	}
	return append(append(b, `",`...), data[1:]...), nil
}

// runEnd is the outcome of a run in its last event.
type runEnd struct {
	Status    live.State      `json:"status"`
	SessionID session.ID      `json:"session_id"`
	Output    *string         `json:"output"`
	ToolCalls json.RawMessage `json:"tool_calls,omitempty"`
	Usage     json.RawMessage `json:"usage"`
	Hermes    json.RawMessage `json:"hermes"`
	Error     json.RawMessage `json:"error"`
}

func endOfRun(rec *live.Run) runEnd {
	out := runOf(rec)
	return runEnd{Status: out.Status, SessionID: out.SessionID, Output: out.Output, ToolCalls: out.ToolCalls, Usage: out.Usage,
		Hermes: out.Hermes, Error: out.Error}
}
