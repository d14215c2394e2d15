package openai

import (
	"slices"
	"strconv"
	"strings"
)

// ResponseEvent is one event of a streamed response.
type ResponseEvent struct {
	Seq  int // 0 for the first
	Type string
	Data []byte // JSON
}

// ResponseStream turns an answer into the events of the Responses API. It is a pure
// function: the same pieces give the same events with the same numbers. So a broken
// stream is resumed by computing the events again and skipping those that the client
// has.
//
// A message is done when the first call begins. Calls are done when the answer ends,
// because some servers interleave the arguments of several calls.
type ResponseStream struct {
	response Response
	names    ToolNames
	seq      int
	ids      func(ItemType) string
	open     []*openItem // in the order they began
	items    []*openItem
	events   []ResponseEvent
}

// openItem is an item that is being streamed.
type openItem struct {
	Item
	index int // in the output
	call  int // the index of a call in the chat's answer; -1 for none
	void  bool
	text  strings.Builder
}

// NewResponseStream returns a stream for an answer with the given head.
func NewResponseStream(head Response) *ResponseStream {
	head.Output = nil
	return &ResponseStream{response: head, names: NamesOf(head.Settings.Tools), ids: ItemIDs(head.ID, false)}
}

// Begin adds the events for the creation and the start of the response. model is the
// answering model; "" leaves the head's.
func (s *ResponseStream) Begin(model string) []ResponseEvent {
	s.response.Status = StatusInProgress
	if model != "" {
		s.response.Model = model
	}
	s.lifecycle("response.created")
	s.lifecycle("response.in_progress")
	return s.take()
}

// Add adds the events for a piece of the answer.
func (s *ResponseStream) Add(p *Piece) []ResponseEvent {
	if p.Reasoning != "" {
		s.say(ReasoningItem, p.Reasoning)
	}
	if p.Content != "" {
		s.close(StatusCompleted, func(it *openItem) bool { return it.Type == ReasoningItem })
		s.say(MessageItem, p.Content)
	}
	for i := range p.ToolCalls {
		s.close(StatusCompleted, func(it *openItem) bool { return !it.isCall() })
		s.addCall(&p.ToolCalls[i])
	}
	return s.take()
}

// Again restarts the answer: the events so far are void, and their items are left out
// of the response.
func (s *ResponseStream) Again() []ResponseEvent {
	s.close(StatusIncomplete, func(*openItem) bool { return true })
	for _, it := range s.items {
		it.void = true
	}
	return s.take()
}

// ResponseEnd is the end of an answer.
type ResponseEnd struct {
	At     int64 // seconds since 1970
	Finish string
	Model  string // the model that answered; "" leaves the head's
	Usage  *Usage
	Hermes []byte
	// Cancelled says that the response was cancelled by request.
	Cancelled bool
	// Error says that the response failed.
	Error *Error
}

// End adds the final events.
func (s *ResponseStream) End(end *ResponseEnd) []ResponseEvent {
	r := &s.response
	r.EndedAt, r.Usage, r.Hermes = end.At, end.Usage, end.Hermes
	if end.Model != "" {
		r.Model = end.Model
	}
	r.Status, r.Incomplete = StatusOf(end)
	r.Error = end.Error
	kind, status := "response.completed", StatusCompleted
	if r.Status != StatusCompleted {
		kind, status = "response.incomplete", StatusIncomplete
	}
	s.close(status, func(*openItem) bool { return true })
	if r.Status == StatusFailed {
		kind = "response.failed"
		s.fail(end.Error)
	}
	s.lifecycle(kind)
	return s.take()
}

// StatusOf is the status of a finished response, and the reason if it is incomplete.
func StatusOf(end *ResponseEnd) (status, incomplete string) {
	switch {
	case end.Cancelled:
		return StatusCancelled, ""
	case end.Error != nil:
		return StatusFailed, ""
	case end.Finish == "length":
		return StatusIncomplete, "max_output_tokens"
	case end.Finish == "content_filter":
		return StatusIncomplete, "content_filter"
	}
	return StatusCompleted, ""
}

// Response is the response so far.
func (s *ResponseStream) Response() *Response {
	r := s.response
	for _, it := range s.items {
		if !it.void {
			r.Output = append(r.Output, it.shown())
		}
	}
	return &r
}

// shown is the item with its text so far.
func (it *openItem) shown() Item {
	out := it.Item
	if it.isCall() {
		out.Arguments = it.text.String()
	} else {
		out.Text = it.text.String()
	}
	return out
}

// say adds text to the open item of a type, or opens one.
func (s *ResponseStream) say(t ItemType, text string) {
	i := slices.IndexFunc(s.open, func(it *openItem) bool { return it.Type == t })
	var it *openItem
	if i >= 0 {
		it = s.open[i]
	} else {
		it = s.begin(Item{Type: t, Role: "assistant"}, -1)
		s.event("response.content_part.added", it, func(b []byte) []byte {
			return it.appendPart(append(b, `,"content_index":0,"part":`...), "")
		})
	}
	it.text.WriteString(text)
	s.event(it.kind()+".delta", it, func(b []byte) []byte {
		b = append(b, `,"content_index":0,"delta":`...)
		return it.appendLogprobs(appendString(b, text))
	})
}

