package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/live"
)

// runEvents answers GET /v1/runs/{id}/events: what has happened and what happens,
// as server-sent events whose ids are places in the log.
func (s *server) runEvents(w http.ResponseWriter, r *http.Request) error {
	after, err := eventsAfter(r)
	if err != nil {
		return err
	}
	o, id := ownerOf(r), r.PathValue("id")
	rec, err := s.Live.Record(r.Context(), o, id)
	if err != nil {
		return err
	}
	s.setRun(w.Header(), &rec, false)
	if rec.State.Over() && after >= rec.Events {
		w.WriteHeader(http.StatusNoContent) // a browser's EventSource comes back for ever otherwise
		return nil
	}
	out := newEventWriter(w, s.KeepAlive)
	defer out.close()
	out.begin()
	for e, err := range s.Live.Follow(r.Context(), o, id, after) {
		if err != nil {
			return nil // it was deleted, or goes on with the next server: the reader comes back and sees
		}
		data, err := s.eventData(r, id, &e)
		if err != nil || !out.event(e.Seq, string(e.Type), data) {
			return nil
		}
	}
	return nil
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

// eventData is an event on the wire. The last one tells what the run came to.
func (s *server) eventData(r *http.Request, id string, e *live.Event) ([]byte, error) {
	head := map[string]any{"type": e.Type, "run_id": id, "seq": e.Seq, "at": e.At.Format(time.RFC3339Nano)}
	if e.Type.Last() {
		rec, err := s.Live.Record(r.Context(), ownerOf(r), id)
		if err != nil {
			return nil, err
		}
		out := turnOf(&rec)
		head["status"], head["session_id"] = out.Status, out.SessionID
		head["output"], head["usage"], head["hermes"], head["error"] = out.Output, out.Usage, out.Hermes, out.Error
		if out.ToolCalls != nil {
			head["tool_calls"] = out.ToolCalls
		}
		return json.Marshal(head)
	}
	var data map[string]json.RawMessage
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return nil, fmt.Errorf("read event: %w", err)
	}
	for name, value := range data {
		head[name] = value
	}
	return json.Marshal(head)
}

// begin sends the head of the response before there is an event.
func (e *eventWriter) begin() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failed = e.rc.Flush() != nil
}

// event writes one event with its id and name, and reports whether the client
// still takes it.
func (e *eventWriter) event(id int64, name string, data []byte) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.write(fmt.Sprintf("id: %d\nevent: %s\ndata: ", id, name), data, "\n\n")
	e.timer.Reset(e.pause)
	return !e.failed
}
