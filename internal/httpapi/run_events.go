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
		w.WriteHeader(http.StatusNoContent) // a browser's EventSource comes back for ever otherwise
		return nil
	}
	s.tellRun(newEventWriter(w, 0), r, after)
	return nil
}

// apart calls f on a goroutine of its own and waits for it. The way down to the
// store needs a deep stack, and a stream that calls f and is then idle for days
// would keep one. A panic is an error.
func apart(f func() error) error {
	return <-recovery.Async(f)
}

// tellRun tells the events of a run until it is over, or its reader gone. There
// may be very many readers: what each waits in must stay shallow, and it keeps its
// connection alive itself, for ten thousand goroutines that a timer starts for
// that at about the same time would take as much memory again.
func (s *server) tellRun(out *eventWriter, r *http.Request, after int64) {
	defer out.close()
	out.begin()
	id := r.PathValue("id")
	idle := time.NewTimer(s.KeepAlive)
	defer idle.Stop()
	for e, err := range s.Live.Follow(r.Context(), ownerOf(r), id, after, idle.C) {
		if err != nil || !tellEvent(out, id, &e) {
			return // it was deleted, or goes on with the next server: the reader comes back and sees
		}
		idle.Reset(s.KeepAlive)
	}
}

// eventsAfter is the Seq that a reader has come to: of its last event when it
// comes back by itself, or the one it names.
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

// tellEvent tells one event, or that there is none, and reports whether the reader
// still takes it.
func tellEvent(out *eventWriter, id string, e *live.Event) bool {
	if e.Seq == 0 {
		return out.keepAlive()
	}
	data, err := eventData(id, e)
	return err == nil && out.numbered(e.Seq, string(e.Type), data)
}

// eventData is an event on the wire: what all of them have, then its own data;
// with the last one, what the run came to.
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

// runEnd is what the last event of a run tells.
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
