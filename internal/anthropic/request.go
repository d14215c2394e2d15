package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

type rawValue = json.RawMessage

// Request is a request for a message.
type Request struct {
	Model string
	// MaxTokens bounds the answer.
	MaxTokens int
	Stream    bool
	// Thinking says that the client asks for the model's thoughts.
	Thinking bool
	// UserID is metadata.user_id.
	UserID string
	// OmittedTools and OmittedItems are the types of the tools and of the content blocks
	// that no chat completion can hold, each once.
	OmittedTools, OmittedItems []string

	in   wireRequest
	said conversation
}

// wireRequest is a request as a client sends it.
type wireRequest struct {
	Model         string         `json:"model"`
	MaxTokens     *int           `json:"max_tokens"`
	System        jsontext.Value `json:"system"`
	Messages      []wireMessage  `json:"messages"`
	Tools         []wireTool     `json:"tools"`
	ToolChoice    *ToolChoice    `json:"tool_choice"`
	StopSequences []string       `json:"stop_sequences"`
	Temperature   *float64       `json:"temperature"`
	TopP          *float64       `json:"top_p"`
	TopK          *int           `json:"top_k"`
	Stream        bool           `json:"stream"`
	Metadata      struct {
		UserID string `json:"user_id"`
	} `json:"metadata"`
	Thinking     jsontext.Value `json:"thinking"`
	ServiceTier  string         `json:"service_tier"`
	OutputConfig jsontext.Value `json:"output_config"`
	CacheControl jsontext.Value `json:"cache_control"`
}

// wireMessage is a message as a client sends it: content is a text or a list of blocks.
type wireMessage struct {
	Role    string         `json:"role"`
	Content jsontext.Value `json:"content"`
}

// Problem is an error in a request, in words for the sender.
type Problem struct {
	Param string // the wrong part, such as "messages.2.content"; "" for the whole body
	Msg   string
}

// Error returns the message.
func (p *Problem) Error() string { return p.Msg }

// at makes a problem of a part of a request.
func at(param, format string, args ...any) *Problem {
	return &Problem{Param: param, Msg: param + ": " + fmt.Sprintf(format, args...)}
}

// maxMessages bounds a request, as the same number bounds a chat completion.
const maxMessages = 10_000

// Parse reads a request for a message. Its errors have type *Problem.
func Parse(body []byte) (*Request, error) {
	r, err := ParseCount(body)
	if err != nil {
		return nil, err
	}
	switch n := r.in.MaxTokens; {
	case n == nil:
		return nil, at("max_tokens", "Field required")
	case *n < 1:
		return nil, at("max_tokens", "must be at least 1")
	}
	r.MaxTokens = *r.in.MaxTokens
	return r, nil
}

// ParseCount reads a request to count tokens, which need not bound the answer. Its errors
// have type *Problem.
func ParseCount(body []byte) (*Request, error) {
	r := &Request{}
	if problem := decode(body, "", &r.in); problem != nil {
		return nil, problem
	}
	if n := len(r.in.Messages); n == 0 {
		return nil, at("messages", "at least one message is required")
	} else if n > maxMessages {
		return nil, at("messages", "there are more than %d messages", maxMessages)
	}
	for i := range r.in.Tools {
		if problem := r.in.Tools[i].check(i); problem != nil {
			return nil, problem
		}
		if kind := r.in.Tools[i].hosted(); kind != "" {
			r.OmittedTools = appendOnce(r.OmittedTools, kind)
		}
	}
	if problem := r.said.read(&r.in); problem != nil {
		return nil, problem
	}
	r.Model, r.Stream, r.UserID = r.in.Model, r.in.Stream, r.in.Metadata.UserID
	r.Thinking, r.OmittedItems = thinks(r.in.Thinking), r.said.omitted
	return r, nil
}

// thinks reports whether a setting asks for thoughts.
func thinks(setting jsontext.Value) bool {
	var in struct{ Type string }
	_ = json.Unmarshal(setting, &in) // a setting of another form is left to the model
	return in.Type == "enabled" || in.Type == "adaptive"
}

// Extras are the settings that chat completions lack, as JSON; nil for none.
func (r *Request) Extras() []byte {
	out, err := json.Marshal(Extras{
		Thinking: rawValue(r.in.Thinking), OutputConfig: rawValue(r.in.OutputConfig), TopK: r.in.TopK, ServiceTier: r.in.ServiceTier,
		CacheControl: rawValue(r.in.CacheControl), Cache: r.cache(),
	})
	if err != nil || string(out) == "{}" { // cannot fail: the values were decoded before
		return nil
	}
	return out
}

// decode decodes a JSON value of a request. path is the place of the value in the body.
func decode(raw []byte, path string, into any) *Problem {
	err := jsonv2.Unmarshal(raw, into)
	if err == nil {
		return nil
	}
	if wrong, ok := errors.AsType[*jsonv2.SemanticError](err); ok {
		param := strings.Trim(strings.ReplaceAll(path+string(wrong.JSONPointer), "/", "."), ".")
		if param == "" {
			return &Problem{Msg: "The request body must be a JSON object."}
		}
		return at(param, "the value has the wrong type")
	}
	return &Problem{Msg: "Could not read the request body as JSON: " + explain(err) + "."}
}

// explain shortens a syntax error for the sender.
func explain(err error) string {
	if strings.Contains(err.Error(), "unexpected EOF") {
		return "it ends too early"
	}
	return strings.TrimPrefix(err.Error(), "jsontext: ")
}

// maxTypes bounds a list of types. Servers know fewer; a client can make up any number.
const maxTypes = 64

// appendOnce appends a type unless the list has it, or is full.
func appendOnce(list []string, name string) []string {
	if len(list) == maxTypes || slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}
