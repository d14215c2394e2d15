package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/markdown"
	"github.com/hermes-memory/hermes/internal/session"
)

// shownJSON is what only readers of a transcript are told of a message.
type shownJSON struct {
	// Note says how a message got into the transcript, if nobody said it.
	Note string `json:"note,omitempty"`
	// ReceiptID, Responder and Context are of answers.
	ReceiptID string            `json:"receipt_id,omitempty"`
	Responder lineage.Responder `json:"responder,omitempty"`
	Context   *lineage.Context  `json:"context,omitempty"`
	// ContentLength is the length of a content that was cut, in characters.
	ContentLength int `json:"content_length,omitempty"`
	// Nodes are the content as Markdown.
	Nodes []markdown.Block `json:"nodes,omitempty"`
}

// showing is the form in which messages are asked for.
type showing struct {
	limit int // of the content, in characters; 0 for none
	nodes bool
}

// maxContent is the largest limit of a content, in characters.
const maxContent = 1_000_000

// parseShowing reads the form from a query: content_limit, and format=nodes.
func parseShowing(q url.Values) (showing, error) {
	limit, err := number(q.Get("content_limit"), "content_limit", 0, maxContent)
	if err != nil {
		return showing{}, err
	}
	nodes, err := asksNodes(q)
	return showing{limit, nodes}, err
}

// asksNodes reports whether a query asks for Markdown as nodes.
func asksNodes(q url.Values) (bool, error) {
	switch q.Get("format") {
	case "":
		return false, nil
	case "nodes":
		return true, nil
	}
	return false, fault.New(fault.Invalid, "invalid_format", "\"format\" is nodes, or is left out.").At("format")
}

// message is a message in this form.
func (s showing) message(m *session.Message) messageJSON {
	out := messageOf(m)
	out.Note, out.ReceiptID = m.Note, m.ReceiptID
	var receipt struct {
		Responder lineage.Responder `json:"responder"`
		Context   *lineage.Context  `json:"context"`
	}
	if json.Unmarshal(m.Receipt, &receipt) == nil { // nil, if the message has none
		out.Responder, out.Context = receipt.Responder, receipt.Context
	}
	s.shape(&out)
	return out
}

// shape cuts the content of a message, and adds its nodes. Results of tools are no Markdown.
func (s showing) shape(m *messageJSON) {
	if cut := firstRunes(m.Content, s.limit); s.limit > 0 && len(cut) < len(m.Content) {
		m.ContentLength = utf8.RuneCountInString(m.Content)
		m.Content = cut
	}
	if s.nodes && m.Role != session.Tool {
		m.Nodes = markdown.Parse(m.Content)
	}
}

// firstRunes are the first n characters of a text.
func firstRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// seqOf reads the seq of a message from a query; 0 if there is none.
func seqOf(q url.Values, name string) (int64, error) {
	text := q.Get(name)
	if text == "" {
		return 0, nil
	}
	seq, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seq < 0 || name == "before" && seq == 0 {
		return 0, fault.New(fault.Invalid, "invalid_"+name, fmt.Sprintf("%q must be the seq of a message.", name)).At(name)
	}
	return seq, nil
}

// oneMessage is a message by itself.
type oneMessage struct {
	Object string     `json:"object"`
	RootID session.ID `json:"_lineage_root_id"`
	messageJSON
}

// getMessage answers GET /api/sessions/{id}/messages/{seq}: one message, whole, whether it
// stands or was undone.
func (s *server) getMessage(w http.ResponseWriter, r *http.Request) error {
	tip, err := s.find(r)
	if err != nil {
		return err
	}
	show, err := parseShowing(r.URL.Query())
	if err != nil {
		return err
	}
	seq, err := strconv.ParseInt(r.PathValue("seq"), 10, 64)
	if err != nil || seq < 0 || seq >= tip.NextSeq {
		return errNoMessage()
	}
	ms, err := s.Sessions.Messages(r.Context(), ownerOf(r), tip.RootID, session.Range{From: seq, To: seq + 1, Receipts: true})
	if err != nil {
		return err
	}
	if len(ms) == 0 {
		return errNoMessage()
	}
	setSession(w.Header(), tip.ID, tip.RootID)
	return writeTagged(w, r, oneMessage{"hermes.message", tip.RootID, show.message(&ms[0])})
}

func errNoMessage() error {
	return fault.New(fault.NotFound, "message_not_found", "The session has no message with this seq.").At("seq")
}