// addCall adds a part of a call.
func (s *ResponseStream) addCall(c *Call) {
	i := slices.IndexFunc(s.open, func(it *openItem) bool { return it.call == c.Index })
	var it *openItem
	if i >= 0 {
		it = s.open[i]
	} else {
		it = s.begin(Item{Type: CallItem, CallID: c.ID, Name: c.Function.Name}, c.Index)
	}
	if c.Function.Arguments == "" {
		return
	}
	it.text.WriteString(c.Function.Arguments)
	if it.Type == CustomCallItem {
		return // its input can be read only when the arguments are complete
	}
	s.event(it.kind()+".delta", it, func(b []byte) []byte {
		return appendString(append(b, `,"delta":`...), c.Function.Arguments)
	})
}

// begin opens an item.
func (s *ResponseStream) begin(item Item, call int) *openItem {
	s.names.restore(&item)
	it := &openItem{Item: item, index: len(s.items), call: call}
	it.ID, it.Status = s.ids(item.Type), StatusInProgress
	if it.isCall() && it.CallID == "" { // clients need an id for the result
		it.CallID = "call_" + strings.TrimPrefix(it.ID, itemPrefixes[it.Type])
	}
	s.items, s.open = append(s.items, it), append(s.open, it)
	s.item("response.output_item.added", it)
	return it
}

// close ends the open items that match.
func (s *ResponseStream) close(status string, meant func(*openItem) bool) {
	left := s.open[:0]
	for _, it := range s.open {
		if !meant(it) {
			left = append(left, it)
			continue
		}
		it.Status = status
		s.finish(it)
		s.item("response.output_item.done", it)
	}
	s.open = left
}

// finish adds the events that repeat the whole content of an item.
func (s *ResponseStream) finish(it *openItem) {
	text := it.text.String()
	switch it.Type {
	case CallItem:
		s.event(it.kind()+".done", it, func(b []byte) []byte {
			b = appendString(append(b, `,"name":`...), it.Name)
			return appendString(append(b, `,"arguments":`...), text)
		})
	case CustomCallItem:
		input := customInput(text)
		s.event(it.kind()+".delta", it, func(b []byte) []byte { return appendString(append(b, `,"delta":`...), input) })
		s.event(it.kind()+".done", it, func(b []byte) []byte { return appendString(append(b, `,"input":`...), input) })
	default:
		s.event(it.kind()+".done", it, func(b []byte) []byte {
			return it.appendLogprobs(appendString(append(b, `,"content_index":0,"text":`...), text))
		})
		s.event("response.content_part.done", it, func(b []byte) []byte {
			return it.appendPart(append(b, `,"content_index":0,"part":`...), text)
		})
	}
}

// kind is the prefix of the event names for an item's content.
func (it *openItem) kind() string {
	switch it.Type {
	case CallItem:
		return "response.function_call_arguments"
	case CustomCallItem:
		return "response.custom_tool_call_input"
	case ReasoningItem:
		return "response.reasoning_text"
	}
	return "response.output_text"
}

func (it *openItem) appendLogprobs(b []byte) []byte {
	if it.Type != MessageItem {
		return b
	}
	return append(b, `,"logprobs":[]`...)
}

// lifecycle adds an event that holds the whole response.
func (s *ResponseStream) lifecycle(kind string) {
	b := s.head(kind)
	b = s.Response().Append(append(b, `,"response":`...))
	s.add(kind, append(b, '}'))
}

// item adds an event that holds a whole item.
func (s *ResponseStream) item(kind string, it *openItem) {
	b := strconv.AppendInt(append(s.head(kind), `,"output_index":`...), int64(it.index), 10)
	shown := it.shown()
	b = shown.append(append(b, `,"item":`...))
	s.add(kind, append(b, '}'))
}

// event adds an event about an item.
func (s *ResponseStream) event(kind string, it *openItem, more func([]byte) []byte) {
	b := appendString(append(s.head(kind), `,"item_id":`...), it.ID)
	b = strconv.AppendInt(append(b, `,"output_index":`...), int64(it.index), 10)
	s.add(kind, append(more(b), '}'))
}

// fail adds the event that the official clients raise as an error.
func (s *ResponseStream) fail(e *Error) {
	s.add("error", append(appendFailure(s.head("error"), e), '}'))
}

func appendFailure(b []byte, e *Error) []byte {
	b = appendString(append(b, `,"code":`...), e.responseCode())
	b = appendString(append(b, `,"message":`...), e.Message)
	if e.Param == nil {
		return append(b, `,"param":null`...)
	}
	return appendString(append(b, `,"param":`...), *e.Param)
}

func (s *ResponseStream) head(kind string) []byte {
	b := appendString([]byte(`{"type":`), kind)
	return strconv.AppendInt(append(b, `,"sequence_number":`...), int64(s.seq), 10)
}

func (s *ResponseStream) add(kind string, data []byte) {
	s.events = append(s.events, ResponseEvent{Seq: s.seq, Type: kind, Data: data})
	s.seq++
}

// take returns the events added since the last call.
func (s *ResponseStream) take() []ResponseEvent {
	out := s.events
	s.events = nil
	return out
}
