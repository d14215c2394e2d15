package httpapi

import (
	"encoding/json"
	"net/http"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// parseDetach reports whether the turn goes on after its client disconnects.
func parseDetach(r *http.Request) (bool, error) {
	text, err := single(r, detachHeader, "invalid_header")
	if err != nil {
		return false, err
	}
	switch text {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	}
	return false, fault.New(fault.Invalid, "invalid_header", detachHeader+" is \"true\" or left out.").At(detachHeader)
}

// detachedChat answers a chat completion whose turn goes on after its client
// disconnects. The answer is read from the run's log, so it can be read again. It has
// the text, the calls and the usage; other members of the upstream's chunks are not in
// the log.
func (s *server) detachedChat(w http.ResponseWriter, r *http.Request, req *run.Request, reply chatReply, streams bool) error {
	spec := live.Spec{ID: completionID(), Kind: live.KindChat, Turn: req}
	if req.Idempotency != nil {
		spec.ClientKey, spec.ClientHash = req.Idempotency.Key, req.Idempotency.BodyHash
	}
	rec, err := s.startLive(r, spec)
	if err != nil {
		return err
	}
	s.setRun(w.Header(), &rec, rec.ID != spec.ID)
	reply.head = openai.Head{ID: rec.ID, Created: rec.CreatedAt.Unix(), Model: rec.Model}
	d := &detached{s: s, w: w, r: r, stream: streams, reply: reply}
	defer d.close()
	for e, err := range s.Live.Follow(r.Context(), ownerOf(r), rec.ID, 0, nil) {
		if err != nil {
			return d.fail(nil, err)
		}
		if done, err := d.tell(&e); done || err != nil {
			return err
		}
	}
	return nil // the client is gone, and the turn goes on
}

// detached is the answer of a detached chat completion.
type detached struct {
	s      *server
	w      http.ResponseWriter
	r      *http.Request
	stream bool
	reply  chatReply
	out    *eventWriter // once a stream has begun
}

func (d *detached) close() {
	if d.out != nil {
		d.out.close()
	}
}

// tell sends an event to the client. It reports true when the answer is complete.
func (d *detached) tell(e *live.Event) (done bool, err error) {
	switch {
	case e.Type == live.RunStarted:
		var st live.Started
		if err := json.Unmarshal(e.Data, &st); err != nil {
			return true, err
		}
		return d.begin(&st), nil
	case e.Type == live.MessageDelta && d.out != nil:
		var p live.Piece
		if err := json.Unmarshal(e.Data, &p); err != nil {
			return true, err
		}
		return !d.piece(&p), nil
	case e.Type.Last():
		return true, d.end(e.Run)
	}
	return false, nil
}

// begin sets the headers of the effective session, and begins a stream.
func (d *detached) begin(st *live.Started) (gone bool) {
	if d.out != nil {
		return true // the turn started again on another server: text already sent cannot be taken back
	}
	setSession(d.w.Header(), st.Session, st.Root)
	d.w.Header().Set(responderHeader, string(st.Responder))
	if st.Created {
		d.w.Header().Set(createdHeader, "true")
	}
	d.reply.head.Model = st.Model
	if !d.stream {
		return false
	}
	d.out = newEventWriter(d.w, d.s.KeepAlive)
	return !d.out.data(d.reply.head.AppendChunk(nil, openai.AppendPiece(nil, "assistant", "", nil, false), ""))
}

// piece sends a piece of the answer, and reports whether the client is still connected.
func (d *detached) piece(p *live.Piece) bool {
	if p.Reasoning != "" {
		thought, _ := json.Marshal(map[string]string{"reasoning_content": p.Reasoning}) // strings only: cannot fail
		if !d.out.data(d.reply.head.AppendChunk(nil, thought, "")) {
			return false
		}
	}
	delta := &run.Delta{Content: p.Content}
	for _, c := range p.ToolCalls {
		delta.ToolCalls = append(delta.ToolCalls, run.ToolCall{Index: c.Index, ID: c.ID, Name: c.Name, Arguments: c.Arguments})
	}
	return d.reply.writeFields(d.out, delta, nil)
}

// end sends the result of the turn.
func (d *detached) end(rec *live.Run) error {
	if d.out == nil && rec.Root != "" {
		setSession(d.w.Header(), rec.Session, rec.Root)
	}
	res, err := resultOf(rec)
	if err != nil {
		return d.fail(res, err)
	}
	d.reply.head.Model = res.Model
	if d.out == nil {
		writeCompletion(d.w, res, d.reply.head)
		return nil
	}
	d.reply.writeFields(d.out, &run.Delta{FinishReason: res.Answer.FinishReason, Result: res}, hermesObject(res))
	if d.reply.usage {
		d.out.data(d.reply.head.AppendUsageChunk(nil, usage(res)))
	}
	d.out.data(openai.Done)
	return nil
}

// fail sends a failure: as a status, or in the stream once the stream has begun.
func (d *detached) fail(res *run.Result, err error) error {
	if d.out == nil {
		return err
	}
	d.s.streamError(d.out, d.r, res, err)
	return nil
}

// stopTurnsOf ends the detached turns of a session, so that erasing the session need
// not wait for them.
func (s *server) stopTurnsOf(r *http.Request, id session.ID) error {
	tip, err := s.Sessions.Tip(r.Context(), ownerOf(r), id)
	if fault.KindOf(err) == fault.NotFound {
		return nil // the next lookup reports it
	}
	if err == nil {
		s.Live.StopAll(r.Context(), ownerOf(r), tip.RootID)
	}
	return err
}
