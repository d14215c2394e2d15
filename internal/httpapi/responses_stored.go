package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
)

// keptResponse is the part of a response's request that its record stores. The messages
// are not here: they belong to the session.
type keptResponse struct {
	Settings     openai.ResponseSettings `json:"settings"`
	Model        string                  `json:"model"`
	Background   bool                    `json:"background,omitempty"`
	Conversation string                  `json:"conversation,omitempty"`
	Previous     string                  `json:"previous_response_id,omitempty"`
	// Whole says that the whole session is this response's input and output.
	Whole bool `json:"whole,omitempty"`
}

// stored is a response that can be fetched later.
type stored struct {
	live.Run
	kept keptResponse
}

// storeResponse begins a response that goes on without its client, and answers with it:
// at once in the background, as a stream, or when it is complete.
func (s *server) storeResponse(w http.ResponseWriter, r *http.Request, req *run.Request, head *openai.Response, stream bool) error {
	kept := keptResponse{
		Settings: head.Settings, Model: req.Model, Background: head.Background, Conversation: head.Conversation, Previous: head.Previous,
		Whole: req.Stateless,
	}
	data, err := json.Marshal(kept)
	if err != nil {
		return fmt.Errorf("encode response: %w", err)
	}
	spec := live.Spec{Kind: live.KindResponse, Turn: req, Request: data}
	if i := req.Idempotency; i != nil {
		spec.ClientKey, spec.ClientHash = i.Key, i.BodyHash
		req.Idempotency = nil // the record is idempotent already
	}
	spec.ID = responseID(req)
	rec, err := s.startLive(r, spec)
	if err != nil {
		return err
	}
	digested(r)
	if rec.ID != spec.ID {
		w.Header().Set(replayedHeader, "true")
	}
	it, err := readStored(rec)
	if err != nil {
		return err
	}
	switch {
	case stream:
		return s.followResponse(w, r, it, -1, true)
	case head.Background:
		return s.showResponse(w, r, it)
	}
	return s.awaitResponse(w, r, it)
}

// readStored decodes the stored record of a response.
func readStored(rec live.Run) (*stored, error) {
	it := &stored{Run: rec}
	if err := json.Unmarshal(rec.Request, &it.kept); err != nil {
		return nil, fmt.Errorf("read stored response: %w", err)
	}
	it.kept.Settings.Complete()
	return it, nil
}

// findResponse returns a stored response. Another owner's response counts as absent.
func (s *server) findResponse(ctx context.Context, o owner.Owner, id string) (*stored, error) {
	rec, err := s.Live.Run(ctx, o, id)
	if fault.KindOf(err) == fault.NotFound || err == nil && rec.Kind != live.KindResponse {
		return nil, fault.New(fault.NotFound, "response_not_found", "No response with this id. It was never stored, or it was deleted.").At("response_id")
	}
	if err != nil {
		return nil, err
	}
	return readStored(rec)
}

// getResponse answers GET /v1/responses/{id}. With stream=true it sends the events
// after starting_after.
func (s *server) getResponse(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	after := -1
	if text := q.Get("starting_after"); text != "" {
		var err error
		if after, err = strconv.Atoi(text); err != nil || after < 0 {
			return fault.New(fault.Invalid, "invalid_starting_after",
				"\"starting_after\" must be the sequence_number of an event.").At("starting_after")
		}
	}
	stream, err := wantsStream(r)
	if err != nil {
		return err
	}
	it, err := s.findResponse(r.Context(), ownerOf(r), r.PathValue("id"))
	if err != nil {
		return err
	}
	if stream {
		return s.followResponse(w, r, it, after, false)
	}
	return s.showResponse(w, r, it)
}

// wantsStream reports whether a response is to be streamed. openai-go says so in a
// body, although the method is GET.
func wantsStream(r *http.Request) (bool, error) {
	invalid := fault.New(fault.Invalid, "invalid_stream", "\"stream\" must be true or false.").At("stream")
	switch r.URL.Query().Get("stream") {
	case "false":
		return false, nil
	case "true":
		return true, nil
	case "":
	default:
		return false, invalid
	}
	body, err := readBody(r)
	if err != nil || len(body) == 0 {
		return false, err
	}
	var in struct {
		Stream bool `json:"stream"`
	}
	if json.Unmarshal(body, &in) != nil {
		return false, invalid
	}
	return in.Stream, nil
}

