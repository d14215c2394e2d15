package openai

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// Response is a response of the Responses API as clients read it.
type Response struct {
	ID         string
	CreatedAt  int64 // seconds since 1970
	EndedAt    int64 // 0 while it runs
	Status     string
	Background bool
	// Conversation is the session that the request named; "" for none.
	Conversation string
	Previous     string // the response that this one continues; "" for none
	Model        string
	Settings     ResponseSettings
	Output       []Item
	Usage        *Usage // nil while unknown
	// Incomplete says why the answer ended early: max_output_tokens or content_filter;
	// otherwise "".
	Incomplete string
	Error      *Error // of a failed response
	// Hermes is the "hermes" member; nil while there is none.
	Hermes json.RawMessage
}

// MarshalJSON writes the response with every member that clients read.
func (r *Response) MarshalJSON() ([]byte, error) {
	type incomplete struct {
		Reason string `json:"reason"`
	}
	type failure struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Type    string `json:"type"`
	}
	type named struct {
		ID string `json:"id"`
	}
	out := struct {
		ID           string  `json:"id"`
		Object       string  `json:"object"`
		CreatedAt    int64   `json:"created_at"`
		Status       string  `json:"status"`
		Background   bool    `json:"background"`
		CompletedAt  *int64  `json:"completed_at"`
		Conversation *named  `json:"conversation"`
		Error        any     `json:"error"`
		Incomplete   any     `json:"incomplete_details"`
		Model        string  `json:"model"`
		Output       []Item  `json:"output"`
		Previous     *string `json:"previous_response_id"`
		ResponseSettings
		Usage  json.RawMessage `json:"usage"`
		Hermes json.RawMessage `json:"hermes,omitempty"`
	}{
		ID: r.ID, Object: "response", CreatedAt: r.CreatedAt, Status: r.Status, Background: r.Background,
		Model: r.Model, Output: r.Output, ResponseSettings: r.Settings, Usage: r.Usage.Response(), Hermes: r.Hermes,
	}
	if r.EndedAt != 0 {
		out.CompletedAt = &r.EndedAt
	}
	if r.Conversation != "" {
		out.Conversation = &named{r.Conversation}
	}
	if r.Previous != "" {
		out.Previous = &r.Previous
	}
	if r.Incomplete != "" {
		out.Incomplete = incomplete{r.Incomplete}
	}
	if r.Error != nil {
		out.Error = failure{Code: r.Error.responseCode(), Message: r.Error.Message, Type: r.Error.Type}
	}
	if out.Output == nil {
		out.Output = []Item{}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// Append appends the response as JSON. Settings must be valid JSON, as a parser returns
// them.
func (r *Response) Append(b []byte) []byte {
	out, err := r.MarshalJSON()
	if err != nil {
		return append(b, "null"...)
	}
	return append(b, out...)
}

// responseCode is the code of a failure. The Responses API allows no null code.
func (e *Error) responseCode() string {
	if code := e.CodeText(); code != "" {
		return code
	}
	return "server_error"
}

// Response is usage in the form of the Responses API; null for none.
func (u *Usage) Response() json.RawMessage {
	if u == nil {
		return json.RawMessage("null")
	}
	b := strconv.AppendInt([]byte(`{"input_tokens":`), int64(u.PromptTokens), 10)
	b = strconv.AppendInt(append(b, `,"input_tokens_details":{"cached_tokens":`...), int64(u.CachedTokens), 10)
	b = strconv.AppendInt(append(b, `},"output_tokens":`...), int64(u.CompletionTokens), 10)
	b = strconv.AppendInt(append(b, `,"output_tokens_details":{"reasoning_tokens":`...), int64(u.ReasoningTokens), 10)
	b = strconv.AppendInt(append(b, `},"total_tokens":`...), int64(u.PromptTokens+u.CompletionTokens), 10)
	return append(b, '}')
}

// ItemIDs makes the ids of a response's items in order: of its output, or of its input.
// The ids are derived, so the same items always get the same ids and none need be
// stored.
func ItemIDs(response string, input bool) func(ItemType) string {
	count := make(map[ItemType]int)
	return func(t ItemType) string {
		n := count[t]
		count[t]++
		return itemID(response, t, n, input)
	}
}

var itemPrefixes = map[ItemType]string{
	MessageItem: "msg_", CallItem: "fc_", ResultItem: "fco_", ReasoningItem: "rs_", CustomCallItem: "ctc_", CustomResultItem: "ctco_",
}

func itemID(response string, t ItemType, n int, input bool) string {
	place := "_" + strconv.Itoa(n)
	if input {
		place = "_in" + strconv.Itoa(n)
	}
	return itemPrefixes[t] + strings.TrimPrefix(response, ResponsePrefix) + place
}

// ResponsePrefix begins the id of every response.
const ResponsePrefix = "resp_"

// ResponseOf is the id of the response that an item belongs to, taken from the item's
// id.
func ResponseOf(item string) (id string, ok bool) {
	for _, prefix := range itemPrefixes {
		if rest, found := strings.CutPrefix(item, prefix); found {
			if i := strings.LastIndexByte(rest, '_'); i > 0 {
				return ResponsePrefix + rest[:i], true
			}
		}
	}
	return "", false
}

// IsReasoning reports whether an id is the id of a reasoning item.
func IsReasoning(item string) bool { return strings.HasPrefix(item, itemPrefixes[ReasoningItem]) }
