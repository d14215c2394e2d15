package httpapi

import (
	"net/http"
	"slices"

	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// itemWalk reads the items of a conversation in pages. A page begins with a user's
// message, so that the calls of this server's tools and their results are in one page.
type itemWalk struct {
	server *server
	r      *http.Request
	root   session.ID
	desc   bool
	at     int64 // ascending: the first Seq not read; descending: the last Seq read, 0 for none
	done   bool
}

// pageOfMessages is how many messages are read at once.
const pageOfMessages = 100

func (s *server) walkItems(r *http.Request, root session.ID, desc bool) *itemWalk {
	return &itemWalk{server: s, r: r, root: root, desc: desc}
}

// messages are standing messages of the conversation.
func (w *itemWalk) messages(window session.Range) ([]session.Message, error) {
	window.Standing = true
	return w.server.Sessions.Messages(w.r.Context(), ownerOf(w.r), w.root, window)
}

// from moves the walk so that its next page has the item.
func (w *itemWalk) from(item string) error {
	id, ok := openai.MessageOf(item)
	if !ok {
		return errNoItem("after")
	}
	ms, err := w.messages(session.Range{MessageID: id})
	if err != nil {
		return err
	}
	if len(ms) == 0 {
		return errNoItem("after")
	}
	seq := ms[0].Seq
	if !w.desc {
		before, err := w.messages(session.Range{To: seq + 1, Limit: pageOfMessages, Newest: true})
		w.at = seq
		for i := range slices.Backward(before) {
			if before[i].Role == session.User {
				w.at = before[i].Seq
				break
			}
		}
		return err
	}
	after, err := w.messages(session.Range{From: seq + 1, Limit: pageOfMessages})
	if i := slices.IndexFunc(after, isUser); i >= 0 {
		w.at = after[i].Seq
	} else if len(after) == pageOfMessages {
		w.at = after[len(after)-1].Seq
	}
	return err
}

func isUser(m session.Message) bool { return m.Role == session.User }

// next is the next page.
func (w *itemWalk) next() ([]openai.Item, error) {
	window := session.Range{From: w.at, Limit: pageOfMessages}
	if w.desc {
		window = session.Range{To: w.at, Limit: pageOfMessages, Newest: true}
	}
	ms, err := w.messages(window)
	if err != nil {
		return nil, err
	}
	w.done = len(ms) < pageOfMessages
	if !w.done {
		ms = w.cut(ms)
	}
	var items []openai.Item
	for _, m := range run.Visible(ms) {
		items = append(items, conversationItems(&m)...)
	}
	if w.desc {
		slices.Reverse(items)
	}
	return items, nil
}

// cut ends a full page between two exchanges, and moves the walk there.
func (w *itemWalk) cut(ms []session.Message) []session.Message {
	if w.desc {
		if i := slices.IndexFunc(ms, isUser); i > 0 {
			ms = ms[i:]
		}
		w.at = ms[0].Seq
		w.done = w.at == 0
		return ms
	}
	for i := len(ms) - 1; i > 0; i-- {
		if ms[i].Role == session.User {
			w.at = ms[i].Seq
			return ms[:i]
		}
	}
	w.at = ms[len(ms)-1].Seq + 1
	return ms
}

// conversationItems are the items of a message. Their ids are those of the message.
func conversationItems(m *session.Message) []openai.Item {
	items := itemsOf(m, openai.MessageItemIDs(m.ID), nil)
	if m.Partial() {
		items[len(items)-1].Status = openai.StatusIncomplete
	}
	return items
}
