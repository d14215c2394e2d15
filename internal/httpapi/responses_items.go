package httpapi

import (
	"context"
	"net/http"
	"slices"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// responseItems are the input and output of a stored response, read from the messages
// of its session. Content forgotten there is missing here too.
func (s *server) responseItems(ctx context.Context, o owner.Owner, it *stored) (input, output []openai.Item, err error) {
	input, output = []openai.Item{}, []openai.Item{}
	if it.Root == "" {
		return input, output, nil
	}
	window := session.Range{From: it.FirstSeq, To: it.EndSeq}
	if it.kept.Whole {
		window.From = 0
	}
	if window.To == 0 {
		window.To = window.From + 1
	}
	ms, err := s.Sessions.Messages(ctx, o, it.Root, window)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return nil, nil, err
	}
	ms = run.Visible(lineage.Uninterrupted(ms))
	answer := len(ms)
	for answer > 0 && ms[answer-1].Role == session.Assistant && ms[answer-1].FinishReason != "" {
		answer--
	}
	ids, names := openai.ItemIDs(it.ID, true), openai.NamesOf(it.kept.Settings.Tools)
	for i := range ms[:answer] {
		input = append(input, itemsOf(&ms[i], ids, names)...)
	}
	ids = openai.ItemIDs(it.ID, false)
	for i := answer; i < len(ms); i++ {
		items := itemsOf(&ms[i], ids, names)
		if i == len(ms)-1 || !ms[i].Partial() { // after an earlier partial answer, the turn was started again
			output = append(output, items...)
		}
	}
	return input, output, nil
}

// itemsOf is a message as items.
func itemsOf(m *session.Message, ids func(openai.ItemType) string, names openai.ToolNames) []openai.Item {
	return openai.ItemsOf(&openai.Message{
		Role: string(m.Role), Text: m.Content, ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID, Raw: m.Wire, Plain: m.Wire == nil,
	}, ids, names)
}

// itemList is a page of items.
type itemList struct {
	Object  string        `json:"object"`
	Data    []openai.Item `json:"data"`
	FirstID *string       `json:"first_id"`
	LastID  *string       `json:"last_id"`
	HasMore bool          `json:"has_more"`
}

// inputItems answers GET /v1/responses/{id}/input_items: newest first, unless
// order=asc.
func (s *server) inputItems(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	limit, err := number(q.Get("limit"), "limit", 20, 100)
	if err != nil {
		return err
	}
	it, err := s.findResponse(r.Context(), ownerOf(r), r.PathValue("id"))
	if err != nil {
		return err
	}
	items, _, err := s.responseItems(r.Context(), ownerOf(r), it)
	if err != nil {
		return err
	}
	desc, err := descending(q.Get("order"))
	if err != nil {
		return err
	}
	if desc {
		slices.Reverse(items)
	}
	if after := q.Get("after"); after != "" {
		i := slices.IndexFunc(items, func(item openai.Item) bool { return item.ID == after })
		if i < 0 {
			return fault.New(fault.Invalid, "invalid_after", "\"after\" must be the id of an item of this input.").At("after")
		}
		items = items[i+1:]
	}
	it.setHeaders(w.Header())
	return writeJSON(w, http.StatusOK, listOf(items, limit))
}

// resolve replaces references by the items they name: those of stored responses, and those
// of the session that the request names.
func (s *server) resolve(ctx context.Context, o owner.Owner, in session.ID, items []openai.Item) ([]openai.Item, error) {
	known := make(map[string][]openai.Item) // by response
	out := items[:0:0]
	for i := range items {
		switch id := items[i].ID; {
		case items[i].Type != openai.ReferenceItem:
			out = append(out, items[i])
		case openai.IsReasoning(id): // reasoning is neither stored nor sent
		default:
			item, err := s.referenced(ctx, o, in, id, known)
			if fault.KindOf(err) == fault.NotFound {
				return nil, fault.New(fault.NotFound, "item_not_found",
					"No item with the id of this reference. It was never stored, or its response was deleted.").At("input")
			}
			if err != nil {
				return nil, err
			}
			out = append(out, item)
		}
	}
	return out, nil
}

// referenced is the item that a reference names. known keeps the items of responses that
// were read. NotFound if there is no such item.
func (s *server) referenced(
	ctx context.Context, o owner.Owner, in session.ID, id string, known map[string][]openai.Item,
) (openai.Item, error) {
	if message, ok := openai.MessageOf(id); ok && in != "" {
		return s.itemOfSession(ctx, o, in, message, id)
	}
	response, ok := openai.ResponseOf(id)
	if !ok {
		return openai.Item{}, errNoItem("input")
	}
	if _, read := known[response]; !read {
		it, err := s.findResponse(ctx, o, response)
		if err != nil {
			return openai.Item{}, err
		}
		input, output, err := s.responseItems(ctx, o, it)
		if err != nil {
			return openai.Item{}, err
		}
		known[response] = append(input, output...)
	}
	n := slices.IndexFunc(known[response], func(item openai.Item) bool { return item.ID == id })
	if n < 0 {
		return openai.Item{}, errNoItem("input")
	}
	return known[response][n], nil
}

// itemOfSession is an item of a message of a session. NotFound if there is none.
func (s *server) itemOfSession(ctx context.Context, o owner.Owner, in session.ID, message int64, id string) (openai.Item, error) {
	tip, err := s.Sessions.Tip(ctx, o, in)
	if err != nil {
		return openai.Item{}, err
	}
	ms, err := s.Sessions.Messages(ctx, o, tip.RootID, session.Range{MessageID: message, Standing: true})
	if err != nil {
		return openai.Item{}, err
	}
	for i := range ms {
		for _, item := range conversationItems(&ms[i]) {
			if item.ID == id {
				return item, nil
			}
		}
	}
	return openai.Item{}, errNoItem("input")
}

// goOn continues a turn from the response that its request names.
func (s *server) goOn(ctx context.Context, req *run.Request, previous string) error {
	missing := fault.New(fault.NotFound, "previous_response_not_found", "No response with this previous_response_id. It was never stored, or it was deleted.").At("previous_response_id")
	it, err := s.findResponse(ctx, req.Owner, previous)
	if fault.KindOf(err) == fault.NotFound {
		return missing
	}
	if err != nil {
		return err
	}
	if !it.State.Over() {
		return fault.New(fault.Invalid, "previous_response_not_over", "The previous response is still under way. Go on when it is over.").At("previous_response_id")
	}
	if it.EndSeq == 0 {
		return fault.New(fault.Invalid, "previous_response_failed",
			"The previous response has no answer to go on from.").At("previous_response_id")
	}
	tip, err := s.Sessions.Tip(ctx, req.Owner, it.Root)
	if fault.KindOf(err) == fault.NotFound {
		return missing
	}
	if err != nil {
		return err
	}
	if req.Session != "" {
		named, err := s.Sessions.Tip(ctx, req.Owner, req.Session)
		if err != nil && fault.KindOf(err) != fault.NotFound {
			return err
		}
		if named.RootID != tip.RootID {
			return fault.New(fault.Invalid, "session_mismatch", "The previous response belongs to another session than the one named by "+sessionIDHeader+".").At("previous_response_id")
		}
	}
	last := it.EndSeq - 1
	req.Session, req.After = tip.RootID, &last
	return nil
}
