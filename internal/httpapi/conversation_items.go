package httpapi

import (
	"net/http"
	"slices"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/session"
)

// listItems answers GET /v1/conversations/{id}/items: newest first, unless order=asc.
func (s *server) listItems(w http.ResponseWriter, r *http.Request) error {
	tip, err := s.find(r)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	limit, err := number(q.Get("limit"), "limit", 20, 100)
	if err != nil {
		return err
	}
	desc, err := descending(q.Get("order"))
	if err != nil {
		return err
	}
	walk := s.walkItems(r, tip.RootID, desc)
	skipped := q.Get("after") == ""
	if !skipped {
		if err := walk.from(q.Get("after")); err != nil {
			return err
		}
	}
	var items []openai.Item
	for len(items) <= limit && !walk.done {
		page, err := walk.next()
		if err != nil {
			return err
		}
		if !skipped {
			i := slices.IndexFunc(page, func(it openai.Item) bool { return it.ID == q.Get("after") })
			if i < 0 {
				return errNoItem("after")
			}
			page, skipped = page[i+1:], true
		}
		items = append(items, page...)
	}
	setSession(w.Header(), tip.ID, tip.RootID)
	return writeJSON(w, http.StatusOK, listOf(items, limit))
}

// descending reads the order of a list of items.
func descending(order string) (bool, error) {
	if order != "" && order != "asc" && order != "desc" {
		return false, fault.New(fault.Invalid, "invalid_order", "\"order\" must be asc or desc.").At("order")
	}
	return order != "asc", nil
}

// listOf is a page of at most limit items.
func listOf(items []openai.Item, limit int) itemList {
	page := itemList{Object: "list", HasMore: len(items) > limit, Data: items[:min(limit, len(items))]}
	if n := len(page.Data); n > 0 {
		page.FirstID, page.LastID = &page.Data[0].ID, &page.Data[n-1].ID
	} else {
		page.Data = []openai.Item{}
	}
	return page
}

// maxNewItems is how many items may be added to a conversation at once, OpenAI's bound.
const maxNewItems = 20

// createItems answers POST /v1/conversations/{id}/items: items said elsewhere are added at
// the end. No model is asked.
func (s *server) createItems(w http.ResponseWriter, r *http.Request) error {
	body, err := readBody(r)
	if err != nil {
		return err
	}
	in, err := openai.ParseConversation(body)
	if err != nil {
		return err
	}
	switch n := len(in.Items); {
	case n == 0:
		return fault.New(fault.Invalid, "no_items", "'items' must hold at least one item.").At("items")
	case n > maxNewItems:
		return fault.New(fault.Invalid, "too_many_items", "At most 20 items can be added at once.").At("items")
	}
	tip, err := s.find(r)
	if err != nil {
		return err
	}
	ms, prompt, err := s.conversationMessages(r, in.Items)
	switch {
	case err != nil:
		return err
	case prompt != "":
		return fault.New(fault.Invalid, "unsupported_role", "System and developer messages can be given when a conversation is made. "+
			"Later, send them as 'instructions' of a response.").At("items")
	case len(ms) == 0:
		return fault.New(fault.Invalid, "no_items", "'items' holds no item that a conversation can keep.").At("items")
	}
	parsed(r)
	stored, err := s.addItems(r, &session.Session{ID: tip.ID}, ms)
	if err != nil {
		return err
	}
	digested(r)
	var items []openai.Item
	for i := range stored {
		items = append(items, conversationItems(&stored[i])...)
	}
	setSession(w.Header(), tip.ID, tip.RootID)
	return writeJSON(w, http.StatusOK, listOf(items, len(items)))
}

// getItem answers GET /v1/conversations/{id}/items/{item_id}.
func (s *server) getItem(w http.ResponseWriter, r *http.Request) error {
	tip, err := s.find(r)
	if err != nil {
		return err
	}
	item, err := s.findItem(r, tip.RootID, r.PathValue("item_id"))
	if err != nil {
		return err
	}
	setSession(w.Header(), tip.ID, tip.RootID)
	return writeJSON(w, http.StatusOK, item)
}

// findItem returns an item of a conversation.
func (s *server) findItem(r *http.Request, root session.ID, id string) (*openai.Item, error) {
	page, err := s.itemsAround(r, root, id)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(page, func(it openai.Item) bool { return it.ID == id })
	if i < 0 {
		return nil, errNoItem("item_id")
	}
	return &page[i], nil
}

// itemsAround are the items among which one is found if it exists: those of its response,
// or of the messages around its own.
func (s *server) itemsAround(r *http.Request, root session.ID, id string) ([]openai.Item, error) {
	if _, ok := openai.MessageOf(id); ok {
		walk := s.walkItems(r, root, false)
		if walk.from(id) != nil {
			return nil, errNoItem("item_id")
		}
		return walk.next()
	}
	response, ok := openai.ResponseOf(id)
	if !ok {
		return nil, errNoItem("item_id")
	}
	it, err := s.findResponse(r.Context(), ownerOf(r), response)
	if err != nil || it.Root != root {
		return nil, errNoItem("item_id")
	}
	input, output, err := s.responseItems(r.Context(), ownerOf(r), it)
	return append(input, output...), err
}

// deleteItem answers DELETE /v1/conversations/{id}/items/{item_id}. A transcript is
// append-only, so only its newest message can be undone, with all its items.
func (s *server) deleteItem(w http.ResponseWriter, r *http.Request) error {
	tip, err := s.find(r)
	if err != nil {
		return err
	}
	message, ok := openai.MessageOf(r.PathValue("item_id"))
	if !ok {
		return errNoItem("item_id")
	}
	changed, err := s.Curator.Retract(r.Context(), ownerOf(r), tip.ID, message)
	if err != nil {
		return err
	}
	return s.showConversation(w, r, &changed)
}

func errNoItem(param string) error {
	return fault.New(fault.NotFound, "item_not_found", "This conversation has no item with this id.").At(param)
}
