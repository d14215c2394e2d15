package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/openai"
)

// narrator turns the log of a stored response into its events. The log is stored before
// it is read, so every reader gets the same events.
type narrator struct {
	it    *stored
	told  *openai.ResponseStream
	begun bool
	start live.Started // of the turn
}

func newNarrator(it *stored) *narrator {
	return &narrator{it: it, told: openai.NewResponseStream(it.head())}
}

// event translates one event of the log.
func (n *narrator) event(e *live.Event) ([]openai.ResponseEvent, error) {
	switch {
	case e.Type == live.RunStarted:
		if err := json.Unmarshal(e.Data, &n.start); err != nil {
			return nil, fmt.Errorf("read event %d: %w", e.Seq, err)
		}
		return n.begin(n.start.Model), nil
	case e.Type == live.MessageDelta:
		var p live.Piece
		if err := json.Unmarshal(e.Data, &p); err != nil {
			return nil, fmt.Errorf("read event %d: %w", e.Seq, err)
		}
		return n.told.Add(pieceOfLog(&p)), nil
	case e.Type.Last():
		it, err := readStored(*e.Run)
		if err != nil {
			return nil, err
		}
		n.it = it
		var events []openai.ResponseEvent
		if !n.begun {
			events = n.begin("")
		}
		end := it.end()
		return append(events, n.told.End(&end)...), nil
	}
	return nil, nil
}

// begin reports the start of the turn, the first or a later one.
func (n *narrator) begin(model string) []openai.ResponseEvent {
	if n.begun {
		return n.told.Again()
	}
	n.begun = true
	return n.told.Begin(model)
}

func pieceOfLog(p *live.Piece) *openai.Piece {
	out := &openai.Piece{Content: p.Content, Reasoning: p.Reasoning}
	for _, c := range p.ToolCalls {
		call := openai.Call{Index: c.Index, ID: c.ID}
		call.Function.Name, call.Function.Arguments = c.Name, c.Arguments
		out.ToolCalls = append(out.ToolCalls, call)
	}
	return out
}

// followResponse streams a stored response after an event that the client already has.
// fresh says that this request created the response: a failure before the turn begins
// then gets its own status. A client that disconnects stops nothing.
func (s *server) followResponse(w http.ResponseWriter, r *http.Request, it *stored, after int, fresh bool) error {
	n := newNarrator(it)
	if r.Method == http.MethodHead {
		n.setHeaders(w.Header(), fresh)
		onlyHead(w, r)
		return nil
	}
	var out *eventWriter
	open := func() {
		if out == nil {
			n.setHeaders(w.Header(), fresh)
			out = newEventWriter(w, s.KeepAlive)
		}
	}
	defer func() {
		if out != nil {
			out.close()
		}
	}()
	if !fresh {
		open()
	}
	for e, err := range s.Live.Follow(r.Context(), ownerOf(r), it.ID, 0, nil) {
		var events []openai.ResponseEvent
		if err == nil {
			events, err = n.event(&e)
		}
		if err == nil && out == nil && e.Type.Last() {
			err = n.refusal(w.Header())
		}
		if err != nil {
			if out == nil {
				return err
			}
			s.Log.Log(r.Context(), levelOf(status(asFault(err))), "stream failed", "response_id", it.ID, "err", err)
			return nil // the stream breaks off, and the client can resume it
		}
		open()
		if !out.events(events, after) {
			return nil
		}
	}
	return nil
}

// refusal is why a turn did not begin; nil if it did.
func (n *narrator) refusal(h http.Header) error {
	if n.start.Attempt > 0 || n.it.Failure == nil {
		return nil
	}
	if n.it.Root != "" {
		setSession(h, n.it.Session, n.it.Root)
	}
	return ofInput(n.it.Failure.Fault())
}

// setHeaders sets the headers of the turn's session.
func (n *narrator) setHeaders(h http.Header, fresh bool) {
	n.it.setHeaders(h)
	if n.start.Attempt == 0 {
		return
	}
	setSession(h, n.start.Session, n.start.Root)
	h.Set(responderHeader, string(n.start.Responder))
	if fresh && n.start.Created {
		h.Set(createdHeader, "true")
	}
}

// awaitResponse answers when a stored response is over.
func (s *server) awaitResponse(w http.ResponseWriter, r *http.Request, it *stored) error {
	n := newNarrator(it)
	for e, err := range s.Live.Follow(r.Context(), ownerOf(r), it.ID, 0, nil) {
		if err == nil {
			_, err = n.event(&e)
		}
		if err != nil {
			return err
		}
	}
	if !n.it.State.Over() {
		return fault.New(fault.Canceled, "cancelled", "The request was cancelled.")
	}
	n.setHeaders(w.Header(), true)
	if f := n.it.Failure; f != nil {
		return ofInput(f.Fault())
	}
	writeRaw(w, http.StatusOK, n.told.Response().Append(nil))
	return nil
}
