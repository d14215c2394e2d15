package upstream

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/hermes-memory/hermes/internal/anthropic"
	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/run"
)

// anthropicAnswer is a whole message, or the head of a streamed one.
type anthropicAnswer struct {
	Type       string        `json:"type"`
	Model      string        `json:"model"`
	Content    []answerBlock `json:"content"`
	StopReason string        `json:"stop_reason"`
	// StopSequence is the text of the client that ended the answer.
	StopSequence string          `json:"stop_sequence"`
	Usage        anthropicUsage  `json:"usage"`
	Error        *anthropicError `json:"error"`
}

// answerBlock is a part of an answer.
type answerBlock struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`
}

type anthropicError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// openai is the error in the other wire's form; its type is its code.
func (e *anthropicError) openai() *openai.Error {
	return &openai.Error{Message: e.Message, Code: e.Type}
}

// anthropicUsage counts tokens. Those read from or written to the cache are
// not among the input tokens.
type anthropicUsage struct {
	Input        tokens `json:"input_tokens"`
	CacheWritten tokens `json:"cache_creation_input_tokens"`
	CacheRead    tokens `json:"cache_read_input_tokens"`
	Output       tokens `json:"output_tokens"`
}

// tokens is a token count as an upstream reports it. A value that is not a number
// becomes nonsense, because a bad report is no reason to lose an answer.
type tokens int64

const nonsense tokens = -1

// UnmarshalJSON implements json.Unmarshaler.
func (t *tokens) UnmarshalJSON(raw []byte) error {
	*t = 0
	if string(raw) == "null" {
		return nil
	}
	n, ok := bound.Tokens(raw)
	if *t = tokens(n); !ok {
		*t = nonsense
	}
	return nil
}

// merge takes over the counts that a later event of a stream repeats.
func (u *anthropicUsage) merge(later anthropicUsage) {
	u.Input = cmp.Or(later.Input, u.Input)
	u.CacheWritten = cmp.Or(later.CacheWritten, u.CacheWritten)
	u.CacheRead = cmp.Or(later.CacheRead, u.CacheRead)
	u.Output = cmp.Or(later.Output, u.Output)
}

// usage is the count in OpenAI's terms, where cached tokens are part of the input; nil
// if the report is not credible.
func (u *anthropicUsage) usage() *run.Usage {
	if min(u.Input, u.CacheWritten, u.CacheRead, u.Output) == nonsense {
		return nil
	}
	in := u.Input + u.CacheWritten + u.CacheRead
	raw := fmt.Appendf(nil, `{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}}`,
		in, u.Output, in+u.Output, u.CacheRead)
	return &run.Usage{Input: int(in), Output: int(u.Output), Raw: raw}
}

// whole reads an answer that is not streamed.
func (m *Anthropic) whole(a *answer, streaming bool) (iter.Seq2[run.Delta, error], error) {
	defer a.close()
	raw, err := a.all(m.c.opt.MaxBody)
	if err != nil {
		return nil, err
	}
	var in anthropicAnswer
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, fault.Wrap(fault.Upstream, codeGarbled, "The upstream's answer is not a message.", err)
	}
	if in.Error != nil {
		return nil, m.reported(in.Error)
	}
	if in.Type != "message" {
		return nil, fault.New(fault.Upstream, codeGarbled, "The upstream's answer is not a message.")
	}
	d := run.Delta{Model: in.Model}
	for _, b := range in.Content {
		switch b.Type {
		case "text":
			d.Content += b.Text
		case "thinking":
			d.Reasoning += b.Thinking
		case "tool_use":
			d.ToolCalls = append(d.ToolCalls, run.ToolCall{Index: len(d.ToolCalls), ID: b.ID, Name: b.Name, Arguments: arguments(b.Input)})
		}
	}
	end := run.Delta{
		Model: in.Model, Finishes: true, Usage: in.Usage.usage(),
		FinishReason: anthropic.FinishReason(in.StopReason), StopSequence: in.StopSequence,
	}
	if streaming {
		return each(d, end), nil
	}
	d.FinishReason, d.StopSequence, d.Finishes, d.Usage = end.FinishReason, end.StopSequence, true, end.Usage
	return each(d), nil
}

// arguments is a tool's input as text.
func arguments(input json.RawMessage) string {
	if len(input) == 0 || string(input) == "null" {
		return "{}"
	}
	return string(input)
}
