package httpapi

import (
	"encoding/json"
	"net/http"

	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/run"
)

// chatReply is the state that the pieces of one streamed answer share.
type chatReply struct {
	head openai.Head
	// usage says that the client asked for a chunk with usage.
	usage bool
	// told says that this chunk has been sent.
	told bool
	// begun says that the upstream's first chunk has been seen.
	begun bool
}

// streamChat answers piece by piece. After the first byte, a failure is sent inside the
// stream.
func (s *server) streamChat(w http.ResponseWriter, r *http.Request, stream *run.Stream, reply chatReply) error {
	out := newEventWriter(w, s.KeepAlive)
	defer out.close()
	out.data(reply.head.AppendChunk(nil, openai.AppendPiece(nil, "assistant", "", nil, false), ""))
	var res *run.Result
	for d, err := range stream.Deltas(r.Context()) {
		if d.Result != nil {
			res = d.Result
			if d.Raw == nil {
				reply.head.Model = res.Model
			}
		}
		if err != nil {
			s.streamError(out, r, res, err)
			return nil
		}
		if !reply.write(out, &d) {
			return nil // the client is gone: leaving the loop cancels the turn
		}
	}
	if reply.usage && !reply.told && res != nil {
		out.data(reply.head.AppendUsageChunk(nil, usage(res)))
	}
	out.data(openai.Done)
	return nil
}

// write sends one piece and reports whether the client is still connected.
func (c *chatReply) write(out *eventWriter, d *run.Delta) bool {
	if d.NoChoices {
		if !c.usage || d.Usage == nil { // without a usage, this server's own is sent at the end
			return true
		}
		c.told = true
	}
	var hermes []byte
	if d.Result != nil {
		hermes = hermesObject(d.Result)
	}
	if d.Raw == nil {
		return c.writeFields(out, d, hermes)
	}
	if !c.begun && saysNothing(d) {
		c.begun = true // the upstream's first chunk: this server has sent its own
		return true
	}
	c.begun = true
	return out.data(c.rewrite(d.Raw, hermes))
}

// saysNothing reports whether a chunk only begins the answer.
func saysNothing(d *run.Delta) bool {
	if d.Finishes || d.NoChoices {
		return false
	}
	return d.Content+d.Reasoning == "" && len(d.ToolCalls) == 0 && d.Usage == nil
}

// rewrite changes three things in a chunk of the upstream: the id, which is the same
// for the whole stream; the role, which is sent once; and the "hermes" member of the
// final chunk. All other bytes pass unchanged.
func (c *chatReply) rewrite(raw, hermes []byte) []byte {
	chunk, err := openai.WithID(raw, c.head.ID)
	if err == nil {
		chunk, err = openai.WithoutRole(chunk)
	}
	if err == nil && hermes != nil {
		chunk, err = openai.WithMember(chunk, "hermes", hermes)
	}
	if err != nil { // cannot happen, because the chunk was parsed before; the text still counts
		return raw
	}
	return chunk
}

// writeFields sends a piece of a model that does not speak chat completions.
func (c *chatReply) writeFields(out *eventWriter, d *run.Delta, hermes []byte) bool {
	if d.Content != "" || len(d.ToolCalls) > 0 {
		var calls []byte
		if len(d.ToolCalls) > 0 {
			calls = partialCalls(d.ToolCalls)
		}
		if !out.data(c.head.AppendChunk(nil, openai.AppendPiece(nil, "", d.Content, calls, false), "")) {
			return false
		}
	}
	if d.FinishReason == "" {
		return true
	}
	return out.data(c.head.AppendChunk(nil, []byte("{}"), d.FinishReason, openai.Set{Name: "hermes", Value: hermes}))
}

// partialCalls is the "tool_calls" of a delta.
func partialCalls(parts []run.ToolCall) []byte {
	calls := make([]openai.Call, len(parts))
	for i, p := range parts {
		calls[i].Index, calls[i].ID = p.Index, p.ID
		if p.ID != "" {
			calls[i].Type = "function"
		}
		calls[i].Function.Name, calls[i].Function.Arguments = p.Name, p.Arguments
	}
	out, _ := json.Marshal(calls) // strings only: cannot fail
	return out
}

// streamError sends a failure in the form that the official clients raise as an error:
// one data line with an error object, then the end. It never sends a false finish
// reason "stop".
func (s *server) streamError(out *eventWriter, r *http.Request, res *run.Result, err error) {
	f := asFault(ended(r.Context(), err))
	s.Log.Log(r.Context(), levelOf(status(f)), "stream failed", "code", f.Code, "err", err)
	body := errorBody(f)
	if res != nil {
		if with, spliceErr := openai.WithMember(body, "hermes", hermesObject(res)); spliceErr == nil {
			body = with
		}
	}
	out.data(body)
	out.data(openai.Done)
}