// showResponse writes the current state of a stored response.
func (s *server) showResponse(w http.ResponseWriter, r *http.Request, it *stored) error {
	out, err := s.responseOf(r.Context(), ownerOf(r), it)
	if err != nil {
		return err
	}
	it.setHeaders(w.Header())
	writeRaw(w, http.StatusOK, out.Append(nil))
	return nil
}

// setHeaders sets the headers of a stored response's session, as far as it is known.
func (it *stored) setHeaders(h http.Header) {
	h.Set(sessionIDHeader, string(it.Session))
	if it.Root != "" {
		h.Set(rootIDHeader, string(it.Root))
	}
	if it.Key != "" {
		h.Set(sessionKeyHeader, string(it.Key))
	}
	if it.Result != nil {
		h.Set(responderHeader, string(it.Result.Responder))
	}
}

// deleteResponse answers DELETE /v1/responses/{id}. Its messages stay in the session.
func (s *server) deleteResponse(w http.ResponseWriter, r *http.Request) error {
	it, err := s.findResponse(r.Context(), ownerOf(r), r.PathValue("id"))
	if err != nil {
		return err
	}
	if err := s.Live.Delete(r.Context(), ownerOf(r), it.ID); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{"id": it.ID, "object": "response", "deleted": true})
}

// cancelResponse answers POST /v1/responses/{id}/cancel. A finished response is left
// unchanged.
func (s *server) cancelResponse(w http.ResponseWriter, r *http.Request) error {
	o := ownerOf(r)
	it, err := s.findResponse(r.Context(), o, r.PathValue("id"))
	if err != nil {
		return err
	}
	if !it.kept.Background {
		return fault.New(fault.Invalid, "not_in_background", "Only a response in the background can be cancelled. Close the connection of any other.").At("response_id")
	}
	if !it.State.Over() {
		if _, err := s.Live.Stop(r.Context(), o, it.ID); err != nil {
			return err
		}
		for _, err := range s.Live.Follow(r.Context(), o, it.ID, it.Events, nil) {
			if err != nil {
				return err
			}
		}
		if it, err = s.findResponse(r.Context(), o, it.ID); err != nil {
			return err
		}
	}
	return s.showResponse(w, r, it)
}

// head is the part of a stored response that never changes.
func (it *stored) head() openai.Response {
	return openai.Response{
		ID: it.ID, CreatedAt: it.CreatedAt.Unix(), Background: it.kept.Background, Conversation: it.kept.Conversation,
		Previous: it.kept.Previous, Model: it.kept.Model, Settings: it.kept.Settings,
	}
}

// end is the outcome of a stored response.
func (it *stored) end() openai.ResponseEnd {
	var f *fault.Error
	if it.Failure != nil {
		f = it.Failure.Fault()
	}
	end := endOf(it.Result, f)
	end.At, end.Cancelled = it.FinishedAt.Unix(), it.State == live.Cancelled
	if end.Cancelled {
		end.Error = nil
	}
	return end
}

// responseOf is a stored response, its output read from the messages.
func (s *server) responseOf(ctx context.Context, o owner.Owner, it *stored) (*openai.Response, error) {
	out := it.head()
	out.Status = openai.StatusInProgress
	switch {
	case it.State == live.Queued:
		out.Status = openai.StatusQueued
	case it.State.Over():
		end := it.end()
		out.Status, out.Incomplete = openai.StatusOf(&end)
		out.EndedAt, out.Usage, out.Hermes, out.Error, out.Model = end.At, end.Usage, end.Hermes, end.Error, it.Model
		_, output, err := s.responseItems(ctx, o, it)
		if err != nil {
			return nil, err
		}
		out.Output = output
		if out.Status != openai.StatusCompleted && len(output) > 0 {
			output[len(output)-1].Status = openai.StatusIncomplete
		}
	}
	return &out, nil
}
